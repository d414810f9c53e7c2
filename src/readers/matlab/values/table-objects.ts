/**
 * Reads objects that are tables: `table` and `timetable`, with the names or times of their rows; `containers.Map` and
 * `dictionary`.
 */

import { toColumnMajorIndex } from "../../../kernels/dense/column-major.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { countElements } from "../../../model/stored.js";
import { createValueColumn } from "./column.js";
import type { MatlabContext } from "./context.js";
import { createElementColumn } from "./elements.js";
import { getSingleText, readSingleNumber, readStringTexts } from "./strings.js";
import { MAX_TIMES, readTimes, toTimesColumn } from "./times.js";
import {
  type CellValue,
  getColumnShape,
  type ObjectValue,
  type StructValue,
  type Value,
  type ValueColumn,
} from "./value.js";

export interface FrameColumn {
  readonly name: string;
  /** null if the variable cannot become one column. */
  readonly column: ValueColumn | null;
  readonly value: Value;
}

interface MatlabFrame {
  readonly rows: number;
  /** The name of the first column if it contains the names or times of the rows; otherwise null. */
  readonly index: string | null;
  readonly columns: readonly FrameColumn[];
  /** Details that a writer needs to write the table again. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Maximum number of rows in a table. Real tables have fewer. */
const MAX_ROWS = 2 ** 40;

/** Maximum number of rows in a variable that becomes JSON texts. */
const MAX_TEXTS = 2 ** 22;

/**
 * Returns the number of rows for a value that does not form one column; null if the value's size does not determine it.
 */
function heightOf(value: Value): number | null {
  return value.kind === "object" || value.kind === "failed" || value.kind === "raw" ? null : (value.size[0] ?? null);
}

/** The names of the parts. They differ between `table` and `timetable`. */
interface Parts {
  readonly get: (name: string) => Value | undefined;
  readonly names: string;
  readonly rows: string;
  readonly index: string;
}

/** @throws {InvalidDataError} if the properties are not those of a `table` or `timetable`. */
export async function readFrame(value: ObjectValue, cx: MatlabContext): Promise<MatlabFrame> {
  const parts = partsOf(value);
  const names = await readStringTexts(parts.get(parts.names));
  const rows = await readSingleNumber(parts.get(parts.rows));
  const data = parts.get("data");
  if (names === null || rows === null || data?.kind !== "cell")
    throw new InvalidDataError(`a ${value.class} without its parts`);
  if (data.items.length !== names.length) {
    throw new InvalidDataError(`a ${value.class} of ${data.items.length} variables with ${names.length} names`);
  }
  if (!Number.isSafeInteger(rows) || rows < 0 || rows > MAX_ROWS) {
    throw new InvalidDataError(`a ${value.class} of ${rows} rows`);
  }
  const columns: FrameColumn[] = [];
  const properties = fieldsOf(parts.get("props")) ?? parts.get;
  const dimensions = await readStringTexts(properties(value.class === "table" ? "DimensionNames" : "dimNames"));
  const name = dimensions?.[0] ?? "Row";
  const index = parts.get(parts.index);
  const hasIndex = index !== undefined && !(index.kind === "cell" && index.items.length === 0);
  if (hasIndex) columns.push({ name, value: index, column: await indexColumn(index, rows) });
  for (const [i, item] of data.items.entries()) {
    const column = await frameColumn(names[i], item);
    const height = column?.rows ?? heightOf(item);
    if (height !== null && height !== rows) {
      throw new InvalidDataError(`variable ${names[i]} has ${height} rows, the ${value.class} ${rows}`);
    }
    if (column === null && rows > MAX_TEXTS)
      throw new UnsupportedError(`${rows} rows of a variable that is not one column`);
    columns.push({ name: names[i], value: item, column });
  }
  const metadata = { ...value.metadata, ...(await described(properties)), dimensionNames: dimensions ?? [] };
  return { rows, index: hasIndex ? name : null, columns: distinct(columns, cx), metadata };
}

function partsOf(value: ObjectValue): Parts {
  const [object] = value.objects;
  if (value.class === "table") {
    return { get: (name) => object?.get(name), names: "varnames", rows: "nrows", index: "rownames" };
  }
  const any = fieldsOf(object?.get("any"));
  return { get: (name) => any?.(name), names: "varNames", rows: "numRows", index: "rowTimes" };
}

/** The fields of a 1 x 1 struct. */
function fieldsOf(value: Value | undefined): ((name: string) => Value | undefined) | null {
  if (value?.kind !== "struct") return null;
  return (name) => value.columns[value.fields.indexOf(name)]?.[0];
}

/** Makes names distinct, because in some files a variable has the same name as a dimension. */
function distinct(columns: readonly FrameColumn[], cx: MatlabContext): readonly FrameColumn[] {
  const taken = new Set<string>();
  return columns.map((one) => {
    let name = one.name;
    while (taken.has(name)) name = `${name}_`;
    taken.add(name);
    if (name !== one.name) cx.warn(`two columns of a table are named ${one.name}; one of them is read as ${name}`);
    return { ...one, name };
  });
}

/** Makes the column for a variable. A variable with several columns becomes a column of lists. */
async function frameColumn(name: string, value: Value): Promise<ValueColumn | null> {
  if (value.kind === "cell") return await cellColumn(name, value);
  return await createValueColumn(value, true);
}

async function cellColumn(name: string, value: CellValue): Promise<ValueColumn | null> {
  const items = value.items.map((_, i) => value.items[toColumnMajorIndex(i, value.size)]);
  const column = await createElementColumn(name, items);
  const shape = getColumnShape(value.size, true);
  if (column === null || column.plan.kind !== "array") return null;
  const metadata = { ...value.metadata, ...column.metadata, class: "cell", elementClass: column.metadata.class };
  if (shape.length === 1) return { ...column, size: value.size, metadata };
  const { array } = column.plan;
  const per = countElements(shape.slice(1));
  const lists = {
    ...array,
    shape,
    read: (start: number, end: number) => array.read(start * per, end * per),
  };
  return { ...column, plan: { kind: "array", array: lists }, rows: shape[0], size: value.size, metadata };
}

/** Makes a column of row names or row times. They are stored as an array, or as a first time and a step. */
async function indexColumn(value: Value, rows: number): Promise<ValueColumn | null> {
  const isList = value.kind === "cell" && value.items.length === rows;
  const own = await frameColumn("rows", isList ? { ...value, size: [rows, 1] } : value);
  if (own !== null) return own.rows === rows ? own : null;
  return value.kind === "struct" ? await steppedTimes(value, rows) : null;
}

async function steppedTimes(value: StructValue, rows: number): Promise<ValueColumn | null> {
  const get = fieldsOf(value);
  const origin = get?.("origin");
  const step = get?.("stepSize");
  if (origin?.kind !== "object" || step?.kind !== "object" || step.class !== "duration") return null;
  if (origin.class !== "datetime" && origin.class !== "duration") return null;
  if (rows > MAX_TIMES) throw new UnsupportedError(`times of ${rows} rows by a step`);
  const first = await readTimes(origin);
  const { high: steps } = await readTimes(step);
  if (first.high.length !== 1 || steps.length !== 1 || Number.isNaN(steps[0])) return null;
  const high = Float64Array.from({ length: rows }, (_, i) => first.high[0] + i * steps[0]);
  const low = first.low === null ? null : new Float64Array(rows).fill(first.low[0]);
  const rate = await readSingleNumber(get?.("sampleRate"));
  const zone = getSingleText(origin.objects[0]?.get("tz"));
  const metadata = { step: { millis: steps[0], sampleRate: rate }, ...(zone ? { timezone: zone } : {}) };
  return toTimesColumn(origin.class, { size: [rows, 1], high, low }, true, metadata);
}

const TEXTS = ["Description", "VariableUnits", "VariableDescriptions", "VariableContinuity"] as const;

async function described(properties: (name: string) => Value | undefined): Promise<Readonly<Record<string, unknown>>> {
  const metadata: Record<string, unknown> = {};
  for (const name of TEXTS) {
    const value = properties(name) ?? properties(name[0].toLowerCase() + name.slice(1));
    const found = getSingleText(value) || (await readStringTexts(value));
    if (found !== null && found.length > 0) metadata[name] = found;
  }
  return metadata;
}

interface MapEntries {
  readonly key: ValueColumn;
  /** null if the values cannot become one column. */
  readonly value: ValueColumn | null;
  readonly values: Value;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Reads keys and values; null if the mapping has another form, such as an unconfigured dictionary. */
export async function readEntries(value: ObjectValue): Promise<MapEntries | null> {
  const isMap = value.class === "containers.Map";
  const get = fieldsOf(value.objects[0]?.get(isMap ? "serialization" : "data"));
  const keys = get?.(isMap ? "keys" : "Key");
  const values = get?.(isMap ? "values" : "Value");
  if (keys === undefined || values === undefined) return null;
  const key = await listColumn("key", keys);
  const column = await listColumn("value", values);
  if (key === null || (column !== null && column.rows !== key.rows)) return null;
  const metadata: Record<string, unknown> = { ...value.metadata };
  for (const name of ["keyType", "valueType"]) {
    const type = getSingleText(get?.(name));
    if (type !== null) metadata[name] = type;
  }
  return { key, value: column, values, metadata };
}

async function listColumn(name: string, value: Value): Promise<ValueColumn | null> {
  if (value.kind === "cell") return await createElementColumn(name, value.items);
  return await createValueColumn(value, false);
}
