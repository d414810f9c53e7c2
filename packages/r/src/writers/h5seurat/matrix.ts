/** Writes matrices: sparse ones by R's columns, and dense ones with their dimensions in R's order. */

import { InvalidInputError } from "annarrow";
import type { Column } from "annarrow/core/arrow";
import {
  type ArrowType,
  createMissingMask,
  describeArrowType,
  toStoredValues,
  toWrittenForm,
} from "annarrow/core/arrow";
import type { GroupWriter, WrittenAttribute } from "annarrow/core/containers";
import { NA_INTEGER, transposeRows } from "annarrow/core/kernels";
import {
  allocate,
  getDecodedSize,
  type NumberArray,
  runWithLocation,
  type StoredType,
  UnsupportedElementError,
} from "annarrow/core/model";
import type { ColumnTable } from "annarrow/core/tables";
import { findCoordinateColumns, readTableBatches } from "annarrow/core/tables";
import type { WriterContext } from "annarrow/core/writers";
import { openEntries, writeSparseArrays } from "annarrow/core/writers";
import { createIntegersAttribute } from "./context.js";

/** Maximum number of entries, since R's position vectors have 32 bits. */
const MAX_ENTRIES = 2 ** 31 - 1;

export interface MatrixDestination {
  readonly cx: WriterContext;
  readonly parent: GroupWriter;
  readonly name: string;
}

export function isSparseTable({ fields, metadata }: ColumnTable): boolean {
  const isLists = fields.length === 1 && fields[0].name === "entries" && fields[0].type.id === "List";
  return (
    isLists ||
    (findCoordinateColumns(fields) !== null && metadata?.layout !== "coordinate") ||
    isScattered(fields, metadata)
  );
}

function isScattered(fields: ColumnTable["fields"], metadata: ColumnTable["metadata"]): boolean {
  return findCoordinateColumns(fields) !== null && metadata?.kind !== undefined && metadata.kind !== "array";
}

/**
 * Writes a sparse matrix.
 * @param form "transposed" for a matrix with cells as rows, which R stores with features as rows. Its row-wise arrays
 * are R's column-wise arrays.
 * @returns the number of entries.
 */
export async function writeSparseMatrix(
  { cx, parent, name }: MatrixDestination,
  table: ColumnTable,
  shape: readonly [number, number],
  form: "same" | "transposed",
  attributes: ReadonlyMap<string, WrittenAttribute> = new Map(),
): Promise<number> {
  const value = table.fields.length === 3 ? table.fields.find((field) => field.name === "value") : undefined;
  if (value?.type.id === "Bool") throw refused(table, "booleans; matrices of Seurat hold numbers");
  checkEntries(table, table.fields.length === 3 ? table.rows : null);
  const order = form === "transposed" ? "row" : "column";
  const dims = form === "transposed" ? ([shape[1], shape[0]] as const) : shape;
  const axes = form === "transposed" ? (["obs", "var"] as const) : (["obs", "obs"] as const);
  const opened = await openEntries(table, { shape, order, axes, indices: "int32", indptr: "int32" }, cx);
  const element = parent.path === "" ? name : `${parent.path}/${name}`;
  const own = new Map([["dims", createIntegersAttribute(dims)], ...attributes]);
  const group = await runWithLocation({ element }, () => parent.group(name, own));
  const { entries } = await writeSparseArrays({ cx, group, element }, table, opened);
  checkEntries(table, entries);
  return entries;
}

function checkEntries(table: ColumnTable, entries: number | null): void {
  if (entries === null || entries <= MAX_ENTRIES) return;
  throw refused(table, `${entries} entries; a sparse matrix of R has at most ${MAX_ENTRIES}`);
}

function refused({ name }: ColumnTable, problem: string): UnsupportedElementError {
  return new UnsupportedElementError(problem, { element: name, table: name });
}

/** Returns the number of columns of a dense matrix. @throws {UnsupportedElementError} for other tables. */
export function getDenseWidth(table: ColumnTable): number {
  const { fields, metadata } = table;
  if (metadata?.layout === "columns") return fields.length;
  const type = fields[0]?.type;
  if (fields.length === 1 && type?.id === "FixedSizeList" && numberType(type.item.type) !== null) return type.size;
  throw refused(
    table,
    `${fields.length === 1 && type !== undefined ? describeArrowType(type) : "a frame"}, no matrix of numbers`,
  );
}

/** Returns the stored type of a matrix's values; null if they are not numbers. */
function numberType(type: ArrowType): StoredType | null {
  if (type.id !== "Int" && type.id !== "Float" && type.id !== "Bool") return null;
  const stored = toWrittenForm({ name: "", type, nullable: false }).type;
  if (stored.kind === "float" && stored.bits === 16) return null;
  return stored.kind === "bool" ? { kind: "int", bits: 32, signed: true } : stored;
}

/** Writes the rows of a cells-by-features matrix, which are R's columns. @returns the number of rows. */
export async function writeDenseRows(
  { cx, parent, name }: MatrixDestination,
  table: ColumnTable,
  rows: number,
): Promise<number> {
  const { type, width, batches } = denseRows(table, cx);
  const array = await parent.array(name, { type, shape: [rows, width] });
  let done = 0;
  for await (const { values, length } of batches) {
    done += length;
    if (done > rows) break;
    if (length > 0) await array.write({ kind: "fixed", values }, length);
  }
  checkRows(table, done, rows);
  await array.close();
  return done;
}

/** Bytes of a matrix that is held in memory to swap its dimensions, and bytes per chunk of a larger matrix. */
const BAND_BYTES = 2 ** 25;
const CHUNK_BYTES = 2 ** 18;

/**
 * Writes a matrix whose rows are also the rows in R. The file stores the dimensions in reverse order.
 * @returns the number of rows.
 */
export async function writeDenseColumns(
  { cx, parent, name }: MatrixDestination,
  table: ColumnTable,
  rows: number,
): Promise<number> {
  const { type, width, batches } = denseRows(table, cx);
  const bytes = getDecodedSize(type) ?? 8;
  const most = Math.max(1, Math.min(rows, Math.floor(BAND_BYTES / Math.max(1, width * bytes)), CHUNK_BYTES / bytes));
  const lines = Math.max(1, Math.min(width, Math.floor(CHUNK_BYTES / (most * bytes))));
  const isWhole = most >= rows;
  const array = await parent.array(name, {
    type,
    shape: [width, rows],
    ...(isWhole ? {} : { chunks: [lines, most], along: 1 }),
  });
  let band = allocate(type, Math.min(most, rows) * width);
  let [filled, done] = [0, 0];
  const flush = async () => {
    if (filled === 0 || width === 0) return;
    await array.write({ kind: "fixed", values: band }, isWhole ? width : filled);
    done += filled;
    filled = 0;
    band = allocate(type, Math.min(most, rows - done) * width);
  };
  let seen = 0;
  for await (const { values, length } of batches) {
    seen += length;
    checkRows(table, Math.min(seen, rows + 1) > rows ? seen : rows, rows);
    for (let row = 0; row < length; ) {
      const lineLength = Math.min(most, rows - done);
      const taken = Math.min(length - row, lineLength - filled);
      transposeRows(values, row, taken, band, filled, { rowLength: width, lineLength, lines: null, per: 1 });
      filled += taken;
      row += taken;
      if (filled === lineLength) await flush();
    }
  }
  checkRows(table, seen, rows);
  await array.close();
  return rows;
}

function checkRows({ name }: ColumnTable, found: number, expected: number): void {
  if (found === expected) return;
  throw new InvalidInputError(`${found} rows, ${expected} are expected`, { element: name });
}

function denseRows(table: ColumnTable, cx: WriterContext) {
  const width = getDenseWidth(table);
  const isColumns = table.metadata?.layout === "columns";
  const [first] = table.fields;
  const item = isColumns ? first.type : first.type.id === "FixedSizeList" ? first.type.item.type : first.type;
  const type = numberType(item);
  if (type === null || table.fields.some((field) => describeArrowType(field.type) !== describeArrowType(first.type))) {
    throw refused(table, `${describeArrowType(item)}; a dense matrix holds numbers of one type`);
  }
  const stored = type;
  async function* batches(): AsyncGenerator<{ readonly values: NumberArray; readonly length: number }> {
    for await (const { columns, length } of readTableBatches(table, cx, true)) {
      yield {
        values: isColumns ? interleaved(table, stored, columns, length) : flat(table, stored, columns[0]),
        length,
      };
    }
  }
  return { type: stored, width, batches: batches() };
}

function flat(table: ColumnTable, type: StoredType, column: Column): NumberArray {
  if (column.layout !== "fixed-size-list") throw new TypeError("lists of fixed size expected");
  const { size } = column.type;
  const { child } = column;
  if (createMissingMask(column).includes(1)) throw refused(table, "missing rows in a matrix");
  const from = child.length === column.length * size ? 0 : -1;
  if (from < 0) throw new TypeError("as many values as the lists hold are expected");
  return numbers(table, type, child);
}

function interleaved(table: ColumnTable, type: StoredType, columns: readonly Column[], length: number): NumberArray {
  const to = allocate(type, length * columns.length);
  for (const [k, column] of columns.entries()) {
    const values = numbers(table, type, column);
    for (let i = 0, at = k; i < length; i++, at += columns.length) to[at] = values[i];
  }
  return to;
}

function numbers(table: ColumnTable, type: StoredType, column: Column): NumberArray {
  const mask = createMissingMask(column);
  if (mask.includes(1) && type.kind !== "float") throw refused(table, "missing values in a matrix of integers");
  const own = toWrittenForm({ name: "", type: column.type, nullable: false }).type;
  const stored = toStoredValues({ type: own, shape: [] }, column, "fill");
  if (stored.kind !== "fixed") throw new TypeError("numbers are of fixed width");
  if (own.kind === "bool") return Int32Array.from(stored.values, Number);
  if (stored.values instanceof Int32Array && stored.values.includes(NA_INTEGER)) {
    throw refused(table, `the number ${NA_INTEGER}, which R takes for NA; write the matrix as float64`);
  }
  return stored.values;
}
