/** A table as an object of plain arrays and typed arrays, keyed by column name. */

import type { Vector } from "apache-arrow";
import type { Column } from "../../arrow/column.js";
import { createTextColumn } from "../../arrow/text.js";
import { type ArrowField, type ArrowInt, type ArrowType, createField } from "../../arrow/type.js";
import { computeValidity, packBits } from "../../kernels/values/bitmap.js";
import { InvalidInputError } from "../../model/errors.js";
import type { NumberArray } from "../../model/stored.js";
import type { ColumnTable } from "../column-table.js";
import { createListingMembers } from "../reshaped-tables.js";

/**
 * The values of a column: a typed array, which determines the column's type, an array, or an apache-arrow `Vector`.
 * Strings become Utf8, booleans become Bool, and bigints become Int64. Numbers become Int32 or Int64 if all are
 * integers, and Float64 otherwise. null and undefined are missing values.
 */
export type ColumnValues =
  | NumberArray
  | Uint8ClampedArray
  | readonly (string | null | undefined)[]
  | readonly (number | null | undefined)[]
  | readonly (bigint | null | undefined)[]
  | readonly (boolean | null | undefined)[]
  | Vector;

/** Columns of equal length, keyed by name: `{ index: names, n_counts: Float32Array.of(1, 2) }`. */
export type TableColumns = Readonly<Record<string, ColumnValues>>;

/** True if `input` is a plain object of columns, not a class instance. */
export function isTableColumns(input: object): input is TableColumns {
  const prototype: unknown = Object.getPrototypeOf(input);
  if (prototype !== null && prototype !== Object.prototype) return false;
  const columns = Object.values(input);
  return (
    columns.length > 0 && columns.every((values) => Array.isArray(values) || isTypedArray(values) || isVector(values))
  );
}

/**
 * Creates a table from columns. Typed arrays are not copied.
 * @param vectorColumn returns the column of a `Vector`.
 * @throws {InvalidInputError} if columns differ in length, or if values have mixed or unsupported types.
 */
export async function createColumnsTable(
  input: TableColumns,
  name: string,
  vectorColumn: (vector: Vector, name: string) => Promise<readonly [ArrowField, Column]>,
): Promise<ColumnTable> {
  const fields: ArrowField[] = [];
  const columns: Column[] = [];
  for (const [key, values] of Object.entries(input)) {
    const [one, column] = isVector(values) ? await vectorColumn(values, key) : plainColumn(values, key);
    const [first] = columns;
    if (first !== undefined && column.length !== first.length) {
      throw new InvalidInputError(
        `the column ${JSON.stringify(key)} has ${column.length} values, ${JSON.stringify(fields[0].name)} has ${first.length}`,
      );
    }
    fields.push(one);
    columns.push(column);
  }
  const [{ length }] = columns;
  const table = (places: readonly number[]): ColumnTable => ({
    ...createListingMembers(name, length),
    fields: places.map((place) => fields[place]),
    metadata: null,
    repeatable: true,
    only: (some) => table(some.map((place) => places[place])),
    async *batches({ signal } = {}) {
      signal?.throwIfAborted();
      yield { length, columns: places.map((place) => columns[place]) };
    },
  });
  return table(fields.map((_, i) => i));
}

function isVector(values: unknown): values is Vector {
  return typeof values === "object" && values !== null && "data" in values && "type" in values && "get" in values;
}

type PlainArray = NumberArray | Uint8ClampedArray | readonly unknown[];

function isTypedArray(values: unknown): boolean {
  return ArrayBuffer.isView(values) && !(values instanceof DataView);
}

function plainColumn(values: PlainArray, name: string): readonly [ArrowField, Column] {
  const column = ArrayBuffer.isView(values) ? typedColumn(values, name) : arrayColumn(values, name);
  return [createField(name, column.type, column.validity !== null || column.layout === "null"), column];
}

const TYPES: Readonly<Record<string, ArrowType>> = {
  Int8Array: int(8, true),
  Int16Array: int(16, true),
  Int32Array: int(32, true),
  BigInt64Array: int(64, true),
  Uint8Array: int(8, false),
  Uint8ClampedArray: int(8, false),
  Uint16Array: int(16, false),
  Uint32Array: int(32, false),
  BigUint64Array: int(64, false),
  Float16Array: { id: "Float", bits: 16 },
  Float32Array: { id: "Float", bits: 32 },
  Float64Array: { id: "Float", bits: 64 },
};

function int(bits: ArrowInt["bits"], signed: boolean): ArrowInt {
  return { id: "Int", bits, signed };
}

function typedColumn(given: NumberArray | Uint8ClampedArray, name: string): Column {
  const kind = Object.prototype.toString.call(given).slice("[object ".length, -1);
  const type = TYPES[kind];
  if (type?.id !== "Int" && type?.id !== "Float") {
    throw new InvalidInputError(`the column ${JSON.stringify(name)} is a ${kind}, which is no array of numbers`);
  }
  const { buffer, byteOffset, length } = given;
  const column = { layout: "primitive", type, length, validity: null } as const;
  if (given instanceof Uint8ClampedArray) return { ...column, values: new Uint8Array(buffer, byteOffset, length) };
  return { ...column, values: kind === "Float16Array" ? new Uint16Array(buffer, byteOffset, length) : given };
}

function arrayColumn(values: readonly unknown[], name: string): Column {
  const { length } = values;
  const present = (i: number) => values[i] !== null && values[i] !== undefined;
  const first = values.findIndex((_, i) => present(i));
  if (first < 0) {
    return length === 0 ? createTextColumn([]) : { layout: "null", type: { id: "Null" }, length, validity: null };
  }
  const kind = typeof values[first];
  const other = values.findIndex((value, i) => present(i) && typeof value !== kind);
  const column = `the column ${JSON.stringify(name)}`;
  if (other >= 0) {
    throw new InvalidInputError(`${column} has a ${kind} at ${first} and a ${typeof values[other]} at ${other}`);
  }
  const validity = computeValidity(length, present);
  switch (kind) {
    case "string": {
      const texts = values.map((value) => (typeof value === "string" ? value : null));
      const broken = texts.findIndex((text) => text !== null && /[\ud800-\udfff]/u.test(text));
      if (broken < 0) return createTextColumn(texts);
      throw new InvalidInputError(`${column} has half of a surrogate pair at ${broken}, which UTF-8 cannot hold`);
    }
    case "boolean": {
      const bits = packBits(Uint8Array.from(values, (value) => (value === true ? 1 : 0)));
      return { layout: "primitive", type: { id: "Bool" }, length, validity, values: bits };
    }
    case "number":
      return { layout: "primitive", length, validity, ...numbers(values) };
    case "bigint":
      return { layout: "primitive", length, validity, ...bigints(values, column) };
    default:
      throw new InvalidInputError(
        `${column} has a value of type ${kind} at ${first}; columns have strings, numbers, bigints or booleans, other types an apache-arrow Vector`,
      );
  }
}

function numbers(values: readonly unknown[]) {
  const all = Float64Array.from(values, (value) => (typeof value === "number" ? value : 0));
  // An integer cannot preserve the sign of -0.
  if (!all.every((value) => Number.isSafeInteger(value) && !Object.is(value, -0))) {
    return { type: { id: "Float", bits: 64 } as const, values: all };
  }
  if (all.every((value) => value === (value | 0))) return { type: int(32, true), values: Int32Array.from(all) };
  return { type: int(64, true), values: BigInt64Array.from(all, BigInt) };
}

function bigints(values: readonly unknown[], column: string) {
  const all = values.map((value) => (typeof value === "bigint" ? value : 0n));
  const signed = BigInt64Array.from(all);
  if (all.every((value, i) => value === signed[i])) return { type: int(64, true), values: signed };
  const unsigned = BigUint64Array.from(all);
  if (all.every((value, i) => value === unsigned[i])) return { type: int(64, false), values: unsigned };
  throw new InvalidInputError(`${column} has integers of more than 64 bits, or negative ones beside ones above 2^63`);
}
