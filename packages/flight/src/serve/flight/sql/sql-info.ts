/** `CommandGetSqlInfo`: the server's capabilities, as numbered values of a union. */

import { createRawData, emptyData } from "annarrow/core/arrow";
import { recordBatch } from "annarrow/core/tables";
import {
  Bool,
  type Data,
  DenseUnion,
  Field,
  Int32,
  Int64,
  List,
  Map_,
  Schema,
  Struct,
  Uint32,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import type { MetadataTable } from "./metadata-table.js";

type InfoValue = string | boolean | number | bigint | readonly string[] | ReadonlyMap<number, readonly number[]>;

export interface ServerFacts {
  readonly version: string;
  readonly mostStatements: number;
}

const bits = (...positions: number[]) => positions.reduce((mask, position) => mask | (1 << position), 0);

const NO_LIMIT = 0n;
// Drivers read single numbers as 64-bit values, and masks as 32-bit values.
const CASE_INSENSITIVE = 1n;
const NULLS_AT_END = 3n;
const FORWARD_ONLY = 1;
const READ_ONLY = 1;

const KEYWORDS = "anti,asof,describe,exclude,glob,ilike,lateral,pivot,positional,qualify,sample,semi,summarize,unpivot";
const NUMERIC =
  "abs,acos,asin,atan,atan2,cbrt,ceil,ceiling,cos,cot,degrees,exp,floor,ln,log,log10,log2,mod,pi,pow,power,radians,random,round,sign,sin,sqrt,tan,trunc";
const TEXT =
  "ascii,char_length,chr,concat,contains,instr,lcase,left,length,lower,lpad,ltrim,position,repeat,replace,reverse,right,rpad,rtrim,starts_with,substring,trim,ucase,upper";
const SYSTEM = "coalesce,current_schema,ifnull,nullif,version";
const TIME =
  "current_date,current_timestamp,date_diff,date_part,date_trunc,dayname,dayofmonth,dayofweek,dayofyear,epoch,extract,hour,minute,month,monthname,now,quarter,second,strftime,strptime,week,year";

/** Numbers of `SqlSupportsConvert`. */
const TYPE = {
  ...{ bigint: 0, bit: 2, char: 3, date: 4, decimal: 5, float: 6, integer: 7, longvarchar: 11, numeric: 12, real: 13 },
  ...{ smallint: 14, time: 15, timestamp: 16, tinyint: 17, varbinary: 18, varchar: 19 },
};
const TEXTS = [TYPE.char, TYPE.longvarchar, TYPE.varchar];
const NUMBERS = [
  ...[TYPE.bigint, TYPE.bit, TYPE.decimal, TYPE.float, TYPE.integer, TYPE.numeric, TYPE.real],
  ...[TYPE.smallint, TYPE.tinyint],
];

/** Types that each type can be cast to. */
const CASTS: ReadonlyMap<number, readonly number[]> = new Map([
  ...NUMBERS.map((type) => [type, [...NUMBERS, ...TEXTS]] as const),
  ...TEXTS.map((type) => [type, Object.values(TYPE)] as const),
  [TYPE.date, [TYPE.date, TYPE.timestamp, ...TEXTS]],
  [TYPE.time, [TYPE.time, ...TEXTS]],
  [TYPE.timestamp, [TYPE.date, TYPE.time, TYPE.timestamp, ...TEXTS]],
  [TYPE.varbinary, [TYPE.varbinary, ...TEXTS]],
]);

/** Returns the values, each with its code in `SqlInfo`. */
function infoValues({ version, mostStatements }: ServerFacts): readonly (readonly [number, InfoValue])[] {
  return [
    // The server.
    [0, "annarrow"],
    [1, version],
    // The version of the columnar format.
    [2, "1.4"],
    [3, true],
    [4, true],
    [5, false],
    // Transactions: none.
    [8, 0],
    // Cancelling.
    [9, true],
    // Bulk ingestion is not supported, neither inside nor outside of transactions.
    [10, false],
    [11, false],
    // Prepared statements and transactions do not expire.
    [100, 0],
    [101, 0],
    // Syntax: statements that create catalogs, schemas and tables are not supported.
    [500, false],
    [501, false],
    [502, false],
    [503, CASE_INSENSITIVE],
    [504, '"'],
    [505, CASE_INSENSITIVE],
    // All listed tables can be selected.
    [506, true],
    [507, NULLS_AT_END],
    [508, KEYWORDS.split(",")],
    [509, NUMERIC.split(",")],
    [510, TEXT.split(",")],
    [511, SYSTEM.split(",")],
    [512, TIME.split(",")],
    [513, "\\"],
    [514, "$"],
    [515, true],
    [516, true],
    [517, CASTS],
    // Table aliases are supported, and may be any names.
    [518, true],
    [519, false],
    [520, true],
    [521, true],
    // Grouping by columns that are not selected, and by more columns than are selected.
    [522, bits(0, 1)],
    [523, true],
    [524, true],
    // Grammar: minimum, core and extended. The entry level of ANSI 92.
    [525, bits(0, 1, 2)],
    [526, bits(0)],
    [527, false],
    // Outer joins, limited and full.
    [528, bits(1, 2)],
    [529, "schema"],
    [530, ""],
    [531, ""],
    [532, true],
    [533, 0],
    [534, 0],
    [535, 0],
    [536, false],
    [537, false],
    // Subqueries in comparisons, in `exists`, in `in`, and with quantifiers; correlated subqueries too.
    [538, bits(0, 1, 2, 3)],
    [539, true],
    // `union` and `union all`.
    [540, bits(0, 1)],
    // Maximum lengths and counts, from literals to columns in a table: there is no limit, or it is unknown.
    ...Array.from({ length: 8 }, (_, i): readonly [number, bigint] => [541 + i, NO_LIMIT]),
    [549, NO_LIMIT],
    [550, NO_LIMIT],
    [551, NO_LIMIT],
    [552, 255n],
    [553, NO_LIMIT],
    [554, NO_LIMIT],
    [555, NO_LIMIT],
    [556, true],
    [557, BigInt(2 ** 20)],
    [558, BigInt(mostStatements)],
    [559, NO_LIMIT],
    [560, NO_LIMIT],
    [561, NO_LIMIT],
    // Transaction isolation: none.
    [562, 0n],
    [563, false],
    [564, bits(0)],
    [565, false],
    [566, false],
    // Results are forward-only and read-only.
    [567, bits(FORWARD_ONLY)],
    [568, 0],
    [569, bits(READ_ONLY)],
    [570, 0],
    [571, 0],
    [572, false],
    [573, false],
    [574, false],
    [575, false],
    [576, false],
  ];
}

/** Fields of the union; their positions are the type codes. */
const VALUES = [
  new Field("string_value", new Utf8(), false),
  new Field("bool_value", new Bool(), false),
  new Field("bigint_value", new Int64(), false),
  new Field("int32_bitmask", new Int32(), false),
  new Field("string_list", new List(new Field("item", new Utf8(), true)), false),
  new Field("int32_to_int32_list_map", mapOfLists(), false),
];

function mapOfLists(): Map_ {
  const lists = new Field("value", new List(new Field("item", new Int32(), true)), true);
  const entries: Field[] = [new Field("key", new Int32(), false), lists];
  return new Map_(new Field("entries", new Struct(entries), false));
}

const SCHEMA = new Schema([
  new Field("info_name", new Uint32(), false),
  new Field("value", new DenseUnion(Int32Array.from(VALUES.keys()), VALUES), false),
]);

/** @param ids codes of the requested values; empty for all. Codes without a value here are omitted. */
export function createSqlInfoTable(ids: readonly number[], facts: ServerFacts): MetadataTable {
  const wanted = new Set(ids);
  const values = infoValues(facts).filter(([id]) => wanted.size === 0 || wanted.has(id));
  return {
    schema: SCHEMA,
    batches: () => [
      recordBatch(SCHEMA, values.length, [
        vectorFromArray(
          values.map(([id]) => id),
          new Uint32(),
        ).data[0],
        unionData(values.map(([, value]) => value)),
      ]),
    ],
  };
}

function unionData(values: readonly InfoValue[]): Data {
  const typeIds = Int8Array.from(values, typeId);
  const counts = VALUES.map(() => 0);
  const offsets = Int32Array.from(typeIds, (id) => counts[id]++);
  const children = VALUES.map(({ type }, id) => {
    const own = values.filter((_, i) => typeIds[i] === id);
    return own.length === 0 ? emptyData(type) : vectorFromArray(own, type).data[0];
  });
  return createRawData(SCHEMA.fields[1].type, values.length, 0, { typeIds, offsets }, children);
}

function typeId(value: InfoValue): number {
  switch (typeof value) {
    case "string":
      return 0;
    case "boolean":
      return 1;
    case "bigint":
      return 2;
    case "number":
      return 3;
    default:
      return value instanceof Map ? 5 : 4;
  }
}
