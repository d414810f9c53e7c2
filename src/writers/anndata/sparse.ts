/**
 * Writes `csr_matrix` and `csc_matrix`: sorted coordinates or lists of entries become `data`, `indices` and `indptr`.
 */

import type { ArrowField } from "../../arrow/type.js";
import { toWrittenForm, type WrittenType } from "../../arrow/written-type.js";
import type { GroupWriter, WrittenAttribute } from "../../containers/tree/container-writer.js";
import { convertIndices, getMaxInteger, toIntegerArray } from "../../kernels/sparse/convert-indices.js";
import { loadIndexKernels } from "../../kernels/sparse/indices.js";
import { UnsupportedError } from "../../model/errors.js";
import type { IntType } from "../../model/stored.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { ListCounts, MAX_GROWN, type MatrixLayout } from "../../tables/sparse/list-counts.js";
import { createSparseEntries, type EntryBatch, listOrder } from "../../tables/sparse/sparse-entries.js";
import { createEncodingAttributes, createShapeAttribute } from "../attributes.js";
import { ArraySink, type ElementDestination, getElementPath, openGroup, type SizedDestination } from "./array.js";
import { areUncompressed, keepEntries, readWritableMatrix, warnAnew, warnNotCopied } from "./chunk-copies.js";

/**
 * Writes a sparse matrix.
 * @returns the number of entries, and the shape, which is larger if it may grow and entries are outside of it.
 * @throws {InvalidInputError} for coordinates outside the shape, or not in the order that the table declares.
 */
export async function writeSparse(
  place: ElementDestination,
  table: ColumnTable,
  given: SparseLayout,
): Promise<{ readonly entries: number; readonly shape: readonly [number, number] }> {
  const listed = listOrder(table);
  const isListed = listed === null || listed === given.order;
  // Like scipy, a transposed matrix uses the integer type that its size needs.
  const form = isListed ? given : { ...given, indices: undefined, indptr: undefined };
  const { value, entries, batches } = await createSparseEntries(table, isListed, place.cx);
  const group = await openMatrix(place, form);
  const stored =
    place.cx.keep === null ? null : await readWritableMatrix(table, form, (nnz) => integerTypes(form, nnz));
  if (stored !== null) {
    const check = async () => {
      if (!place.cx.keep?.check) return;
      await loadIndexKernels(stored.nnz);
      const counts = new ListCounts(form, getElementPath(place));
      for await (const batch of batches(form)) count(counts, batch);
    };
    if (await keepEntries(place, group, stored, check)) return { entries: stored.nnz, shape: stored.shape };
    await warnNotCopied(place, [stored.data, stored.indices]);
  } else warnAnew(place, table);
  const isPlain = stored !== null && areUncompressed([stored.data, stored.indices]);
  const compressed = isPlain ? false : place.compressed;
  const out = await CoordinateCompressor.open({ ...place, compressed }, form, value, entries, group);
  for await (const batch of batches(form)) await out.add(batch);
  const written = await out.close();
  const known = table.remembered === true ? table.metadata?.shape : undefined;
  if (known?.length === 2 && written.shape.some((size, dimension) => size !== known[dimension])) {
    const [before, after] = [known, written.shape].map((one) => JSON.stringify(one));
    place.cx.warn(
      `${getElementPath(place)}: its schema remembers the shape ${before}, which other tables or its entries exceed; it is written as ${after}`,
    );
  }
  return written;
}

export interface SparseLayout extends MatrixLayout {
  /** Stored types by their numpy names, if the element was read from a file. */
  readonly indices: unknown;
  readonly indptr: unknown;
}

const INT32: IntType = { kind: "int", bits: 32, signed: true };
const INT64: IntType = { kind: "int", bits: 64, signed: true };

function openMatrix(place: ElementDestination, form: SparseLayout): Promise<GroupWriter> {
  const kind = form.order === "row" ? "csr_matrix" : "csc_matrix";
  const shape: Readonly<Record<string, WrittenAttribute>> = mayGrow(form)
    ? {}
    : { shape: createShapeAttribute(form.shape) };
  return openGroup(place, createEncodingAttributes(kind, shape));
}

/** The types of the arrays of integers. @param entries the number of entries. */
function integerTypes(form: SparseLayout, entries: number): { readonly indices: IntType; readonly indptr: IntType } {
  const dimension = form.order === "row" ? 1 : 0;
  const most = form.grows?.[dimension] === true ? Math.max(form.shape[dimension], MAX_GROWN) : form.shape[dimension];
  return { indices: pickIntegerType(form.indices, most - 1), indptr: pickIntegerType(form.indptr, entries) };
}

/** Counts and checks entries. @throws {InvalidInputError} where they are outside the shape, or out of order. */
function count(counts: ListCounts, entries: EntryBatch): void {
  if (entries.kind === "lists") counts.lists(entries.offsets, entries.minor);
  else counts.coordinates(entries.major, entries.minor);
}

/** The group of a matrix, and its arrays with an item for each entry. */
interface CompressedArrays {
  readonly group: GroupWriter;
  readonly data: ArraySink;
  readonly indices: ArraySink;
  readonly indexType: IntType;
}

export class CoordinateCompressor {
  readonly #place: ElementDestination;
  readonly #form: SparseLayout;
  readonly #arrays: CompressedArrays;
  readonly #counts: ListCounts;

  private constructor(place: ElementDestination, form: SparseLayout, arrays: CompressedArrays) {
    this.#place = place;
    this.#form = form;
    this.#arrays = arrays;
    this.#counts = new ListCounts(form, getElementPath(place));
  }

  /**
   * Opens the element.
   * @param entries number of entries; null if it is unknown.
   * @param begun the group of the element, where it is open already.
   */
  static async open(
    place: ElementDestination,
    form: SparseLayout,
    value: ArrowField,
    entries: number | null,
    begun?: GroupWriter,
  ): Promise<CoordinateCompressor> {
    const values = valueForm(value, getElementPath(place));
    const group = begun ?? (await openMatrix(place, form));
    const { indices: indexType } = integerTypes(form, entries ?? 0);
    await loadIndexKernels(entries ?? Number.POSITIVE_INFINITY);
    const own = { ...place, parent: group, rows: entries };
    const data = await ArraySink.open({ ...own, name: "data" }, values, { extendable: true });
    const indices = await openIntegers({ ...own, name: "indices" }, indexType);
    return new CoordinateCompressor(place, form, { group, data, indices, indexType });
  }

  /** Writes the next entries. @throws {InvalidInputError} where they are outside the shape, or out of order. */
  async add(entries: EntryBatch): Promise<void> {
    count(this.#counts, entries);
    const { data, indices, indexType } = this.#arrays;
    await data.write(entries.values);
    const values = convertIndices(entries.minor, indexType);
    await indices.writeValues({ kind: "fixed", values }, values.length);
  }

  /** Writes the pointers. @returns the number of entries, and the shape, which may have grown. */
  async close(): Promise<{ readonly entries: number; readonly shape: readonly [number, number] }> {
    const { group, data, indices } = this.#arrays;
    await data.close();
    await indices.close();
    const { entries, shape } = this.#counts;
    if (mayGrow(this.#form)) group.attribute("shape", createShapeAttribute(shape));
    const type = pickIntegerType(this.#form.indptr, entries);
    const place = { ...this.#place, parent: group, name: "indptr", rows: this.#counts.pointerCount };
    const sink = await openIntegers(place, type);
    for (const pointers of this.#counts.pointers()) {
      const values = toIntegerArray(pointers, type);
      await sink.writeValues({ kind: "fixed", values }, values.length);
    }
    await sink.close();
    return { entries, shape };
  }
}

/** Whether the shape is unknown before the last entry. */
function mayGrow({ grows }: MatrixLayout): boolean {
  return grows?.includes(true) ?? false;
}

/**
 * The stored form of the values.
 * @throws {UnsupportedError} for values that are no numbers.
 */
function valueForm(field: ArrowField, element: string): WrittenType {
  const form = toWrittenForm(field);
  const { kind } = form.type;
  if (form.shape.length === 0 && (kind === "bool" || kind === "int" || kind === "float" || kind === "complex"))
    return form;
  throw new UnsupportedError(`values of type ${kind} in a sparse matrix, which holds numbers`, { element });
}

function openIntegers(place: SizedDestination, type: IntType): Promise<ArraySink> {
  return ArraySink.open(place, { type, shape: [] }, { extendable: true });
}

/** Returns a type for integers up to `most`: the stored type (numpy `name`) if wide enough, else int32 or int64. */
export function pickIntegerType(name: unknown, most: number): IntType {
  const match = /^(u?)int(8|16|32|64)$/.exec(typeof name === "string" ? name : "");
  const bits = ([8, 16, 32, 64] as const).find((one) => String(one) === match?.[2]);
  const stored: IntType = bits === undefined ? INT32 : { kind: "int", bits, signed: match?.[1] === "" };
  return most <= getMaxInteger(stored) ? stored : most <= getMaxInteger(INT32) ? INT32 : INT64;
}
