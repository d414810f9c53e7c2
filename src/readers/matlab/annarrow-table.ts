/**
 * Reads tables that annarrow wrote as structs of columns. The attribute `annarrow` contains JSON with the details that
 * MATLAB's values cannot store.
 */

import { countContentRows } from "../../arrow/ragged/content-length.js";
import { parseForm, type RaggedForm } from "../../arrow/ragged/form.js";
import type { ArrowField, ArrowIndex, TimestampUnit } from "../../arrow/type.js";
import { createMemoryArray } from "../../containers/picked/memory-array.js";
import type { StoredArray } from "../../containers/tree/container.js";
import type { ColumnPlan } from "../../jobs/plan/plan.js";
import { getColumnType } from "../../jobs/rows/columns.js";
import type { TableMetadata } from "../../model/dataset.js";
import { InvalidDataError } from "../../model/errors.js";
import { isJsonObject, readJson } from "../../model/json-object.js";
import { countElements, type IntType, type StoredType, viewAsBytes, viewAsNumbers } from "../../model/stored.js";
import type { TableElement } from "../element.js";
import { listPlan } from "./values/chars.js";
import { createElementColumn } from "./values/elements.js";
import { concatArray, createMatlabTextArray, readFixedValues } from "./values/memory-array.js";
import { toColumnMajorArray, toNumericRows } from "./values/numeric.js";
import type { CellValue, NumericValue, StructValue, Value } from "./values/value.js";

const VERSION = 1;

const MAX_BYTES = 2 ** 31 - 1;

/** A column in the JSON: the parts of its type that cannot be derived from the stored values. */
interface Described {
  readonly name: string;
  readonly field: string;
  readonly nullable: boolean;
  readonly type: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** The form and buffers of a ragged column. */
  readonly ragged: object | null;
}

/** Reads a table that was written as a struct. @throws {InvalidDataError} if its fields do not match the JSON. */
export async function readAnnarrowTable(path: string, value: StructValue, text: string): Promise<TableElement> {
  const json = parsed(text);
  const { rows, fields, missing, metadata, schema } = json;
  if (json.version !== VERSION || !Array.isArray(fields) || typeof rows !== "number" || !isCount(rows)) {
    throw new InvalidDataError(`a description of version ${JSON.stringify(json.version)}; version ${VERSION} is read`);
  }
  const masks = typeof missing === "string" ? memberOf(value, missing) : null;
  const all: [ArrowField, ColumnPlan][] = [];
  for (const one of fields.map(described)) {
    const place = `${path}/${one.field}`;
    const mask = masks?.kind === "struct" && masks.fields.includes(one.field) ? memberOf(masks, one.field) : null;
    const plan = masked(await planOf(place, one, memberOf(value, one.field), rows), mask, rows, place);
    all.push([
      { name: one.name, type: getColumnType(plan), nullable: one.nullable, metadata: one.metadata ?? undefined },
      plan,
    ]);
  }
  const texts = isJsonObject(schema) ? Object.entries(schema).filter(isText) : [];
  return {
    kind: "table",
    fields: all.map(([field]) => field),
    metadata: isMetadata(metadata) ? metadata : { kind: "dataframe" },
    schemaMetadata: new Map(texts),
    rows,
    plan: { kind: "columns", columns: all.map(([, plan]) => plan) },
    shape: [rows],
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = readJson(text);
    if (isJsonObject(json)) return json;
  } catch (cause) {
    throw new InvalidDataError("the attribute annarrow is no JSON", { cause });
  }
  throw new InvalidDataError("the attribute annarrow is no object");
}

function described(one: unknown): Described {
  if (isJsonObject(one) && typeof one.name === "string" && typeof one.field === "string" && isJsonObject(one.type)) {
    const { name, field, nullable, type, metadata, ragged } = one;
    const more = { metadata: isJsonObject(metadata) ? metadata : null, ragged: isJsonObject(ragged) ? ragged : null };
    return { name, field, nullable: nullable === true, type, ...more };
  }
  throw new InvalidDataError(`a column described as ${JSON.stringify(one)}`);
}

function memberOf(value: StructValue, name: string): Value {
  const found = value.columns[value.fields.indexOf(name)]?.[0];
  if (found !== undefined && found.kind !== "failed") return found;
  if (found?.kind === "failed") throw found.error;
  throw new InvalidDataError(`the struct has no field ${name}, which its description names`);
}

async function planOf(path: string, column: Described, value: Value, rows: number): Promise<ColumnPlan> {
  const { name, type, ragged } = column;
  const wrong = (): InvalidDataError =>
    new InvalidDataError(`column ${name} of type ${JSON.stringify(type.id)} is stored as ${value.class}`);
  if (ragged !== null) {
    if (value.kind !== "struct") throw wrong();
    return createRaggedPlan(path, ragged, value, rows);
  }
  switch (type.id) {
    case "Null":
      return { kind: "null" };
    case "Utf8":
      if (value.kind !== "cell") throw wrong();
      return await textPlan(path, value, rows);
    case "Binary":
      if (value.kind !== "cell") throw wrong();
      return { kind: "array", array: bytesArray(path, value, rows) };
    case "List":
      if (value.kind !== "cell") throw wrong();
      return listsPlan(path, value, rows);
    case "Dictionary":
      if (value.kind !== "struct") throw wrong();
      return await categoricalPlan(path, type, value, rows);
    default: {
      if (value.kind !== "numeric") throw wrong();
      const stored = numbersArray(type, value, rows);
      if (stored === null) throw wrong();
      return { kind: "array", array: stored };
    }
  }
}

/** Makes an array of numbers, times or bytes; null for other types. */
function numbersArray(type: Described["type"], value: NumericValue, rows: number): StoredArray | null {
  const dimensions: number[] = [];
  let inner: unknown = type;
  while (isJsonObject(inner) && inner.id === "FixedSizeList") {
    if (typeof inner.size !== "number" || !isCount(inner.size)) return null;
    dimensions.push(inner.size);
    inner = isJsonObject(inner.item) ? inner.item.type : null;
  }
  if (!isJsonObject(inner)) return null;
  if (inner.id === "Date32" || inner.id === "Timestamp" || inner.id === "Duration") {
    return withType(shaped(value, rows, dimensions), timeType(inner));
  }
  if (inner.id === "FixedSizeBinary") {
    const width = typeof inner.width === "number" ? inner.width : 0;
    return { ...withType(shaped(value, rows, [width]), { kind: "bytes", width }), shape: [rows] };
  }
  return shaped(value, rows, dimensions);
}

/** Gives an array the shape in its description, because MATLAB does not keep trailing dimensions of 1. */
function shaped(value: NumericValue, rows: number, dimensions: readonly number[]): StoredArray {
  const array = toNumericRows(value, true);
  const shape = [rows, ...dimensions];
  if (countElements(array.shape ?? []) !== countElements(shape) || (array.shape?.[0] ?? 1) !== rows) {
    throw new InvalidDataError(`size ${value.size.join(" x ")}, described as ${shape.join(" x ")}`);
  }
  return { ...array, shape };
}

const UNITS: readonly TimestampUnit[] = ["s", "ms", "us", "ns"];

function timeType({ id, unit, timezone }: Described["type"]): StoredType {
  if (id === "Date32") return { kind: "datetime", unit: "D", step: 1, isDate: true };
  const known = UNITS.find((one) => one === unit);
  if (known === undefined) throw new InvalidDataError(`times in ${JSON.stringify(unit)}`);
  return {
    kind: id === "Timestamp" ? "datetime" : "timedelta",
    unit: known,
    step: 1,
    timezone: typeof timezone === "string" ? timezone : undefined,
  };
}

function withType({ kind, path, id, attributes, shape, chunks, read }: StoredArray, type: StoredType): StoredArray {
  return { kind, path, id, attributes, shape, chunks, type, read };
}

async function textPlan(path: string, { items }: CellValue, rows: number): Promise<ColumnPlan> {
  checkCount(items.length, rows);
  if (items.length === 0) return { kind: "array", array: createMatlabTextArray(path, []) };
  const column = await createElementColumn(path, items);
  if (column?.plan.kind === "array" && column.plan.array.type.kind === "text") return column.plan;
  throw new InvalidDataError("a column of text with elements that are not text");
}

function bytesArray(path: string, { items }: CellValue, rows: number): StoredArray {
  checkCount(items.length, rows);
  return {
    ...{ kind: "array", path, id: path, attributes: new Map(), shape: [rows], chunks: null },
    type: { kind: "bytes", width: null },
    read: async (start, end) => {
      const offsets = new Int32Array(end - start + 1);
      const parts: Uint8Array[] = [];
      for (const [i, item] of items.slice(start, end).entries()) {
        if (item.kind !== "numeric") throw new InvalidDataError("bytes that are no numbers", { element: path });
        const part = viewAsBytes((await readFixedValues(toColumnMajorArray(item), MAX_BYTES)).values);
        parts.push(part);
        offsets[i + 1] = offsets[i] + part.length;
      }
      const bytes = new Uint8Array(offsets[end - start]);
      for (const [i, part] of parts.entries()) bytes.set(part, offsets[i]);
      return { kind: "variable", offsets, bytes };
    },
  };
}

function listsPlan(path: string, { items }: CellValue, rows: number): ColumnPlan {
  checkCount(items.length, rows);
  const numbers = items.filter((item): item is NumericValue => item.kind === "numeric");
  if (numbers.length < items.length) throw new InvalidDataError("lists of something else than numbers");
  const type: StoredType = numbers[0]?.type ?? { kind: "float", bits: 64 };
  const offsets = new BigInt64Array(items.length + 1);
  for (const [i, { size }] of numbers.entries()) offsets[i + 1] = offsets[i] + BigInt(countElements(size));
  const index: IntType = { kind: "int", bits: 64, signed: true };
  const ends = createMemoryArray(`${path}/offsets`, index, [offsets.length], { kind: "fixed", values: offsets });
  return listPlan(items.length, ends, concatArray(path, type, numbers.map(toColumnMajorArray)));
}

async function categoricalPlan(
  path: string,
  type: Described["type"],
  value: StructValue,
  rows: number,
): Promise<ColumnPlan> {
  const codes = memberOf(value, "codes");
  const named = memberOf(value, "categories");
  if (codes.kind !== "numeric" || codes.type.kind !== "int") throw new InvalidDataError("codes that are no integers");
  const count = named.kind === "cell" ? named.items.length : countElements(named.size);
  const own: Described = {
    ...{ name: "categories", field: "categories", nullable: false, metadata: null, ragged: null },
    type: isJsonObject(type.value) ? type.value : {},
  };
  const categories = await planOf(`${path}/categories`, own, named, count);
  const array = zeroBased(shaped(codes, rows, []), indexOf(type));
  return { kind: "categorical", codes: { kind: "array", array }, categories, ordered: type.ordered === true };
}

const BITS = [8, 16, 32] as const;

function indexOf({ index }: Described["type"]): ArrowIndex {
  const bits = isJsonObject(index) ? BITS.find((one) => one === index.bits) : undefined;
  if (bits === undefined) throw new InvalidDataError(`a dictionary with the index ${JSON.stringify(index)}`);
  // Missing values have the code -1, so an unsigned index must be read as a wider signed type.
  const signed = !isJsonObject(index) || index.signed !== false;
  return signed || bits === 32
    ? { id: "Int", bits, signed: true }
    : { id: "Int", bits: bits === 8 ? 16 : 32, signed: true };
}

/** Converts codes that count from 1 to codes that count from 0. */
function zeroBased(array: StoredArray, { bits }: ArrowIndex): StoredArray {
  const type: IntType = { kind: "int", bits, signed: true };
  return {
    ...withType(array, type),
    read: async (start, end, options) => {
      const read = await array.read(start, end, options);
      if (read.kind !== "fixed") throw new TypeError("codes are integers");
      const out = viewAsNumbers(type, new Uint8Array((read.values.length * bits) / 8));
      for (let i = 0; i < out.length; i++) {
        const code = Number(read.values[i]) - 1;
        if (code < -1 || code >= 2 ** (bits - 1))
          throw new InvalidDataError(`code ${code + 1}`, { element: array.path });
        out[i] = code;
      }
      return { kind: "fixed", values: out };
    },
  };
}

function masked(plan: ColumnPlan, mask: Value | null, rows: number, path: string): ColumnPlan {
  if (mask === null) return plan;
  if (mask.kind !== "numeric") throw new InvalidDataError("a mask that is not logical", { element: path });
  const array = shaped(mask, rows, []);
  if (plan.kind === "array") return { kind: "nullable", values: plan.array, mask: array };
  throw new InvalidDataError("a mask of a column that has none", { element: path });
}

function checkCount(found: number, rows: number): void {
  if (found !== rows) throw new InvalidDataError(`${found} elements in a table of ${rows} rows`);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function isText(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === "string";
}

function isMetadata(value: unknown): value is TableMetadata {
  return isJsonObject(value) && typeof value.kind === "string";
}

// Reads columns of lists, structs and unions that annarrow wrote: a form in JSON, and the form's buffers as the fields
// of a struct.

/**
 * Makes the plan for a ragged column.
 * @param described the form, and the fields of the buffers, from the table's JSON.
 * @throws {InvalidDataError} if a buffer is missing or has too few rows.
 */
function createRaggedPlan(path: string, described: object, value: StructValue, rows: number): ColumnPlan {
  const form = parseForm(JSON.stringify("form" in described ? described.form : null));
  const types = numpyTypes(form);
  const names = "buffers" in described && isJsonObject(described.buffers) ? Object.entries(described.buffers) : [];
  const buffers = new Map<string, StoredArray>();
  for (const [name, field] of names) {
    const part = typeof field === "string" ? value.columns[value.fields.indexOf(field)]?.[0] : undefined;
    if (part?.kind === "failed") throw part.error;
    if (part?.kind !== "numeric")
      throw new InvalidDataError(`buffer ${name} is no vector of numbers`, { element: path });
    buffers.set(name, bufferOf(toNumericRows(part, false), types.get(name), `${path}/${name}`));
  }
  const available = countContentRows(form, {
    length: (name) => {
      const buffer = buffers.get(name);
      if (buffer === undefined) throw new InvalidDataError(`buffer ${name} is missing`, { element: path });
      return buffer.shape?.[0] ?? 0;
    },
  });
  if (rows > available) {
    throw new InvalidDataError(`the buffers hold ${available} rows, the table has ${rows}`, { element: path });
  }
  return { kind: "ragged", form, length: rows, buffers };
}

type NumpyForm = Extract<RaggedForm, { class: "NumpyArray" }>;

/** Returns the arrays of values in a form, keyed by the names of their buffers. */
function numpyTypes(form: RaggedForm): ReadonlyMap<string, NumpyForm> {
  const all = new Map<string, NumpyForm>();
  for (const open: RaggedForm[] = [form]; open.length > 0; ) {
    const node = open.pop();
    if (node === undefined) break;
    if (node.class === "NumpyArray") all.set(`${node.key}-data`, node);
    else if ("contents" in node) for (const content of node.contents) open.push(content);
    else if ("content" in node) open.push(node.content);
  }
  return all;
}

/** Gives a buffer the type and the dimensions that the form declares. */
function bufferOf(array: StoredArray, numpy: NumpyForm | undefined, element: string): StoredArray {
  if (numpy === undefined) return array;
  const { type, innerShape } = numpy;
  if (!holds(array.type, type)) {
    throw new InvalidDataError(`values of type ${array.type.kind}, described as ${type.kind}`, { element });
  }
  const per = countElements(innerShape);
  const count = array.shape?.[0] ?? 0;
  if (per === 0 ? count > 0 : count % per !== 0) {
    throw new InvalidDataError(`${count} values in rows of ${per}`, { element });
  }
  const { kind, path, id, attributes } = array;
  return {
    ...{ kind, path, id, attributes, type, chunks: null },
    shape: [per === 0 ? 0 : count / per, ...innerShape],
    read: (start, end, options) => array.read(start * per, end * per, options),
  };
}

/** Whether a stored type can hold a type from the form. Times are stored as ticks, half floats as bits. */
function holds(stored: StoredType, wanted: StoredType): boolean {
  switch (wanted.kind) {
    case "datetime":
    case "timedelta":
      return stored.kind === "int" && stored.bits === 64 && stored.signed;
    case "float":
      if (wanted.bits === 16) return stored.kind === "int" && stored.bits === 16 && !stored.signed;
      return stored.kind === "float" && stored.bits === wanted.bits;
    case "int":
      return stored.kind === "int" && stored.bits === wanted.bits && stored.signed === wanted.signed;
    case "complex":
      return stored.kind === "complex" && stored.bits === wanted.bits;
    case "bool":
      return stored.kind === "bool";
    default:
      return false;
  }
}
