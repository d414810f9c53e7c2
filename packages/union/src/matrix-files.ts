/** Encodes rows of an input's matrix as files that contain the union's entries. */

import { UnsupportedError } from "annarrow";
import type { Column, ColumnBatch, PrimitiveColumn } from "annarrow/core/arrow";
import {
  type ArrowField,
  computeColumnSum,
  createCheckedMinorColumn,
  createField,
  describeArrowType,
  type EncodedTableChunk,
  encodeFile,
  getCoordinateType,
  INT64,
} from "annarrow/core/arrow";
import {
  concatSparse,
  getMatrixEntryType,
  isNumericType,
  type MatrixPart,
  type NumericType,
} from "annarrow/core/concat";
import { createSpill } from "annarrow/core/jobs";
import { createPositionMap, shiftToInt64 } from "annarrow/core/kernels";
import type { IntArray } from "annarrow/core/model";
import { describeFile, isRowGroup, ParquetFile, ROW_GROUP_BYTES } from "annarrow/core/parquet";
import type { ColumnTable, MatrixLayout, StoredTable } from "annarrow/core/tables";
import { createSparseEntries, encodeRows, hasStoredRows, planRepositionedRows } from "annarrow/core/tables";
import { CODEC, encodeTableFile } from "./frame-files.js";
import { createRangePositions } from "./frame-rows.js";
import type { MatrixOrder } from "./plan-document.js";

/** Location of a matrix's rows in the union. */
export interface UnionMatrixLocation {
  readonly type: NumericType;
  readonly order: MatrixOrder;
  readonly width: number;
  /** The union column for each feature of the input. */
  readonly columns: Int32Array;
  /** Number of observations and features in the input. */
  readonly shape: readonly [number, number];
  /** Rows [start, end) of the input. These are all rows unless the matrix is stored by rows. */
  readonly rows: readonly [number, number];
  /** Global row of the first of these rows. */
  readonly first: number;
  readonly signal: AbortSignal | undefined;
}

export interface MatrixFile {
  readonly chunks: AsyncGenerator<Uint8Array>;
  /** Returns the number of entries and the sum of their values. Valid only when all chunks have been read. */
  readonly totals: () => { readonly rows: number; readonly sum: number };
}

/**
 * Writes the entries of some rows as a Parquet file. If the rows are stored with an unchanged type, workers read and
 * move them. If they also remain rows, workers encode them as well.
 */
export async function encodeMatrixFile(
  table: ColumnTable,
  source: string,
  place: UnionMatrixLocation,
): Promise<MatrixFile> {
  const fields = createMatrixFields(place.width, place.type);
  const totals = { rows: 0, sum: 0 };
  const counted = { totals: () => totals };
  if (place.order === "csr" && hasStoredRows(table) && keepsType(table, place)) {
    const positions = createRangePositions(place.rows, place.shape[0]);
    const stored = await planRepositionedRows(table, source, fields, { ...place, positions });
    const file = () => new ParquetFile(describeFile(stored.fields, stored.schemaMetadata, CODEC));
    return { ...counted, chunks: encodeFile(file, rowGroups(stored, totals, place.signal)) };
  }
  const order = place.order === "csr" ? "row" : "column";
  const batches = entries(table, source, place, totals);
  const chunks = encodeTableFile(fields, { kind: `${place.order}_matrix`, order }, batches, place.signal);
  return { ...counted, chunks };
}

/** Memory for one sort. A task may run several sorts at once, and more memory would not make them faster. */
const SORT_BYTES = 2 ** 25;

function keepsType(table: ColumnTable, { type }: UnionMatrixLocation): boolean {
  return describeArrowType(getNumericValueType(table)) === describeArrowType(type);
}

async function* rowGroups(
  table: StoredTable,
  totals: { rows: number; sum: number },
  signal: AbortSignal | undefined,
): AsyncGenerator<EncodedTableChunk> {
  const encoder = { encoder: "parquet", options: { compression: CODEC, summed: VALUE } } as const;
  for await (const group of encodeRows(table, encoder, { signal, batchBytes: ROW_GROUP_BYTES })) {
    if (!isRowGroup(group)) throw new TypeError("row groups were asked for");
    totals.rows += group.rows;
    totals.sum += group.sum ?? 0;
    yield group;
  }
}

/** Index of the value column. */
const VALUE = 2;

/** Yields the entries of a matrix that may be dense, stored by columns, or of another type. Sorts on disk if needed. */
async function* entries(
  table: ColumnTable,
  source: string,
  place: UnionMatrixLocation,
  totals: { rows: number; sum: number },
): AsyncGenerator<ColumnBatch> {
  const { type, order, width, columns, first, signal } = place;
  const positions = createRangePositions(place.rows, place.shape[0]);
  const own = positions === null ? table : await table.rowsAt?.(positions);
  if (own === null || own === undefined) throw new TypeError("the rows of this matrix cannot be read alone");
  const length = place.rows[1] - place.rows[0];
  const [, across] = place.shape;
  const part: MatrixPart = { source, table: own, length, across, places: columns };
  const result = { name: table.name, along: 0, across: width, type, fill: 0, lossy: false } as const;
  const joined = concatSparse([part], result);
  // If the columns do not change, the entries of each row stay in stored order, which may be any order.
  const unordered = { ...joined, layouts: [], metadata: { kind: "csr_matrix" } };
  const lists = order === "csc" && hasStoredRows(own) && keepsType(own, place) ? await own.layout("list") : null;
  const moved = (await lists?.placed?.(createPositionMap(columns, width))) ?? unordered;
  const spill = await createSpill();
  try {
    const cx = { spill, signal, progress: () => undefined, budgetBytes: SORT_BYTES };
    const sorted = await createSparseEntries(moved, false, cx);
    const form: MatrixLayout = {
      shape: [length, width],
      order: order === "csr" ? "row" : "column",
      axes: ["obs", "var"],
    };
    for await (const batch of sorted.batches(form)) {
      if (batch.kind !== "coordinates") throw new TypeError("coordinates expected");
      const { major, minor, values } = batch;
      const [row, col] = order === "csr" ? [major, minor] : [minor, major];
      totals.rows += row.length;
      totals.sum += computeColumnSum(values);
      // The values are copied, because the next batch overwrites this one, and a row group collects several batches.
      const columns = [rowColumn(row, first), createCheckedMinorColumn(col.slice(), width), copied(values)];
      yield { length: row.length, columns };
    }
  } finally {
    await spill?.remove();
  }
}

function copied(column: Column): Column {
  if (column.layout !== "primitive") throw new TypeError("numbers expected");
  return { ...column, values: column.values.slice() };
}

/** @param first global row number of the first row. */
function rowColumn(major: IntArray, first: number): PrimitiveColumn {
  const values = new BigInt64Array(major.length);
  shiftToInt64(major, first, values);
  return { layout: "primitive", type: INT64, length: major.length, validity: null, values };
}

/** Returns the names of matrices that a union can include: `X` and the layers. */
export function listMatrixNames(tables: ReadonlyMap<string, ColumnTable>): readonly string[] {
  return [...tables.keys()].filter((name) => name === "X" || name.startsWith("layers/"));
}

function createMatrixFields(columns: number, type: NumericType): readonly ArrowField[] {
  return [
    createField("row", INT64, false),
    createField("col", getCoordinateType(columns), false),
    createField("value", type, false),
  ];
}

/**
 * Returns the type of a matrix's values.
 * @throws {UnsupportedError} for values that are not numbers.
 */
export function getNumericValueType(table: ColumnTable): NumericType {
  const type = getMatrixEntryType(table);
  if (isNumericType(type)) return type;
  throw new UnsupportedError(`${describeArrowType(type)} is no type of numbers`, { element: table.name });
}
