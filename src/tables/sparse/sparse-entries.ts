/** The entries of a sparse matrix in the order that a writer needs: lists of entries as they are, or coordinates. */

import type { Column, ColumnBatch } from "../../arrow/column.js";
import type { ArrowField } from "../../arrow/type.js";
import { sortCoordinates } from "../../external-sort/sort-coordinates.js";
import type { Spill } from "../../external-sort/spill.js";
import { firstOutOfOrder } from "../../kernels/sparse/entry-order.js";
import { firstOutside } from "../../kernels/sparse/indices.js";
import { RefusedError } from "../../model/errors.js";
import type { IntArray } from "../../model/stored.js";
import type { ColumnTable } from "../column-table.js";
import { type RowsContext, rowsOf } from "../rows.js";
import { COORDINATES, coordinatesOf, coordinatesOfLists, entriesValue, entryLists, intValues } from "./entry-tables.js";
import { beginsAgain, type MatrixForm, outside } from "./slice-counts.js";

/** What a sort puts on disk goes to `spill`. */
export interface EntriesContext extends RowsContext {
  readonly spill: Spill | null;
}

export interface SparseEntries {
  /** The field of the values. */
  readonly value: ArrowField;
  /** How many there are, where that is known. */
  readonly entries: number | null;
  /** @throws {InvalidInputError} for coordinates outside the shape where they have to be sorted. */
  batches(form: MatrixForm): AsyncIterable<EntryBatch>;
}

/**
 * Each is done with when the next ones are asked for. Positions may lie outside the shape, and coordinates that a table promises in order out of it: see
 * `SliceCounts`.
 */
export type EntryBatch =
  | {
      /** All entries of the next positions along the compressed axis, each from one offset to the next. */
      readonly kind: "lists";
      readonly offsets: Int32Array;
      /** Those from the first offset to the last. */
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
 * The entries of a table of coordinates or of lists of entries.
 * @param listed whether the table's lists are those of the wanted order.
 * @throws {InvalidInputError} for a table that is neither.
 */
export async function sparseEntries(table: ColumnTable, listed: boolean, cx: EntriesContext): Promise<SparseEntries> {
  const entries = table.fields.length === 3 ? table.rows : null;
  const lists = listed && table.layouts.includes("list") ? await table.layout("list") : table;
  const value = listed ? entriesValue(lists) : null;
  if (value !== null) return { value, entries, batches: () => entriesOfLists(lists, cx) };
  const given = listed ? table : await coordinatesOfLists(table);
  const places = coordinatesOf(given.fields);
  if (places === null) {
    throw new RefusedError(`a sparse matrix is a table of ${COORDINATES.join(", ")}`, { element: table.name });
  }
  return { value: given.fields[places[2]], entries, batches: (form) => coordinates(given, places, form, cx) };
}

async function* coordinates(
  table: ColumnTable,
  places: Places,
  form: MatrixForm,
  cx: EntriesContext,
): AsyncGenerator<EntryBatch> {
  const { order, shape } = form;
  const batches = inOrder(rowsOf(table, cx, true), places);
  const promised = table.metadata?.order === order || (await isInOrder(table, places, order, cx));
  const { spill, signal } = cx;
  const sorted = promised
    ? batches
    : sortCoordinates(within(ascending(batches, table), form, table.name), {
        order,
        shape,
        spill,
        ...(signal ? { signal } : {}),
      });
  for await (const { columns } of sorted) {
    const [row, col] = [intValues(columns[0], "row", table.name), intValues(columns[1], "col", table.name)];
    const [major, minor] = order === "row" ? [row, col] : [col, row];
    yield { kind: "coordinates", major, minor, values: columns[2] };
  }
}

type Places = readonly [row: number, col: number, value: number];

/** Whether the entries of a table that promises nothing are in order all the same: to look costs less than to sort. */
async function isInOrder(
  table: ColumnTable,
  places: Places,
  order: MatrixForm["order"],
  cx: EntriesContext,
): Promise<boolean> {
  if (!table.repeatable) return false;
  const [major, minor] = order === "row" ? ([0, 1] as const) : ([1, 0] as const);
  let last: readonly [number | bigint, number | bigint] = [0, 0];
  for await (const { columns, length } of rowsOf(table, cx, true)) {
    if (length === 0) continue;
    const positions = (axis: 0 | 1) => intValues(columns[places[axis]], COORDINATES[axis], table.name);
    const [outer, inner] = [positions(major), positions(minor)];
    if (outer[0] < last[0] || (outer[0] === last[0] && inner[0] < last[1])) return false;
    if (firstOutOfOrder(outer, inner) >= 0) return false;
    last = [outer[length - 1], inner[length - 1]];
  }
  return true;
}

/**
 * The entries of a table in order, which has to be sorted into another, as they are.
 * @throws {InvalidInputError} where they come from the first row (or column) on once more: a sort would mix two matrices.
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
      const positions = intValues(batch.columns[dimension], COORDINATES[dimension], name);
      const again = firstAgain(positions, last);
      if (again >= 0) throw beginsAgain(order, again === 0 ? last : positions[again - 1], entries + again, name);
      last = positions[positions.length - 1];
    }
    entries += batch.length;
    yield batch;
  }
}

/** The first place at which there is a zero behind what is greater; -1 where there is none. */
function firstAgain(positions: IntArray, before: number | bigint): number {
  if (positions.length > 0 && Number(positions[0]) === 0 && before > 0) return 0;
  for (let i = 1; i < positions.length; i++) {
    if (positions[i] < positions[i - 1] && Number(positions[i]) === 0) return i;
  }
  return -1;
}

/** @throws {InvalidInputError} for a coordinate that the shape does not have, saying what gave the shape. */
async function* within(
  batches: AsyncIterable<ColumnBatch>,
  form: MatrixForm,
  element: string,
): AsyncGenerator<ColumnBatch> {
  let entries = 0;
  for await (const batch of batches) {
    for (const dimension of [0, 1] as const) {
      const positions = intValues(batch.columns[dimension], COORDINATES[dimension], element);
      const wrong = firstOutside(positions, form.shape[dimension]);
      if (wrong >= 0) throw outside(form, dimension, positions[wrong], entries + wrong, element);
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
  for await (const batch of rowsOf(table, cx, true)) {
    const { offsets, index, values } = entryLists(batch, name);
    yield { kind: "lists", offsets, minor: intValues(index, "index", name), values };
  }
}
