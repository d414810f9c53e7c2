/** Answers a statement about a dataset: the tables that the statement names are loaded into DuckDB, which runs it. */

import { type RecordBatch, Table } from "apache-arrow";
import type { BatchOptions, DataTable, TableSet } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";
import { type CachedTableLocation, type DuckDBEngine, WITHOUT_FILES } from "../sinks/duckdb/engine.js";
import type { SinkOptions } from "../sinks/stream.js";
import { overrideTable } from "../tables/batch-table.js";
import { sliceBatch } from "../tables/record-batch.js";
import { selectColumns } from "../tables/table-columns.js";
import { createMemoryTable } from "../tables/table-in-memory.js";
import { findNamedTables, type NamedTable } from "./named-tables.js";
import { parseSqlNames } from "./names.js";
import { type AxisRanges, countRangePositions, listRangePositions } from "./positions.js";
import { planStatementReads, type TableRead } from "./reads.js";
import { refuseStateFunctions } from "./state-functions.js";
import { findSuggestion } from "./suggestions.js";
import { toSqlDataset } from "./tables-in-sql.js";

export interface QueryOptions extends SinkOptions {
  /** Names of tables to load completely, even if the statement does not name them. */
  readonly also?: readonly string[];
  /**
   * Rejects statements that access files or the network, or change settings. The engine remains confined afterwards.
   */
  readonly confined?: boolean;
  /** Reads all rows of every table that the statement names; false by default. */
  readonly whole?: boolean;
  /**
   * Returns the place where DuckDB caches a matrix that it reads completely; null if the matrix is not cached. A cached
   * matrix is not read again, no matter which parts of it the statement needs.
   */
  readonly keptAt?: (table: string) => CachedTableLocation | null;
}

/**
 * Runs the statement over the tables of `dataset` that it names. The engine must not already contain tables with these
 * names.
 * @returns the rows of the answer, as a table that can be read once, batch by batch.
 * @throws {InvalidInputError} with DuckDB's message, which lists the known names if a name is unknown. It is also
 * thrown for a function that changes DuckDB's state.
 * @example
 * ```ts
 * const answer = await answerStatement(dataset, "select count(*) from obs", await openDuckDB());
 * ```
 */
export async function answerStatement(
  dataset: TableSet,
  sql: string,
  engine: DuckDBEngine,
  options: QueryOptions = {},
): Promise<DataTable> {
  refuseStateFunctions(sql);
  const { also = [], confined = false, ...sink } = options;
  const named = await findNamedTables(sql, dataset);
  const names = named.map(({ table }) => table.name);
  const known = toSqlDataset(dataset);
  const others = also.filter((name) => !names.includes(name)).map((name) => known.table(name));
  try {
    // Planning alone can also open files.
    if (confined) await engine.run(WITHOUT_FILES);
    await readsFor(engine, sql, named, options, async (read) => {
      if (read.kept === null) await engine.load(createPartialTable(read), sink);
      else await engine.loadKept(read.named.table, read.kept, sink);
    });
    for (const table of others) await engine.load(table, sink);
    if (confined) await engine.run("set lock_configuration = true");
    return await engine.query(sql, options.signal);
  } catch (error) {
    throw withHint(error, sql, dataset, names);
  }
}

/**
 * Describes what `answerStatement` reads, and why. Tables that are not matrices are read here, because DuckDB uses them
 * to determine which positions of the matrices are read.
 */
export async function explainStatement(
  dataset: TableSet,
  sql: string,
  engine: DuckDBEngine,
  options: QueryOptions = {},
): Promise<readonly TableRead[]> {
  refuseStateFunctions(sql);
  const named = await findNamedTables(sql, dataset);
  const names = named.map(({ table }) => table.name);
  try {
    return await readsFor(engine, sql, named, options, async (read) => {
      if (read.named.entries === null) await engine.load(createPartialTable(read), options);
    });
  } catch (error) {
    throw withHint(error, sql, dataset, names);
  }
}

/** Minimum number of entries of a matrix that is cached. Smaller matrices can be read again in no time. */
const KEPT_ENTRIES = 2 ** 20;

/** Chooses the reads that the statement needs, and calls `load` with each of them. */
async function readsFor(
  engine: DuckDBEngine,
  sql: string,
  named: readonly NamedTable[],
  { signal, whole = false, also = [], keptAt }: QueryOptions,
  load: (read: TableRead) => Promise<void>,
): Promise<readonly TableRead[]> {
  const { frames, matrices } = await planStatementReads(engine, sql, named, {
    signal,
    wholeTables: whole ? "all" : also,
  });
  for (const read of frames) await load(read);
  // A cached matrix is a view, and views have no rowid.
  const placeOf = keptAt === undefined || parseSqlNames(sql).hasWord("rowid") ? () => null : keptAt;
  const others = (await matrices()).map((read) => keptRead(read, placeOf, engine));
  for (const read of others) await load(read);
  return [...frames, ...others];
}

/**
 * Returns the read of a matrix after taking the cache into account. A matrix that is needed completely is cached, and a
 * cached matrix is not read again.
 */
function keptRead(
  read: TableRead,
  placeOf: (table: string) => CachedTableLocation | null,
  engine: DuckDBEngine,
): TableRead {
  const { table } = read.named;
  const isLarge = (table.rows ?? 0) >= KEPT_ENTRIES;
  const place = isLarge ? placeOf(table.name) : null;
  if (place === null) return read;
  const isThere = engine.isKept(place);
  if (!isThere && (read.row !== null || read.col !== null || read.limit !== null)) return read;
  const reasons = isThere ? ["kept by an earlier statement"] : [...read.reasons, "kept for later statements"];
  return { ...read, row: null, col: null, limit: null, reasons, kept: place };
}

/** Returns DuckDB's error, with a hint if it reports an unknown name. */
function withHint(error: unknown, sql: string, dataset: TableSet, tables: readonly string[]): unknown {
  if (!(error instanceof InvalidInputError)) return error;
  const hint = findSuggestion(error.problem, sql, toSqlDataset(dataset), tables);
  if (hint === null) return error;
  const problem = error.problem.replace(/ Did you mean.*/, "").replace(/(?<![!.?])$/, ".");
  return new InvalidInputError(`${problem} ${hint}`, { cause: error });
}

// Reads a table from which a statement needs only some rows.

/** Returns options for smaller batches if only few rows are needed. */
const FEW = 1000;
const SMALL_BATCH = 2 ** 18;

/** Returns the part of a table that is loaded for a statement, in stored order. */
function createPartialTable({ named, row, col, limit }: TableRead): DataTable {
  const { table, columns, entries, position } = named;
  const some = selectColumns(table, columns);
  const isEmpty =
    limit === 0 || [row, col].some((positions) => positions !== null && countRangePositions(positions) === 0);
  if (isEmpty) return createMemoryTable(new Table(some.schema), table.name);
  if (entries !== null)
    return row === null && col === null && limit === null ? some : shortened(some, whereOf(row, col), limit);
  const along = position === "row" ? row : position === "col" ? col : null;
  if (along === null && limit === null) return some;
  return shortened(some, along === null ? {} : { rows: [along[0][0], along[along.length - 1][1]] }, limit);
}

function whereOf(row: AxisRanges | null, col: AxisRanges | null): BatchOptions {
  if (row === null && col === null) return {};
  return {
    where: {
      row: row === null ? undefined : listRangePositions(row),
      col: col === null ? undefined : listRangePositions(col),
    },
  };
}

/** Returns the rows of `table` that `chosen` selects, but at most the first `limit` rows. */
function shortened(table: DataTable, chosen: BatchOptions, limit: number | null): DataTable {
  const known = chosen.where !== undefined || table.rows === null ? null : (chosen.rows ?? [0, table.rows]);
  const most = limit ?? Number.POSITIVE_INFINITY;
  const end = known === null ? null : Math.min(known[1], known[0] + most);
  return overrideTable(table, {
    rows: known === null || end === null ? null : end - known[0],
    batches: (options) =>
      known === null || end === null
        ? upTo(
            most,
            table.batches({ ...options, ...chosen, batchBytes: most > FEW ? options?.batchBytes : SMALL_BATCH }),
          )
        : table.batches({ ...options, rows: [known[0], end] }),
  });
}

async function* upTo(most: number, batches: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
  let left = most;
  for await (const batch of batches) {
    yield batch.numRows <= left ? batch : sliceBatch(batch, 0, left);
    left -= batch.numRows;
    if (left <= 0) return;
  }
}
