/** Writes a sparse matrix into a group as `data`, `indices` and `indptr`, which AnnData and h5Seurat have in common. */

import type { Column } from "../arrow/column.js";
import type { ArrowField } from "../arrow/type.js";
import { toWrittenForm, type WrittenType } from "../arrow/written-type.js";
import type { GroupWriter } from "../containers/tree/container-writer.js";
import { convertIndices, getMaxInteger, toIntegerArray } from "../kernels/sparse/convert-indices.js";
import { loadIndexKernels } from "../kernels/sparse/indices.js";
import { runWithLocation, UnsupportedError } from "../model/errors.js";
import type { IntType, NumberArray, StoredType, StoredValues } from "../model/stored.js";
import type { ColumnTable } from "../tables/column-table.js";
import { ListCounts, MAX_GROWN, type MatrixLayout } from "../tables/sparse/list-counts.js";
import {
  createSparseEntries,
  type EntryBatch,
  listOrder,
  type SparseEntries,
} from "../tables/sparse/sparse-entries.js";
import { toArrayValues } from "./array-values.js";
import type { ColumnSink } from "./column-sink.js";
import type { WriterContext } from "./context.js";

export interface SparseLayout extends MatrixLayout {
  /** numpy names of the stored types, if the element was read from a file. */
  readonly indices: unknown;
  readonly indptr: unknown;
}

const INT32: IntType = { kind: "int", bits: 32, signed: true };
const INT64: IntType = { kind: "int", bits: 64, signed: true };

/** The entries of a table, and the layout in which they are written. */
export interface OpenedEntries {
  readonly layout: SparseLayout;
  readonly source: SparseEntries;
}

/** Opens the entries of a table in the order of a layout. */
export async function openEntries(table: ColumnTable, given: SparseLayout, cx: WriterContext): Promise<OpenedEntries> {
  const listed = listOrder(table);
  const isListed = listed === null || listed === given.order;
  // As in scipy, the size of a transposed matrix determines its integer type.
  const layout = isListed ? given : { ...given, indices: undefined, indptr: undefined };
  return { layout, source: await createSparseEntries(table, isListed, cx) };
}

export interface SparseDestination {
  readonly cx: WriterContext;
  /** The matrix's group, which has the matrix's attributes. */
  readonly group: GroupWriter;
  /** Name of the matrix in errors. */
  readonly element: string;
  /** Whether the container's compression applies; true by default. */
  readonly compressed?: boolean;
}

export interface WrittenSparse {
  readonly entries: number;
  /** The shape, which is larger than the layout's if it may grow and there are entries outside it. */
  readonly shape: readonly [number, number];
}

/**
 * Writes a matrix's arrays.
 * @throws {InvalidInputError} for entries outside the shape, or not in the order that the table declares.
 * @throws {UnsupportedError} for values that are not numbers.
 */
export async function writeSparseArrays(
  place: SparseDestination,
  table: ColumnTable,
  { layout, source }: OpenedEntries,
): Promise<WrittenSparse> {
  const { cx, element } = place;
  const { value, entries } = source;
  const form = toNumberForm(value, element);
  const { indices: indexType } = pickIntegerTypes(layout, entries ?? 0);
  await loadIndexKernels(entries ?? Number.POSITIVE_INFINITY);
  const data = await openArray(place, "data", form.type, entries, (column: Column, location) =>
    toArrayValues(form, column, location, cx),
  );
  const indices = await openIntegers(place, "indices", indexType, entries);
  const counts = new ListCounts(layout, element);
  for await (const batch of source.batches(layout)) {
    countEntries(counts, batch);
    await data.write(batch.values);
    await indices.write(convertIndices(batch.minor, indexType));
  }
  await data.close();
  await indices.close();
  const type = pickIntegerType(layout.indptr, counts.entries);
  const indptr = await openIntegers(place, "indptr", type, counts.pointerCount);
  for (const pointers of counts.pointers()) await indptr.write(toIntegerArray(pointers, type));
  await indptr.close();
  warnOfShape(place, table, counts.shape);
  return { entries: counts.entries, shape: counts.shape };
}

/** Opens an array that has one value for each entry or list. */
async function openArray<Values extends { readonly length: number }>(
  { group, compressed }: SparseDestination,
  name: string,
  type: StoredType,
  rows: number | null,
  toStored: (values: Values, element: string) => StoredValues,
): Promise<ColumnSink<void, Values>> {
  const element = group.path === "" ? name : `${group.path}/${name}`;
  const array = await runWithLocation({ element }, () =>
    group.array(name, { type, shape: [rows], compressed, extendable: true }),
  );
  return {
    async write(values) {
      await runWithLocation({ element }, async () => {
        const stored = toStored(values, element);
        if (values.length > 0) await array.write(stored, values.length);
      });
    },
    close: () => runWithLocation({ element }, () => array.close()),
  };
}

function openIntegers(
  place: SparseDestination,
  name: string,
  type: IntType,
  rows: number | null,
): Promise<ColumnSink<void, NumberArray>> {
  return openArray(place, name, type, rows, (values: NumberArray) => ({ kind: "fixed", values }));
}

function warnOfShape({ cx, element }: SparseDestination, table: ColumnTable, shape: readonly [number, number]): void {
  const known = table.remembered === true ? table.metadata?.shape : undefined;
  if (known?.length !== 2 || shape.every((size, dimension) => size === known[dimension])) return;
  const [before, after] = [known, shape].map((one) => JSON.stringify(one));
  cx.warn(
    `${element}: its schema remembers the shape ${before}, which other tables or its entries exceed; it is written as ${after}`,
  );
}

/** Returns the types of the integer arrays. @param entries the number of entries. */
export function pickIntegerTypes(
  form: SparseLayout,
  entries: number,
): { readonly indices: IntType; readonly indptr: IntType } {
  const dimension = form.order === "row" ? 1 : 0;
  const most = form.grows?.[dimension] === true ? Math.max(form.shape[dimension], MAX_GROWN) : form.shape[dimension];
  return { indices: pickIntegerType(form.indices, most - 1), indptr: pickIntegerType(form.indptr, entries) };
}

/** Counts and checks entries. @throws {InvalidInputError} if entries are outside the shape or out of order. */
export function countEntries(counts: ListCounts, entries: EntryBatch): void {
  if (entries.kind === "lists") counts.lists(entries.offsets, entries.minor);
  else counts.coordinates(entries.major, entries.minor);
}

/** Whether the shape is unknown until the last entry has been read. */
export function mayGrow({ grows }: MatrixLayout): boolean {
  return grows?.includes(true) ?? false;
}

/**
 * Returns the stored form of the values.
 * @throws {UnsupportedError} for values that are not numbers.
 */
function toNumberForm(field: ArrowField, element: string): WrittenType {
  const form = toWrittenForm(field);
  const { kind } = form.type;
  if (form.shape.length === 0 && (kind === "bool" || kind === "int" || kind === "float" || kind === "complex"))
    return form;
  throw new UnsupportedError(`values of type ${kind} in a sparse matrix, which holds numbers`, { element });
}

/**
 * Returns a type for integers up to `most`: the stored type (numpy `name`) if it is wide enough, otherwise int32 or
 * int64.
 */
export function pickIntegerType(name: unknown, most: number): IntType {
  const match = /^(u?)int(8|16|32|64)$/.exec(typeof name === "string" ? name : "");
  const bits = ([8, 16, 32, 64] as const).find((one) => String(one) === match?.[2]);
  const stored: IntType = bits === undefined ? INT32 : { kind: "int", bits, signed: match?.[1] === "" };
  return most <= getMaxInteger(stored) ? stored : most <= getMaxInteger(INT32) ? INT32 : INT64;
}
