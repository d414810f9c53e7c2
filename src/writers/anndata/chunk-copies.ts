/** Writes matrices and arrays by copying their stored chunks unchanged. */

import { toWrittenForm } from "../../arrow/written-type.js";
import { JoinedPointers } from "../../containers/joined/joined-pointers.js";
import { PickedArray } from "../../containers/picked/picked-array.js";
import type { StoredArray } from "../../containers/tree/container.js";
import type { CopyChunks, GroupWriter, WrittenAttributes } from "../../containers/tree/container-writer.js";
import { areOneNumber, areOneType, isNumber } from "../../containers/tree/stored-chunks.js";
import type { SparsePlan } from "../../jobs/plan/plan.js";
import { convertIndices } from "../../kernels/sparse/convert-indices.js";
import { checkIntegers } from "../../kernels/sparse/indptr.js";
import { runWithLocation } from "../../model/errors.js";
import type { IntType } from "../../model/stored.js";
import { type ColumnTable, findCopyableRows } from "../../tables/column-table.js";
import { readTableBatches } from "../../tables/rows.js";
import type { MatrixLayout } from "../../tables/sparse/list-counts.js";
import { createEncodingAttributes } from "../attributes.js";
import { ArraySink, type ElementDestination, getElementEncoding, getElementPath } from "./array.js";

export interface SparseTypes {
  readonly indices: IntType;
  readonly indptr: IntType;
}

/** A matrix whose stored entries already have the form in which they are written. */
export interface StoredMatrix extends SparsePlan {
  /** The type in which the pointers are written. */
  readonly pointers: IntType;
}

/**
 * Returns the stored matrix behind a table if its entries already have the form in which they are written; otherwise
 * null.
 * @throws {InvalidDataError} if the pointers cannot be read.
 */
export async function readWritableMatrix(
  table: ColumnTable,
  form: MatrixLayout,
  types: (entries: number) => SparseTypes,
): Promise<StoredMatrix | null> {
  const rows = findCopyableRows(table);
  if (rows?.kind !== "coordinate" && (rows?.kind !== "entries" || rows.minor !== undefined)) return null;
  const { matrix } = rows;
  const { data, indices, indptr, nnz, shape, order } = matrix;
  if (order !== form.order || shape[0] !== form.shape[0] || shape[1] !== form.shape[1]) return null;
  if (form.grows?.includes(true)) return null;
  const pointers = shape[order === "row" ? 0 : 1] + 1;
  if (!hasShape(data, [nnz]) || !hasShape(indices, [nnz]) || !hasShape(indptr, [pointers])) return null;
  const written = types(nnz);
  if (!isNumber(data.type) || !areOneNumber(written.indices, indices.type)) return null;
  const isWhole =
    indptr instanceof JoinedPointers
      ? await indptr.isWhole()
      : (await pointerAt(indptr, 0)) === 0 && (await pointerAt(indptr, pointers - 1)) === nnz;
  return isWhole ? { ...matrix, pointers: written.indptr } : null;
}

async function pointerAt(indptr: StoredArray, row: number): Promise<number | null> {
  const found = await indptr.read(row, row + 1);
  return found.kind === "fixed" ? Number(found.values[0]) : null;
}

/** Returns the stored array behind a one-column table if its chunks may be copied; null for other tables. */
export function findCopyableArray(table: ColumnTable): StoredArray | null {
  const rows = findCopyableRows(table);
  if (rows?.kind !== "columns" || rows.columns.length !== 1 || table.rows === null) return null;
  const [column] = rows.columns;
  if (column.kind !== "array") return null;
  const { type, shape } = toWrittenForm({ ...table.fields[0], metadata: table.metadata ?? {} });
  const { array } = column;
  // Text in HDF5 has no chunks that can be copied.
  if (type.kind === "text" && array.capabilities?.storedChunks === undefined) return null;
  return areOneType(type, array.type) && hasShape(array, [table.rows, ...shape]) ? array : null;
}

export function hasShape(array: StoredArray, shape: readonly number[]): boolean {
  return array.shape?.length === shape.length && shape.every((size, d) => array.shape?.[d] === size);
}

/** Whether the values of all arrays are stored uncompressed. */
export function areUncompressed(arrays: readonly StoredArray[]): boolean {
  // An array without chunks has no codecs and is not packed.
  return arrays
    .map((array) => (array instanceof PickedArray ? array.from : array))
    .every(({ chunks, capabilities }) => chunks === null || capabilities?.storedChunks?.behindValues?.length === 0);
}

/**
 * Writes the arrays of a sparse matrix into its group if the container can store the chunks of the entries.
 * @returns whether the arrays were written.
 */
export async function keepEntries(
  place: ElementDestination,
  group: GroupWriter,
  { data, indices, indptr, nnz, pointers }: StoredMatrix,
  check: () => Promise<void>,
): Promise<boolean> {
  const { cx } = place;
  const options = { extendable: true };
  const [copyData, copyIndices] = [
    await createChunkCopy(place, group, "data", data, options),
    await createChunkCopy(place, group, "indices", indices, options),
  ];
  if (copyData === null || copyIndices === null) return false;
  await check();
  const element = getElementPath(place);
  const half = (first: 0 | 1) => (done: number, total: number) =>
    cx.progress(place.name, Math.floor(((first + done / Math.max(1, total)) * nnz) / 2), nnz);
  await runWithLocation({ element }, () => copyData(half(0)));
  await runWithLocation({ element }, () => copyIndices(half(1)));
  const isWritten = areOneNumber(pointers, indptr.type);
  const copyPointers = isWritten ? await createChunkCopy(place, group, "indptr", indptr, options) : null;
  if (copyPointers === null) await copyPointerValues({ ...place, parent: group, name: "indptr" }, indptr, pointers);
  else await copyPointers(() => undefined);
  return true;
}

/** Copies an array's chunks. @returns false if the container cannot store the chunks and nothing was written. */
export async function keepArray(place: ElementDestination, table: ColumnTable, array: StoredArray): Promise<boolean> {
  const { cx } = place;
  const rows = array.shape?.[0] ?? 0;
  const copy = await createChunkCopy(place, place.parent, place.name, array, {
    attributes: createEncodingAttributes(getElementEncoding(array.type)),
  });
  if (copy === null) return false;
  if (cx.keep?.check) for await (const _ of readTableBatches(table, cx, true));
  await copy((done, total) => cx.progress(table.name, Math.floor((done / Math.max(1, total)) * rows), rows));
  return true;
}

export interface CopyOptions {
  readonly attributes?: WrittenAttributes;
  readonly extendable?: boolean;
}

/** Returns a function that copies an array's chunks; null if the container cannot store the chunks. */
export async function createChunkCopy(
  { cx }: Pick<ElementDestination, "cx">,
  parent: GroupWriter,
  name: string,
  { type, shape, capabilities }: StoredArray,
  options: CopyOptions,
): Promise<CopyChunks | null> {
  const chunks = capabilities?.storedChunks;
  if (chunks === undefined || shape === null || parent.keep === undefined) return null;
  return parent.keep(name, { ...{ type, shape, chunks }, ...options, signal: cx.signal });
}

/** Bytes of values read at once. */
const PIECE_BYTES = 2 ** 22;

/** Writes pointers by encoding them again. */
async function copyPointerValues(place: ElementDestination, array: StoredArray, type: IntType): Promise<void> {
  const [rows = 0] = array.shape ?? [];
  const sink = await ArraySink.open({ ...place, rows }, { type, shape: [] }, { extendable: true });
  const step = PIECE_BYTES / 8;
  for (let start = 0; start < rows; start += step) {
    place.cx.signal?.throwIfAborted();
    const end = Math.min(rows, start + step);
    const values = convertIndices(checkIntegers(await array.read(start, end)), type);
    await sink.writeValues({ kind: "fixed", values }, end - start);
  }
  await sink.close();
}

/** Warns if no stored chunk of a table can be copied. The reason is in the table. */
export function warnAnew(place: ElementDestination, { notKept }: ColumnTable): void {
  if (place.cx.keep === null || notKept === undefined) return;
  place.cx.warn(`${getElementPath(place)}: no stored chunk can be kept, since ${notKept}; all are encoded anew`);
}

/** Warns about chunks that the container cannot store, with the reason. A part need not consist of whole chunks. */
export async function warnNotCopied(place: ElementDestination, arrays: readonly StoredArray[]): Promise<void> {
  if (!arrays.every(({ type }) => isNumber(type))) return;
  if (areUncompressed(arrays) || arrays.some((array) => array instanceof PickedArray)) return;
  const found = await Promise.all(arrays.map(({ capabilities }) => capabilities?.storedChunks?.find()));
  if (place.cx.container !== "hdf5" && found.some((chunks) => chunks?.skipsCodecs)) {
    place.cx.warn(
      `${getElementPath(place)}: the chunks cannot be kept in ${place.cx.container}, since some skip their filters; they are encoded anew`,
    );
    return;
  }
  const codecs = arrays.flatMap(({ capabilities }) =>
    (capabilities?.storedChunks?.codecs ?? []).map(({ zarr, hdf5 }) => zarr?.name ?? `filter ${hdf5?.id}`),
  );
  const own = [...new Set(codecs)].filter((name) => name !== "bytes");
  const why = own.length > 0 ? `their encoding is ${own.join(", ")}` : "their byte order, fill value or type differs";
  place.cx.warn(
    `${getElementPath(place)}: the chunks cannot be kept in ${place.cx.container}, since ${why}; they are encoded anew`,
  );
}
