/** Selects part of a table that is read in batches because it is stored in separate files or assembled in memory. */

import { type Column, type ColumnBatch, emptyColumn } from "../arrow/column.js";
import { joinColumns } from "../arrow/join.js";
import { sliceColumn, takeColumn } from "../arrow/take.js";
import { createField, INT32 } from "../arrow/type.js";
import { selectRowRange } from "../jobs/plan/range-of-rows.js";
import type { TableMetadata } from "../model/dataset.js";
import { InvalidDataError, InvalidInputError, UnsupportedError } from "../model/errors.js";
import { type ColumnBatchOptions, type ColumnTable, findCopyableRows } from "../tables/column-table.js";
import { convertListsToCoordinates, findCoordinateColumns, getIntValues } from "../tables/sparse/sparse-entries.js";
import { listTableChunks, readFewestRows } from "../tables/table-chunks.js";

/** Positions along an axis, in any order and possibly repeated; null for all positions. */
type Positions = Int32Array | null;

/** Rows per batch for tables whose selected positions are not ascending. */
const TAKEN_ROWS = 2 ** 16;

/**
 * Selects rows and columns of an element by position, in the given order. Ascending rows are selected batch by batch;
 * any other order requires all rows in memory. A coordinate matrix is filtered while it is read, so its number of
 * entries is unknown.
 * @throws {UnsupportedError} if columns are requested from an element without a column axis.
 */
export async function selectTablePart(given: ColumnTable, rows: Positions, cols: Positions): Promise<ColumnTable> {
  // Entry lists may be the columns of the matrix, so they are converted to coordinates.
  const table = await convertListsToCoordinates(given);
  const part = partOf(table, rows, cols);
  const stored = findCopyableRows(table);
  if (part === table || stored === null) return part;
  const kept = rows === null || cols !== null ? null : await selectRowRange(stored, rows);
  return kept === null
    ? { ...part, notKept: "the chunks have rows that were not chosen" }
    : { ...part, kept: { rows: kept, batches: part.batches } };
}

function partOf(table: ColumnTable, rows: Positions, cols: Positions): ColumnTable {
  const places = findCoordinateColumns(table.fields);
  if (places !== null && table.metadata?.shape?.length === 2) return coordinatesPart(table, places, rows, cols);
  if (cols !== null) return withColumns(rows === null ? table : selectTableRows(table, rows), cols);
  return rows === null ? table : selectTableRows(table, rows);
}

function changed(
  { asRead: _, only: __, origin: ___, placed: ____, rowsAt: _____, ...table }: ColumnTable,
  metadata: TableMetadata | null,
  own: Pick<ColumnTable, "rows" | "batches"> & Partial<Pick<ColumnTable, "fields">>,
): ColumnTable {
  return {
    ...table,
    metadata,
    layouts: [],
    layout: async (layout) => {
      throw new InvalidInputError(`no layout ${layout}: a part has the form of its table`, { element: table.name });
    },
    ...own,
  };
}

/** Selects rows by position, in any order and any number of times. Blocks without selected rows are not read. */
export function selectTableRows(table: ColumnTable, rows: Int32Array): ColumnTable {
  const { metadata } = table;
  const shape = metadata?.shape;
  const sized =
    shape === undefined || shape.length === 0 ? metadata : { ...metadata, shape: [rows.length, ...shape.slice(1)] };
  const batches = (options: ColumnBatchOptions = {}) =>
    isRising(rows, 0) ? risingRows(table, rows, options) : gatheredRows(table, rows, options);
  const part = changed(table, sized === null ? null : { ...sized, kind: sized.kind ?? "table" }, {
    rows: rows.length,
    batches,
  });
  const { only } = table;
  return only === undefined ? part : { ...part, only: (fields) => selectTableRows(only(fields), rows) };
}

async function* risingRows(
  table: ColumnTable,
  rows: Int32Array,
  options: ColumnBatchOptions,
): AsyncGenerator<ColumnBatch> {
  if (rows.length === 0) {
    for await (const { columns } of readFewestRows(table, options)) {
      yield { length: 0, columns: columns.map((column) => sliceColumn(column, 0, 0)) };
      return;
    }
  }
  let [first, next] = [0, 0];
  for (const block of listTableChunks(table)) {
    if (block.rows !== null && rows[next] >= first + block.rows) {
      first += block.rows;
      continue;
    }
    for await (const batch of block.batches(options)) {
      const begin = next;
      while (next < rows.length && rows[next] < first + batch.length) next++;
      if (next > begin) {
        const places = rows.subarray(begin, next).map((row) => row - first);
        yield { length: places.length, columns: batch.columns.map((column) => takeColumn(column, places)) };
      }
      first += batch.length;
      if (next === rows.length) return;
    }
  }
  if (next < rows.length) {
    throw new InvalidDataError(`row ${rows[next]} of ${first} rows`, { element: table.name });
  }
}

async function* gatheredRows(
  table: ColumnTable,
  rows: Int32Array,
  options: ColumnBatchOptions,
): AsyncGenerator<ColumnBatch> {
  const batches: ColumnBatch[] = [];
  for await (const batch of table.batches({ ...options, reuse: false })) batches.push(batch);
  const columns = table.fields.map((_, i) => joinedRows(batches.map((batch) => batch.columns[i])));
  for (let at = 0; at < rows.length; at += TAKEN_ROWS) {
    const places = rows.subarray(at, at + TAKEN_ROWS);
    yield { length: places.length, columns: columns.map((column) => takeColumn(column, places)) };
  }
}

/** Concatenates the rows of columns. Categorical columns share one dictionary. */
function joinedRows(columns: readonly Column[]): Column {
  const [first] = columns;
  if (first.layout !== "dictionary") return joinColumns(columns);
  const codes = joinColumns(
    columns.map((column): Column => {
      if (column.layout !== "dictionary" || column.dictionary !== first.dictionary) {
        throw new TypeError("one dictionary expected");
      }
      const { indices, length, validity } = column;
      return { layout: "primitive", type: first.type.index, values: indices, length, validity };
    }),
  );
  if (codes.layout !== "primitive") throw new TypeError("positions of categories expected");
  return { ...first, length: codes.length, validity: codes.validity, indices: codes.values };
}

/** Selects columns of a dense matrix: values in fixed-size lists, or the columns of a table. */
function withColumns(table: ColumnTable, cols: Int32Array): ColumnTable {
  const { name, fields, metadata, rows } = table;
  const shape = metadata?.shape;
  const sized =
    metadata === null || shape === undefined
      ? metadata
      : { ...metadata, shape: [shape[0], cols.length, ...shape.slice(2)] };
  if (metadata?.layout === "columns") {
    return changed(table, sized, {
      fields: Array.from(cols, (place) => fields[place]),
      rows,
      async *batches(options) {
        for await (const { length, columns } of table.batches(options)) {
          yield { length, columns: Array.from(cols, (place) => columns[place]) };
        }
      },
    });
  }
  const [{ type, ...own }] = fields;
  if (fields.length !== 1 || type.id !== "FixedSizeList") {
    throw new UnsupportedError("no choice of columns in a table of this form", { element: name });
  }
  const list = { ...type, size: cols.length };
  return changed(table, sized, {
    fields: [{ ...own, type: list }],
    rows,
    async *batches(options) {
      for await (const { length, columns } of table.batches(options)) {
        const [column] = columns;
        if (column.layout !== "fixed-size-list") throw new TypeError("lists of a fixed size expected");
        const places = new Int32Array(length * cols.length);
        for (let row = 0, at = 0; row < length; row++) for (const col of cols) places[at++] = row * type.size + col;
        yield { length, columns: [{ ...column, type: list, child: takeColumn(column.child, places) }] };
      }
    },
  });
}

function coordinatesPart(
  table: ColumnTable,
  [row, col, value]: readonly [number, number, number],
  rows: Positions,
  cols: Positions,
): ColumnTable {
  const { name, fields, metadata } = table;
  const [height, width] = metadata?.shape ?? [0, 0];
  const { order, sortedBy, ...rest } = metadata ?? { kind: "coordinates", order: undefined };
  const inOrder = [rows, cols].every((positions) => positions === null || isRising(positions, 1));
  return changed(
    table,
    {
      ...rest,
      kind: rest.kind,
      shape: [rows?.length ?? height, cols?.length ?? width],
      ...(inOrder && order !== undefined ? { order } : {}),
      ...(inOrder && sortedBy !== undefined ? { sortedBy } : {}),
    },
    {
      fields: [createField("row", INT32, false), createField("col", INT32, false), fields[value]],
      rows: null,
      async *batches(options) {
        const maps = [newPlaces(rows, height), newPlaces(cols, width)] as const;
        let some = false;
        for await (const { columns } of table.batches(options)) {
          const own = [getIntValues(columns[row], "row", name), getIntValues(columns[col], "col", name)] as const;
          const kept = keptEntries(own, maps, name);
          if (kept.places.length === 0) continue;
          some = true;
          yield {
            length: kept.places.length,
            columns: [positions(kept.row), positions(kept.col), takeColumn(columns[value], kept.places)],
          };
        }
        if (!some)
          yield {
            length: 0,
            columns: [positions(new Int32Array(0)), positions(new Int32Array(0)), emptyColumn(fields[value].type)],
          };
      },
    },
  );
}

/** New positions for each stored position. Two consecutive offsets delimit the `places` of one stored position. */
interface NewPlaces {
  readonly offsets: Int32Array;
  readonly places: Int32Array;
}

function newPlaces(chosen: Positions, stored: number): NewPlaces {
  if (chosen === null) {
    const places = Int32Array.from({ length: stored }, (_, i) => i);
    return { places, offsets: Int32Array.from({ length: stored + 1 }, (_, i) => i) };
  }
  const offsets = new Int32Array(stored + 1);
  for (const position of chosen) offsets[position + 1]++;
  for (let i = 0; i < stored; i++) offsets[i + 1] += offsets[i];
  const next = offsets.slice();
  const places = new Int32Array(chosen.length);
  chosen.forEach((position, i) => {
    places[next[position]++] = i;
  });
  return { offsets, places };
}

function keptEntries(
  [rows, cols]: readonly [ArrayLike<number | bigint>, ArrayLike<number | bigint>],
  [byRow, byCol]: readonly [NewPlaces, NewPlaces],
  element: string,
) {
  const counted = (at: number, { offsets }: NewPlaces) => {
    if (!(at >= 0 && at < offsets.length - 1)) {
      throw new InvalidDataError(`the position ${at} lies outside 0 … ${offsets.length - 2}`, { element });
    }
    return offsets[at + 1] - offsets[at];
  };
  let count = 0;
  for (let i = 0; i < rows.length; i++) count += counted(Number(rows[i]), byRow) * counted(Number(cols[i]), byCol);
  const [row, col, places] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
  for (let i = 0, at = 0; i < rows.length; i++) {
    const [r, c] = [Number(rows[i]), Number(cols[i])];
    for (let a = byRow.offsets[r]; a < byRow.offsets[r + 1]; a++) {
      for (let b = byCol.offsets[c]; b < byCol.offsets[c + 1]; b++, at++) {
        row[at] = byRow.places[a];
        col[at] = byCol.places[b];
        places[at] = i;
      }
    }
  }
  return { row, col, places };
}

function positions(values: Int32Array): Column {
  return { layout: "primitive", type: INT32, length: values.length, validity: null, values };
}

/** Whether each position is at least `step` above the one before. */
function isRising(rows: Int32Array, step: 0 | 1): boolean {
  for (let i = 1; i < rows.length; i++) if (rows[i] < rows[i - 1] + step) return false;
  return true;
}
