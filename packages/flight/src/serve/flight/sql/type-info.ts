/** `CommandGetXdbcTypeInfo`: DuckDB's types with their codes in JDBC and ODBC. */

import {
  bool,
  createMetadataTable,
  int32,
  type MetadataTable,
  optionalBool,
  optionalInt32,
  optionalText,
  text,
  textList,
} from "./metadata-table.js";

interface SqlType {
  readonly name: string;
  /** The number of `XdbcDataType`. */
  readonly id: number;
  /** Maximum number of digits or characters, or number of bits for floats; null if the type has no such limit. */
  readonly size: number | null;
  readonly radix?: 2 | 10;
  /** Whether literals are quoted. */
  readonly quoted?: boolean;
  readonly unsigned?: boolean;
  readonly scale?: readonly [least: number, most: number];
  readonly parameters?: readonly string[];
  readonly isText?: boolean;
  /** The number in `XdbcDatetimeSubcode`. */
  readonly subcode?: number;
}

/** `DATETIME` in `XdbcDataType`, the general code for dates and times. */
const DATETIME = 9;
const NULLABLE = 1;
/** `XdbcSearchable`: only texts can be compared with `like`. */
const SEARCHABLE = { all: 3, basic: 2 };

/** Ordered by code, then by name. */
const TYPES: readonly SqlType[] = [
  { name: "BOOLEAN", id: -7, size: 1 },
  { name: "TINYINT", id: -6, size: 3, radix: 10 },
  { name: "UTINYINT", id: -6, size: 3, radix: 10, unsigned: true },
  { name: "BIGINT", id: -5, size: 19, radix: 10 },
  { name: "UBIGINT", id: -5, size: 20, radix: 10, unsigned: true },
  { name: "BLOB", id: -3, size: null, quoted: true },
  { name: "DECIMAL", id: 3, size: 38, radix: 10, scale: [0, 38], parameters: ["precision", "scale"] },
  { name: "INTEGER", id: 4, size: 10, radix: 10 },
  { name: "UINTEGER", id: 4, size: 10, radix: 10, unsigned: true },
  { name: "SMALLINT", id: 5, size: 5, radix: 10 },
  { name: "USMALLINT", id: 5, size: 5, radix: 10, unsigned: true },
  { name: "FLOAT", id: 7, size: 24, radix: 2 },
  { name: "DOUBLE", id: 8, size: 53, radix: 2 },
  { name: "VARCHAR", id: 12, size: null, quoted: true, isText: true },
  { name: "DATE", id: 91, size: 10, quoted: true, subcode: 1 },
  { name: "TIME", id: 92, size: 15, quoted: true, subcode: 2 },
  { name: "TIMESTAMP", id: 93, size: 26, quoted: true, subcode: 3 },
];

/** @param dataType the code of the requested types; null for all. */
export function createTypeInfoTable(dataType: number | null): MetadataTable {
  const fields = [
    ...[text("type_name"), int32("data_type"), optionalInt32("column_size")],
    ...[optionalText("literal_prefix"), optionalText("literal_suffix"), textList("create_params")],
    ...[int32("nullable"), bool("case_sensitive"), int32("searchable"), optionalBool("unsigned_attribute")],
    ...[bool("fixed_prec_scale"), optionalBool("auto_increment"), optionalText("local_type_name")],
    ...[optionalInt32("minimum_scale"), optionalInt32("maximum_scale"), int32("sql_data_type")],
    ...[optionalInt32("datetime_subcode"), optionalInt32("num_prec_radix"), optionalInt32("interval_precision")],
  ];
  const types = TYPES.filter(({ id }) => dataType === null || id === dataType);
  return createMetadataTable(
    fields,
    types.map(({ name, id, size, radix, quoted, unsigned, scale, parameters, isText, subcode }) => {
      const quote = quoted ? "'" : null;
      const isNumber = radix !== undefined;
      return [
        ...[name, id, size, quote, quote, parameters ?? null],
        ...[
          NULLABLE,
          isText ?? false,
          isText ? SEARCHABLE.all : SEARCHABLE.basic,
          isNumber ? (unsigned ?? false) : null,
        ],
        ...[false, isNumber ? false : null, null, scale?.[0] ?? null, scale?.[1] ?? null],
        ...[subcode === undefined ? id : DATETIME, subcode ?? null, radix ?? null, null],
      ];
    }),
  );
}
