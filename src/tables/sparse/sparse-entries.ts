/**
 * Reads a sparse matrix's entries in the order that a writer needs. The table contains either lists, one for each row
 * or column, or coordinates (`row`, `col`, `value`).
 */

import type { Column, ColumnBatch } from "../../arrow/column.js";
import { createMajorColumn } from "../../arrow/sparse.js";
import { sliceColumn } from "../../arrow/take.js";
import { type ArrowField, createField, describeArrowType, getCoordinateType } from "../../arrow/type.js";
import { sortCoordinates } from "../../jobs/external-sort/sort-coordinates.js";
import type { Spill } from "../../jobs/external-sort/spill.js";
import { type TransposeOptions, transposeEntries } from "../../jobs/external-sort/transpose.js";
import { findUnsortedEntry } from "../../kernels/sparse/entry-order.js";
import { createEntryRanges, type EntriesByRange } from "../../kernels/sparse/entry-ranges.js";
import { findOutOfRangeIndex } from "../../kernels/sparse/indices.js";
import { InvalidInputError, UnsupportedElementError } from "../../model/errors.js";
import type { IntArray } from "../../model/stored.js";
import { type ColumnTable, findStoredLists, type StoredLists } from "../column-table.js";
import { type RowsContext, readTableBatches } from "../rows.js";
import { computeGrownSize, createCoordinateError, createOrderError, type MatrixLayout } from "./list-counts.js";

/** Options for reading entries; `spill` is the storage for sorts. */
export interface EntriesContext extends RowsContext {
  readonly spill: Spill | null;
  readonly budgetBytes?: number;
}

export interface SparseEntries {
  readonly value: ArrowField;
  /** Number of entries; null if unknown. */
  readonly entries: number | null;
  /**
   * Yields the entries in batches.
   * @throws {InvalidInputError} for coordinates outside the shape, if the entries have to be sorted.
   */
  batches(form: MatrixLayout): AsyncIterable<EntryBatch>;
}

/**
 * A batch of entries, which may be overwritten once the next one is requested. Positions may be outside the shape, and
 * coordinates that a table declares to be ordered may be out of order: see `SliceCounts`.
 */
export type EntryBatch =
  | {
      /**
       * All entries at the next positions along the compressed axis. Two adjacent offsets delimit each position's
       * entries.
       */
      readonly kind: "lists";
      readonly offsets: Int32Array;
      /** The entries' minor positions, from the first offset to the last. */
      readonly minor: IntArray;
      readonly values: Column;
    }
  | {
      readonly kind: "coordinates";
      readonly major: IntArray;
      readonly minor: IntArray;
      readonly values: Column;
    };

/**
 * Creates the entries of a table that contains coordinates or entry lists.
 * @param listed whether the table's lists are in the required order.
 * @throws {InvalidInputError} for any other table.
 */
export async function createSparseEntries(
  table: ColumnTable,
  listed: boolean,
  cx: EntriesContext,
): Promise<SparseEntries> {
  const entries = table.fields.length === 3 ? table.rows : null;
  const lists = listed && table.layouts.includes("list") ? await table.layout("list") : table;
  const value = listed ? findEntriesValue(lists) : null;
  if (value !== null) return { value, entries, batches: () => entriesOfLists(lists, cx) };
  const given = listed ? table : await convertListsToCoordinates(table);
  const places = findCoordinateColumns(given.fields);
  if (places === null) {
    throw new UnsupportedElementError(`a sparse matrix is a table of ${COORDINATES.join(", ")}`, {
      element: table.name,
    });
  }
  return { value: given.fields[places[2]], entries, batches: (form) => coordinates(given, places, form, cx) };
}

async function* coordinates(
  table: ColumnTable,
  places: Places,
  form: MatrixLayout,
  cx: EntriesContext,
): AsyncGenerator<EntryBatch> {
  const { order, shape } = form;
  const batches = inOrder(readTableBatches(table, cx, true), places);
  const { spill, budgetBytes, signal } = cx;
  const options = { order, budgetBytes, signal };
  const promised = table.metadata?.order === order;
  const lists = promised || spill === null ? null : await transposable(table, form);
  const sorted =
    promised || (lists === null && (await isInOrder(table, places, order, cx)))
      ? batches
      : lists !== null && spill !== null
        ? transposed(table, lists, { ...options, spill }, cx)
        : sortCoordinates(within(ascending(batches, table), form, table.name), { ...options, shape, spill });
  for await (const { columns } of sorted) {
    const [row, col] = [getIntValues(columns[0], "row", table.name), getIntValues(columns[1], "col", table.name)];
    const [major, minor] = order === "row" ? [row, col] : [col, row];
    yield { kind: "coordinates", major, minor, values: columns[2] };
  }
}

/**
 * Returns the stored lists of a matrix that is stored in the other order; null if its entries must be sorted instead.
 */
async function transposable(table: ColumnTable, { order, shape, grows }: MatrixLayout): Promise<StoredLists | null> {
  if (grows?.includes(true) || Math.max(...shape) > 2 ** 31) return null;
  const known = table.metadata?.shape;
  if (known?.length !== 2 || known.some((size, dimension) => size !== shape[dimension])) return null;
  const lists = await findStoredLists(table);
  return lists === null || lists.order === order ? null : lists;
}

async function* transposed(
  { name }: ColumnTable,
  lists: StoredLists,
  options: Pick<TransposeOptions, "order" | "spill" | "budgetBytes" | "signal">,
  { progress }: RowsContext,
): AsyncGenerator<ColumnBatch> {
  const bands = createEntryRanges(lists.size);
  async function* blocks(): AsyncGenerator<EntriesByRange> {
    let done = 0;
    progress(name, done, lists.entries);
    for await (const block of lists.blocks(bands, options)) {
      yield block;
      done += block.keys.length;
      progress(name, done, lists.entries);
    }
  }
  yield* transposeEntries(blocks(), { ...options, bands, like: await lists.like() });
}

type Places = readonly [row: number, col: number, value: number];

/** Checks whether entries without a declared order are sorted, because checking costs less than sorting. */
async function isInOrder(
  table: ColumnTable,
  places: Places,
  order: MatrixLayout["order"],
  cx: EntriesContext,
): Promise<boolean> {
  if (!table.repeatable) return false;
  const [major, minor] = order === "row" ? ([0, 1] as const) : ([1, 0] as const);
  let last: readonly [number | bigint, number | bigint] = [0, 0];
  for await (const { columns, length } of readTableBatches(table, cx, true)) {
    if (length === 0) continue;
    const positions = (axis: 0 | 1) => getIntValues(columns[places[axis]], COORDINATES[axis], table.name);
    const [outer, inner] = [positions(major), positions(minor)];
    if (outer[0] < last[0] || (outer[0] === last[0] && inner[0] < last[1])) return false;
    if (findUnsortedEntry(outer, inner) >= 0) return false;
    last = [outer[length - 1], inner[length - 1]];
  }
  return true;
}

/**
 * Yields the entries of an ordered table unchanged, before they are sorted into another order.
 * @throws {InvalidInputError} if entries restart at the first row (or column), because sorting would mix two matrices.
 */
async function* ascending(
  batches: AsyncIterable<ColumnBatch>,
  { metadata, name }: ColumnTable,
): AsyncGenerator<ColumnBatch> {
  const order = metadata?.order ?? metadata?.sortedBy;
  let [entries, last]: [number, number | bigint] = [0, 0];
  for await (const batch of batches) {
    if ((order === "row" || order === "column") && batch.length > 0) {
      const dimension = order === "row" ? 0 : 1;
      const positions = getIntValues(batch.columns[dimension], COORDINATES[dimension], name);
      const again = firstAgain(positions, last);
      if (again >= 0) throw createOrderError(order, again === 0 ? last : positions[again - 1], entries + again, name);
      last = positions[positions.length - 1];
    }
    entries += batch.length;
    yield batch;
  }
}

/** Returns the index of the first zero that follows a greater position; -1 if there is none. */
function firstAgain(positions: IntArray, before: number | bigint): number {
  if (positions.length > 0 && Number(positions[0]) === 0 && before > 0) return 0;
  for (let i = 1; i < positions.length; i++) {
    if (positions[i] < positions[i - 1] && Number(positions[i]) === 0) return i;
  }
  return -1;
}

/**
 * Yields the batches after checking their coordinates against the shape.
 * @throws {InvalidInputError} for a coordinate outside the shape; the message names the source of the shape.
 */
async function* within(
  batches: AsyncIterable<ColumnBatch>,
  form: MatrixLayout,
  element: string,
): AsyncGenerator<ColumnBatch> {
  let entries = 0;
  for await (const batch of batches) {
    for (const dimension of [0, 1] as const) {
      const positions = getIntValues(batch.columns[dimension], COORDINATES[dimension], element);
      const wrong = findOutOfRangeIndex(positions, form.shape[dimension]);
      if (wrong >= 0)
        throw createCoordinateError(form, { dimension, position: positions[wrong], entry: entries + wrong }, element);
    }
    entries += batch.length;
    yield batch;
  }
}

async function* inOrder(batches: AsyncIterable<ColumnBatch>, places: Places): AsyncGenerator<ColumnBatch> {
  for await (const { length, columns } of batches) yield { length, columns: places.map((i) => columns[i]) };
}

async function* entriesOfLists(table: ColumnTable, cx: EntriesContext): AsyncGenerator<EntryBatch> {
  const { name } = table;
  for await (const batch of readTableBatches(table, cx, true)) {
    const { offsets, index, values } = getEntryLists(batch, name);
    yield { kind: "lists", offsets, minor: getIntValues(index, "index", name), values };
  }
}

/** The entries in some lists, from the first offset to the last. */
export interface EntryLists {
  readonly offsets: Int32Array;
  readonly index: Column;
  readonly values: Column;
}

/** Returns the value field in a table of entry lists; null for other tables. */
export function findEntriesValue({ fields }: Pick<ColumnTable, "fields">): ArrowField | null {
  return entryFields(fields)?.[1] ?? null;
}

function entryFields(fields: readonly ArrowField[]): readonly [index: ArrowField, value: ArrowField] | null {
  if (fields.length !== 1) return null;
  const [{ type }] = fields;
  if (type.id !== "List" || type.item.type.id !== "Struct") return null;
  const [index, value, ...rest] = type.item.type.fields;
  if (index?.name !== "index" || value?.name !== "value" || rest.length > 0) return null;
  return [index, value];
}

/**
 * Returns the lists of a batch and their entries.
 * @throws {InvalidInputError} for null lists or entries.
 */
export function getEntryLists({ columns: [lists], length }: ColumnBatch, element: string): EntryLists {
  if (lists.layout !== "list" || lists.child.layout !== "struct") throw new TypeError("lists of entries expected");
  checkNoMissing(lists, "list", element);
  checkNoMissing(lists.child, "entry", element);
  const offsets = lists.offsets.subarray(0, length + 1);
  const [index, values] = lists.child.children.map((child) => sliceColumn(child, offsets[0], offsets[length]));
  return { offsets, index, values };
}

/** @throws {InvalidInputError} if a list or an entry is null. */
export function checkNoMissing({ validity, length }: Column, what: string, element: string): void {
  if (validity === null || validity.nullCount === 0) return;
  throw new UnsupportedElementError(
    `${validity.nullCount} of ${length} values are missing: a ${what} is always there`,
    {
      element,
    },
  );
}

/** Returns the order of the lists; null if the table does not specify it. */
export function listOrder({ metadata }: Pick<ColumnTable, "metadata">): "row" | "column" | null {
  if (metadata?.order === "row" || metadata?.order === "column") return metadata.order;
  if (metadata?.kind === "csr_matrix") return "row";
  return metadata?.kind === "csc_matrix" ? "column" : null;
}

/**
 * Converts a table of lists to coordinates `row`, `col`, `value`, in the order of the lists.
 * @returns the table itself if it has no lists, or does not specify whether they are rows or columns.
 */
export async function convertListsToCoordinates(table: ColumnTable): Promise<ColumnTable> {
  const entry = entryFields(table.fields);
  if (entry === null) return table;
  if (table.layouts.includes("coordinate")) return await table.layout("coordinate");
  const order = listOrder(table);
  if (order === null) return table;
  const { name, metadata, rows } = table;
  const [index, value] = entry;
  const shape = metadata?.shape;
  // If the number of lists is unknown, positions have 64 bits.
  const lists = (shape?.length === 2 ? shape[order === "row" ? 0 : 1] : rows) ?? 2 ** 32;
  const major = getCoordinateType(lists);
  const positions = order === "row" ? [major, index.type] : [index.type, major];
  return {
    ...{ name, schemaMetadata: table.schemaMetadata, derived: table.derived, repeatable: table.repeatable },
    fields: [createField("row", positions[0], false), createField("col", positions[1], false), value],
    metadata: { ...metadata, kind: metadata?.kind ?? "coordinates", layout: "coordinate" },
    rows: null,
    layouts: [],
    layout: async () => {
      throw new InvalidInputError("the entries of a caller's lists have one layout", { element: name });
    },
    async *batches(options): AsyncGenerator<ColumnBatch> {
      const take = options?.reuse ? reusedBytes() : undefined;
      let first = 0;
      for await (const batch of table.batches(options)) {
        if (first + batch.length > lists) {
          const what = order === "row" ? "rows" : "columns";
          throw new InvalidInputError(`${first + batch.length} ${what} of entries, the matrix has ${lists}`, {
            element: name,
          });
        }
        const { offsets, index, values } = getEntryLists(batch, name);
        const [start, end] = [offsets[0], offsets[offsets.length - 1]];
        const major = createMajorColumn({ pointers: Float64Array.from(offsets), first }, [start, end], lists, take);
        yield { length: end - start, columns: order === "row" ? [major, index, values] : [index, major, values] };
        first += batch.length;
      }
    },
  };
}

/** Returns an allocator that reuses the same memory for every batch. */
function reusedBytes(): (bytes: number) => Uint8Array {
  let memory = new Uint8Array(0);
  return (bytes) => {
    if (memory.length < bytes) memory = new Uint8Array(bytes);
    return memory;
  };
}

const COORDINATES = ["row", "col", "value"] as const;

/** Returns the positions of the three coordinate columns among the fields; null for other tables. */
export function findCoordinateColumns(
  fields: readonly ArrowField[],
): readonly [row: number, col: number, value: number] | null {
  if (fields.length !== 3) return null;
  const [row, col, value] = COORDINATES.map((name) => fields.findIndex((field) => field.name === name));
  const found = row >= 0 && col >= 0 && value >= 0;
  return found && fields[row].type.id === "Int" && fields[col].type.id === "Int" ? [row, col, value] : null;
}

/** Returns the integers in a column of positions. @throws {InvalidInputError} for other types, and for a null. */
export function getIntValues(column: Column, name: string, element: string): IntArray {
  const { type, validity, length } = column;
  if (column.layout !== "primitive" || type.id !== "Int") {
    throw new InvalidInputError(`${name} is ${describeArrowType(type)}, positions are integers`, { element });
  }
  if (validity !== null && validity.nullCount > 0) {
    throw new InvalidInputError(`${validity.nullCount} of ${length} values of ${name} are missing`, { element });
  }
  const { values } = column;
  if (values instanceof Float32Array || values instanceof Float64Array) throw new TypeError("integers are integers");
  return values.length === length ? values : values.subarray(0, length);
}

/**
 * Enlarges `shape` to include all entries. A dimension that would become too large remains unchanged, and the writer
 * then rejects the entry.
 */
export async function computeGrownShape(
  table: ColumnTable,
  shape: [number, number],
  signal?: AbortSignal,
): Promise<[number, number]> {
  const coordinates = await convertListsToCoordinates(table);
  const places = findCoordinateColumns(coordinates.fields);
  if (places === null) return shape;
  const size: [number, number] = [...shape];
  for await (const { columns } of coordinates.batches({ reuse: true, signal })) {
    for (const dimension of [0, 1] as const) {
      const positions = getIntValues(columns[places[dimension]], COORDINATES[dimension], table.name);
      size[dimension] = computeGrownSize(size[dimension], positions);
    }
  }
  return size;
}
