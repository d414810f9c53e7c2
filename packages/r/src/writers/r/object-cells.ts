/**
 * The cells of an object in which an assay may have only some of the cells, as Seurat 5 allows. Every assay keeps the
 * order of the object's cells.
 */

import { InvalidInputError } from "annarrow";
import type { ColumnBatch } from "annarrow/core/arrow";
import { takeColumn } from "annarrow/core/arrow";
import { UnsupportedElementError } from "annarrow/core/model";
import type { ColumnTable } from "annarrow/core/tables";
import { readTableBatches } from "annarrow/core/tables";
import type { RValue } from "../../containers/rds/model/value.js";
import { type CellsOf, createConflictError, isCopyOf, isVector } from "./cells.js";
import { createCharacterVector, type RWriterContext } from "./context.js";
import { readFrame, type WrittenFrame } from "./frame.js";

/** The cells and the table of a modality, or of the whole MuData. */
export interface CellsTable extends CellsOf {
  /** Null if the cells only have positions. */
  readonly table: ColumnTable | null;
  readonly index: string | undefined;
}

/**
 * Merges the cells of all modalities into one dataframe. Global columns come first, followed by the columns that only a
 * modality has, with NA for cells that the modality lacks. If the name of a column is already used for other values,
 * the column is named `modality:column`.
 * @throws {InvalidInputError} if two modalities, or a modality and the whole MuData, have contradictory cell orders.
 */
export async function mergeObjectCells(
  modalities: readonly CellsTable[],
  whole: CellsTable | null,
  cx: RWriterContext,
): Promise<WrittenFrame> {
  const names = whole === null ? unionOf(modalities) : namesOf(whole);
  const place = new Map(names.map((name, i) => [name, i]));
  const columns = new Map<string, RValue>();
  for (const [column, value] of whole?.frame.columns ?? []) {
    if (!modalities.some(({ name, frame }) => isCopyOf(column, name, frame))) columns.set(column, value);
  }
  for (const one of modalities) {
    const { name, frame, table, index } = one;
    const own = Int32Array.from(namesOf(one), (cell) => place.get(cell) ?? -1);
    checkOrder(own, one);
    if (table === null || frame.columns.size === 0) continue;
    const gaps = gapsIn(own, names.length);
    const all = names.length === own.length ? frame : await readFrame(rowsAt(table, gaps), index, cx, false);
    const ofWhole = whole?.table ? await readFrame(rowsAt(whole.table, own), whole.index, cx, false) : null;
    for (const [column, before] of frame.columns) {
      const known = ofWhole?.columns.get(column);
      if (known !== undefined && (await isSame(known, before, cx))) continue;
      // If a column is also the index, its values are the names.
      const value =
        all.columns.get(column) ??
        createCharacterVector(Array.from(gaps, (row) => (row < 0 ? null : (frame.names?.[row] ?? null))));
      const free = columns.has(column) ? `${name}:${column}` : column;
      if (columns.has(free)) throw createConflictError(`mod/${name}/obs`, column);
      columns.set(free, value);
    }
  }
  return { rows: names.length, names, columns };
}

async function isSame(one: RValue, other: RValue, { document }: RWriterContext): Promise<boolean> {
  return isVector(one) && isVector(other) && document.isSame(one, other);
}

/**
 * @throws {UnsupportedElementError} for cells without names. If assays have different cells, only names can match them.
 */
function namesOf({ name, table, frame }: CellsTable): readonly string[] {
  if (table !== null && frame.names !== null) return frame.names;
  throw new UnsupportedElementError("other cells than another modality has, and no names that tell which", {
    element: name === "" ? "obs" : `mod/${name}/obs`,
  });
}

/**
 * Merges the names of all modalities without changing any order.
 * @throws {InvalidInputError} if the orders conflict.
 */
function unionOf([first, ...others]: readonly CellsTable[]): readonly string[] {
  let all = namesOf(first);
  for (const one of others) {
    const places = new Map(all.map((name, i) => [name, i]));
    const merged: string[] = [];
    let next = 0;
    for (const name of namesOf(one)) {
      const place = places.get(name);
      if (place === undefined) merged.push(name);
      else {
        if (place < next) throw contrary(one);
        for (; next <= place; next++) merged.push(all[next]);
      }
    }
    all = [...merged, ...all.slice(next)];
  }
  return all;
}

function checkOrder(places: Int32Array, cells: CellsTable): void {
  const unknown = places.indexOf(-1);
  if (unknown >= 0) {
    throw new InvalidInputError(
      `the cell ${JSON.stringify(cells.frame.names?.[unknown])}, which obs of the whole has not`,
      {
        element: `mod/${cells.name}/obs`,
      },
    );
  }
  if (places.some((place, i) => i > 0 && place <= places[i - 1])) throw contrary(cells);
}

function contrary({ name }: CellsTable): InvalidInputError {
  return new InvalidInputError(
    `the cells stand in another order than those of the object, which no assay of Seurat may: write the modality alone (--modality ${name})`,
    { element: `mod/${name}/obs` },
  );
}

/** Returns the index of each row in `places`, or -1 if the row is not in it. */
function gapsIn(places: Int32Array, rows: number): Int32Array {
  const all = new Int32Array(rows).fill(-1);
  for (const [row, place] of places.entries()) all[place] = row;
  return all;
}

/** Returns the rows at ascending positions. A position of -1 gives a row of nulls. */
function rowsAt(table: ColumnTable, places: Int32Array): ColumnTable {
  const { name, fields, metadata, schemaMetadata } = table;
  const rows: ColumnTable = {
    ...{
      name,
      metadata,
      schemaMetadata,
      rows: places.length,
      derived: false,
      layouts: [],
      repeatable: table.repeatable,
    },
    fields: fields.map((field) => ({ ...field, nullable: true })),
    layout: async () => rows,
    batches: (options) => batchesAt(table, places, options?.signal),
  };
  return rows;
}

async function* batchesAt(
  table: ColumnTable,
  places: Int32Array,
  signal: AbortSignal | undefined,
): AsyncGenerator<ColumnBatch> {
  let [start, done] = [0, 0];
  let last: ColumnBatch["columns"] = [];
  for await (const { columns, length } of readTableBatches(table, { signal, progress: () => undefined })) {
    let end = done;
    while (end < places.length && places[end] < start + length) end++;
    const own = places.slice(done, end).map((place) => (place < 0 ? -1 : place - start));
    yield { columns: columns.map((column) => takeColumn(column, own)), length: own.length };
    start += length;
    done = end;
    last = columns;
  }
  const missing = places.slice(done).fill(-1);
  if (missing.length > 0) yield { columns: last.map((column) => takeColumn(column, missing)), length: missing.length };
}
