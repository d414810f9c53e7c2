/** `csr_matrix` and `csc_matrix`: coordinates in order, or lists of entries, compressed while they pass. */

import type { Column, ColumnBatch } from "../../arrow/column.js";
import { sliceColumn } from "../../arrow/take.js";
import type { ArrowField } from "../../arrow/type.js";
import { InvalidInputError } from "../../errors.js";
import { sortCoordinates } from "../../external-sort/sort-coordinates.js";
import { firstOutside } from "../../kernels/indices.js";
import { firstOutOfOrder } from "../../kernels/out-of-order.js";
import type { ColumnTable } from "../../tables/column-table.js";
import type { Place } from "./array.js";
import { Compressor, outside, type SparseForm } from "./compressor.js";
import type { Context } from "./context.js";
import { COORDINATES, coordinatesOf, intValues } from "./coordinates.js";
import { rowsOf } from "./rows.js";

/**
 * Writes a sparse matrix.
 * @returns the number of entries.
 * @throws {InvalidInputError} for coordinates outside the shape, or out of the order that the table promises.
 */
export async function writeSparse(
  place: Omit<Place, "rows">,
  table: ColumnTable,
  form: SparseForm,
  cx: Context,
): Promise<number> {
  const entries = table.fields.length === 3 ? table.rows : null;
  const lists = table.layouts.includes("list") ? await table.layout("list") : table;
  const value = entriesValue(lists);
  if (value !== null) {
    const out = await Compressor.open(place, form, value, entries, cx);
    for await (const batch of rowsOf(lists, cx)) await addLists(out, batch, lists.name);
    return out.close();
  }
  const places = coordinatesOf(table.fields);
  if (places === null) {
    throw new InvalidInputError(`a sparse matrix is a table of ${COORDINATES.join(", ")}`, { element: table.name });
  }
  const out = await Compressor.open(place, form, table.fields[places[2]], entries, cx);
  const batches = inOrder(rowsOf(table, cx), places);
  const promised = table.metadata?.order === form.order || (await isInOrder(table, places, form.order, cx));
  const sorted = promised ? batches : sortedBatches(within(batches, form, table.name), form, cx);
  for await (const { columns } of sorted) {
    const [row, col] = [intValues(columns[0], "row", table.name), intValues(columns[1], "col", table.name)];
    await out.coordinates(...(form.order === "row" ? ([row, col] as const) : ([col, row] as const)), columns[2]);
  }
  return out.close();
}

/** Whether the entries of a table that promises nothing are in order all the same: to look costs less than to sort. */
async function isInOrder(
  table: ColumnTable,
  places: readonly [number, number, number],
  order: SparseForm["order"],
  cx: Context,
): Promise<boolean> {
  if (!table.repeatable) return false;
  const [major, minor] = order === "row" ? ([0, 1] as const) : ([1, 0] as const);
  let last: readonly [number | bigint, number | bigint] = [0, 0];
  for await (const { columns, length } of rowsOf(table, cx)) {
    if (length === 0) continue;
    const positions = (axis: 0 | 1) => intValues(columns[places[axis]], COORDINATES[axis], table.name);
    const [outer, inner] = [positions(major), positions(minor)];
    if (outer[0] < last[0] || (outer[0] === last[0] && inner[0] < last[1])) return false;
    if (firstOutOfOrder(outer, inner) >= 0) return false;
    last = [outer[length - 1], inner[length - 1]];
  }
  return true;
}

function sortedBatches(
  batches: AsyncIterable<ColumnBatch>,
  { order, shape }: SparseForm,
  { spill, signal }: Context,
): AsyncIterable<ColumnBatch> {
  return sortCoordinates(batches, { order, shape, spill, ...(signal === undefined ? {} : { signal }) });
}

/** @throws {InvalidInputError} for a coordinate that the shape does not have, saying what gave the shape. */
async function* within(
  batches: AsyncIterable<ColumnBatch>,
  form: SparseForm,
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

async function* inOrder(
  batches: AsyncIterable<ColumnBatch>,
  places: readonly [number, number, number],
): AsyncGenerator<ColumnBatch> {
  for await (const { length, columns } of batches) yield { length, columns: places.map((i) => columns[i]) };
}

/** The field of the values in a table of lists of entries; null for another table. */
function entriesValue({ fields }: ColumnTable): ArrowField | null {
  if (fields.length !== 1) return null;
  const [{ type }] = fields;
  if (type.id !== "List" || type.item.type.id !== "Struct") return null;
  const [index, value, ...rest] = type.item.type.fields;
  if (index?.name !== "index" || value?.name !== "value" || rest.length > 0) return null;
  return value;
}

async function addLists(out: Compressor, { columns, length }: ColumnBatch, element: string): Promise<void> {
  const [lists] = columns;
  if (lists.layout !== "list" || lists.child.layout !== "struct") throw new TypeError("lists of entries expected");
  noNulls(lists, "list", element);
  noNulls(lists.child, "entry", element);
  const offsets = lists.offsets.subarray(0, length + 1);
  const [index, value] = lists.child.children.map((child) => sliceColumn(child, offsets[0], offsets[length]));
  await out.lists(offsets, intValues(index, "index", element), value);
}

function noNulls({ validity, length }: Column, what: string, element: string): void {
  if (validity === null || validity.nullCount === 0) return;
  throw new InvalidInputError(`${validity.nullCount} of ${length} values are missing: a ${what} is always there`, {
    element,
  });
}
