/** Selects columns of a table, or adds a column with the positions of its rows. */

import { type Data, Field, Int32, Int64, makeData, Schema } from "apache-arrow";
import type { BatchOptions, DataTable } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";
import { parseJsonObject } from "../model/json-object.js";
import { overrideTable } from "./batch-table.js";
import { renameReservedColumns } from "./distinct-columns.js";
import { projectSchema, recordBatch } from "./record-batch.js";

/**
 * Limits `table` to the columns `names`, in that order. Other columns are never read.
 * @throws {NotFoundError} if the table lacks one of the columns.
 */
export function selectColumns(table: DataTable, names: readonly string[]): DataTable {
  const schema = projectSchema(table.schema, names, table.name);
  const { name } = table;
  return overrideTable(table, {
    schema,
    layouts: [],
    layout: async (layout) => {
      throw new InvalidInputError(`choose the layout "${layout}" before the columns`, { element: name });
    },
    batches: (options = {}) => {
      const columns = options.columns ?? names;
      projectSchema(schema, columns, name);
      return table.batches({ ...options, columns });
    },
  });
}

/** Number of rows in a batch that contains only positions. */
const ROWS = 2 ** 18;

/**
 * Appends a column of positions, named after the table's axis (`row` or `col`). If a column in the file has the same
 * name, ignoring case, as a coordinate column, it gets the next free number (`row_1`, `col_1`, in a dataframe also
 * `value_1`), so that the table can be joined with a matrix and both its axes. Tables without an axis are returned
 * unchanged, as are tables of matrix entries, which already have the positions along both axes.
 */
export function addPositionColumn(stored: DataTable): DataTable {
  const axis = axisOfRows(stored);
  if (axis === null || hasEntryRows(stored) || stored.schema.fields.some(isPositionField)) return stored;
  // The documentation calls the single column of an array `value`.
  const isFrame = stored.metadata.kind === "dataframe" && stored.schema.fields.length > 1;
  const table = renameReservedColumns(stored, isFrame ? JOINED : POSITIONS);
  const wide = table.rows === null || table.rows > 2 ** 31 - 1;
  const field = new Field(axis, wide ? new Int64() : new Int32(), false, new Map([["annarrow", POSITION]]));
  const schema = new Schema([...table.schema.fields, field], table.schema.metadata);
  return overrideTable(table, {
    schema,
    layout: async (layout) => addPositionColumn(await stored.layout(layout)),
    batches: (options) => positionedBatches(table, schema, field, options),
  });
}

/** Returns the axis along which the rows are numbered. In lists from a CSC matrix, that is the column axis. */
function axisOfRows({ axis, metadata: { kind, layout } }: DataTable): DataTable["axis"] {
  if (kind !== "csc_matrix" || layout !== "list" || axis === null) return axis;
  return axis === "row" ? "col" : "row";
}

const POSITIONS = ["row", "col"];
const JOINED = [...POSITIONS, "value"];

/** Metadata of a position field that is not a column in the file. */
const POSITION = JSON.stringify({ position: true });

const isPositionField = ({ metadata }: Field) => parseJsonObject(metadata.get("annarrow") ?? "{}")?.position === true;

/** Returns the name of the added position column; null if the table has no such column. */
export function findPositionColumn({ schema }: Pick<DataTable, "schema">): "row" | "col" | null {
  const added = schema.fields.find(isPositionField)?.name;
  return added === "row" || added === "col" ? added : null;
}

/** Whether the rows of a table are matrix entries: `row`, `col` and `value`. */
export function hasEntryRows({ schema: { fields }, metadata }: Pick<DataTable, "schema" | "metadata">): boolean {
  const { kind, layout } = metadata;
  if (layout !== undefined) return layout === "coordinate";
  const isFrame = kind === "dataframe" || kind === "rec-array";
  return (
    !isFrame && fields.length === 3 && ["row", "col", "value"].every((name) => fields.some((f) => f.name === name))
  );
}

async function* positionedBatches(table: DataTable, schema: Schema, position: Field, options: BatchOptions = {}) {
  const after = options.columns === undefined ? schema : projectSchema(schema, options.columns, table.name);
  const at = after.fields.indexOf(position);
  if (at === -1) return yield* table.batches(options);
  const columns = options.columns?.filter((name) => name !== position.name);
  const stored = columns?.length === 0 && table.rows !== null ? null : table;
  let start = options.rows?.[0] ?? 0;
  for await (const [rows, children] of stored ? columnsOf(stored, options, columns) : none(table, options)) {
    const positions = range(position, start, rows);
    const all = [...children.slice(0, at), positions, ...children.slice(at)];
    yield recordBatch(after, rows, all);
    start += rows;
  }
}

async function* columnsOf(
  table: DataTable,
  options: BatchOptions,
  columns: readonly string[] | undefined,
): AsyncGenerator<[rows: number, children: readonly Data[]]> {
  for await (const batch of table.batches(columns === undefined ? options : { ...options, columns })) {
    yield [batch.numRows, batch.data.children];
  }
}

/** Yields batches without stored columns, to which positions are added. Reads nothing. */
async function* none(
  table: DataTable,
  options: BatchOptions,
): AsyncGenerator<[rows: number, children: readonly Data[]]> {
  const [start, end] = options.rows ?? [0, table.rows ?? 0];
  let at = start;
  do {
    options.signal?.throwIfAborted();
    const rows = Math.min(ROWS, end - at);
    yield [rows, []];
    at += rows;
  } while (at < end);
}

function range(field: Field, start: number, rows: number): Data {
  if (field.type instanceof Int64) {
    const values = new BigInt64Array(rows);
    for (let i = 0; i < rows; i++) values[i] = BigInt(start + i);
    return makeData({ type: field.type, length: rows, nullCount: 0, data: values });
  }
  const values = new Int32Array(rows);
  for (let i = 0; i < rows; i++) values[i] = start + i;
  return makeData({ type: new Int32(), length: rows, nullCount: 0, data: values });
}
