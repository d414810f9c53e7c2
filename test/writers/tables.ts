/** Tables as a caller has them, written by hand. */

import type { Column, ColumnBatch, PrimitiveColumn } from "../../src/arrow/column.js";
import { createTextColumn } from "../../src/arrow/text.js";
import { type ArrowField, type ArrowType, createField, INT32, UTF8 } from "../../src/arrow/type.js";
import { computeValidity, packBits } from "../../src/kernels/values/bitmap.js";
import type { Format, TableMetadata } from "../../src/model/dataset.js";
import { getIntType, type IntArray, type NumberArray } from "../../src/model/stored.js";
import type { ColumnTable } from "../../src/tables/column-table.js";

export interface TableOptions {
  readonly metadata?: TableMetadata;
  readonly pandas?: object;
  /** false: the number of rows is not known beforehand. */
  readonly counted?: boolean;
  readonly derived?: boolean;
  /** true: the rows can be read once. */
  readonly stream?: boolean;
}

/** A table of the columns in each batch; the first batch says the types. */
export function table(
  name: string,
  batches: readonly Readonly<Record<string, Column>>[],
  { metadata, pandas, counted = true, derived = false, stream = false }: TableOptions = {},
): ColumnTable {
  const rows = batches.map((batch) => Object.values(batch)[0]?.length ?? 0);
  const fields = Object.entries(batches[0]).map(([key, column]) => createField(key, column.type));
  return tableOf(
    name,
    fields,
    batches.map((batch, i) => ({ length: rows[i], columns: Object.values(batch) })),
    {
      ...(metadata ? { metadata } : {}),
      ...(pandas ? { pandas } : {}),
      stream,
      rows: counted ? rows.reduce((a, b) => a + b, 0) : null,
      derived,
    },
  );
}

/** The table as one that was opened under its name. */
export function asOpened(table: ColumnTable, format: Format): ColumnTable {
  return { ...table, origin: { dataset: { source: "own", format, tables: new Map() }, name: table.name } };
}

export function tableOf(
  name: string,
  fields: readonly ArrowField[],
  batches: readonly ColumnBatch[],
  options: Omit<TableOptions, "counted"> & { readonly rows: number | null },
): ColumnTable {
  let read = false;
  return {
    name,
    fields,
    metadata: options.metadata ?? null,
    schemaMetadata: new Map(options.pandas ? [["pandas", JSON.stringify(options.pandas)]] : []),
    rows: options.rows,
    derived: options.derived ?? false,
    repeatable: options.stream !== true,
    layouts: [],
    layout: () => Promise.reject(new Error("one layout")),
    async *batches() {
      if (options.stream && read) throw new Error("a stream is read once");
      read = true;
      yield* batches;
    },
  };
}

export function text(...values: (string | null)[]): Column {
  return createTextColumn(values);
}

/** Integers of the array's width; null under `missing`. */
export function ints(values: IntArray, ...missing: number[]): PrimitiveColumn {
  const { bits, signed } = getIntType(values);
  return { ...plain({ id: "Int", bits, signed }, values), validity: without(values.length, missing) };
}

export function floats(values: Float32Array | Float64Array, ...missing: number[]): PrimitiveColumn {
  const bits = values instanceof Float32Array ? 32 : 64;
  return { ...plain({ id: "Float", bits }, values), validity: without(values.length, missing) };
}

export function bools(...values: (boolean | null)[]): PrimitiveColumn {
  const bits = packBits(Uint8Array.from(values, (value) => (value ? 1 : 0)));
  const validity = computeValidity(values.length, (i) => values[i] !== null);
  return { layout: "primitive", type: { id: "Bool" }, length: values.length, validity, values: bits };
}

export function times(values: BigInt64Array, ...missing: number[]): PrimitiveColumn {
  return { ...plain({ id: "Timestamp", unit: "s" }, values), validity: without(values.length, missing) };
}

/** Codes of the categories; null is missing. */
export function dictionary(codes: readonly (number | null)[], categories: Column, ordered = false): Column {
  return {
    layout: "dictionary",
    type: { id: "Dictionary", index: INT32, value: categories.type, ordered },
    length: codes.length,
    validity: computeValidity(codes.length, (i) => codes[i] !== null),
    indices: Int32Array.from(codes, (code) => code ?? 0),
    dictionary: categories,
  };
}

export function lists(size: number, child: Column): Column {
  const type: ArrowType = { id: "FixedSizeList", size, item: createField("item", child.type, false) };
  return { layout: "fixed-size-list", type, length: child.length / size, validity: null, child };
}

export function ragged(offsets: readonly number[], child: Column): Column {
  const type: ArrowType = { id: "List", item: createField("item", child.type, false) };
  const { length } = offsets;
  return { layout: "list", type, length: length - 1, validity: null, offsets: Int32Array.from(offsets), child };
}

/** `names(2, "c")`: c0, c1. */
export function names(count: number, prefix: string): Column {
  return text(...Array.from({ length: count }, (_, i) => `${prefix}${i}`));
}

function plain(type: PrimitiveColumn["type"], values: NumberArray): PrimitiveColumn {
  return { layout: "primitive", type, length: values.length, validity: null, values };
}

function without(length: number, missing: readonly number[]) {
  return missing.length === 0 ? null : computeValidity(length, (i) => !missing.includes(i));
}

export const TEXT_FIELD: ArrowField = createField("value", UTF8);
