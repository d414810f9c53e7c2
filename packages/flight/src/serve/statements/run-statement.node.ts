/** Runs a statement in the thread's engine: loads the tables that the statement names, and sends its answer. */

import type { DataTable, TableSet } from "annarrow";
import { InvalidInputError } from "annarrow";
import { toDataset } from "annarrow/core/api";
import { encodeApacheSchema } from "annarrow/core/ipc";
import {
  answerStatement,
  findNamedTables,
  findRenamings,
  findStatementTables,
  hasParameters,
  replaceParameters,
} from "annarrow/core/query";
import { encodeTable, quoteSqlName } from "annarrow/core/sinks";
import { createBatchTable, selectColumns, toRowlessTable } from "annarrow/core/tables";
import { openStored } from "annarrow/node/api";
import type { InProcessDuckDB } from "annarrow/node/sinks";
import { type RecordBatch, Schema } from "apache-arrow";
import { readIpcStream } from "../../flight/messages/ipc-stream.js";
import { encodeTableMessages } from "../../flight/messages/table-messages.js";
import type { TextFormat } from "../requests/answer.js";
import {
  bindValues,
  createExecuteStatement,
  createParametersQuery,
  prepareQuery,
  readParameterTypes,
} from "./parameters.js";
import { readPlannedSchema } from "./planned-schema.js";
import type { StatementTask } from "./statement-messages.js";
import type { StatementPort } from "./statement-port.js";
import { selectSchemaTables, withTables } from "./statement-tables.js";

/** The key in a schema's metadata for a list of warnings, as JSON. */
const WARNINGS = "annarrow.warnings";

export interface StatementRun {
  /** The task. The main thread has already checked it. */
  readonly task: StatementTask;
  /** An empty database, with the task's limits. */
  readonly engine: InProcessDuckDB;
  readonly port: StatementPort;
}

export async function runStatement(run: StatementRun): Promise<void> {
  const { task } = run;
  const relations = findStatementTables(task.sql);
  const { companion, plain } = task;
  const opened = await Promise.all(
    task.datasets.map(async ({ schema, file }) => {
      return { schema, set: await toDataset(openStored(file, { companion, ofFolder: true, ...plain })) };
    }),
  );
  try {
    const schemas = new Set(opened.flatMap(({ schema }) => schema ?? []));
    for (const { schema, set } of opened) {
      if (schema !== null) await loadSchema(run, schema, selectSchemaTables(set, relations, schema, schemas));
    }
    const main = opened.find(({ schema }) => schema === null)?.set ?? null;
    // If there are no other datasets, errors about unknown tables list all tables of the main dataset.
    const meant = main === null || schemas.size === 0 ? main : selectSchemaTables(main, relations, null, schemas);
    const dataset = await mainDataset(run, meant);
    const warnings = opened.flatMap(({ set }) => findRenamings(set, task.sql));
    run.port.send({ kind: "warnings", warnings });
    if (task.wanted !== "rows") await sendSchemas(run, dataset, warnings);
    else if (task.format === "arrow") await sendRows(run, dataset, warnings);
    else await sendText(run, dataset, task.format);
  } finally {
    for (const { set } of opened) await set.close();
  }
}

/** Returns the tables that need no schema, including the uploaded table. */
async function mainDataset({ task, port }: StatementRun, meant: TableSet | null): Promise<TableSet> {
  const tables = new Map<string, DataTable>();
  for (const [name, table] of meant?.tables ?? []) tables.set(name, asWanted(task, table));
  if (task.upload !== null) tables.set(task.upload, await uploadedTable(task.upload, port));
  return withTables(meant, tables);
}

async function uploadedTable(name: string, port: StatementPort): Promise<DataTable> {
  // The main thread has already counted the columns.
  const { schema, batches } = await readIpcStream(port.uploaded(), { maxColumns: Number.POSITIVE_INFINITY });
  return createBatchTable({
    name,
    schema,
    async *batches() {
      yield* batches;
    },
  });
}

/** Loads the tables that the statement names with the schema `schema`. */
async function loadSchema({ task, engine }: StatementRun, schema: string, meant: TableSet): Promise<void> {
  const tables = new Map([...meant.tables].map(([name, table]) => [name, asWanted(task, table)]));
  await engine.run(`create schema ${quoteSqlName(schema)}`);
  for (const { table, columns } of await findNamedTables(task.sql, withTables(meant, tables))) {
    await engine.load(selectColumns(table, columns), {}, schema);
  }
}

/** Removes the rows if only schemas are wanted. A pivot keeps them, because its columns depend on values. */
function asWanted({ sql, wanted }: StatementTask, table: DataTable): DataTable {
  return wanted === "rows" || /\bpivot\b/i.test(sql) ? table : toRowlessTable(table);
}

/**
 * Loads the tables of the default dataset that the statement names, and runs `sql`. If there is no default dataset,
 * errors explain how to name tables.
 */
async function answered({ task, engine }: StatementRun, dataset: TableSet, sql: string): Promise<DataTable> {
  try {
    // The uploaded table is read even if the statement does not name it, because the sender waits until it is read.
    const also = task.upload === null ? [] : [task.upload];
    // A schema needs no rows. Statements with parameter values or tables of other datasets are not planned.
    const whole = task.wanted !== "rows" || sql !== task.sql || task.datasets.some(({ schema }) => schema !== null);
    return await answerStatement(dataset, sql, engine, { also, confined: true, whole });
  } catch (error) {
    const hasMain = task.datasets.some(({ schema }) => schema === null);
    if (hasMain || !(error instanceof InvalidInputError)) throw error;
    const [unknown] = /^.*Table with name .* does not exist!/.exec(error.problem) ?? [];
    if (unknown === undefined) throw error;
    const hint = 'Its dataset goes in front, as in "pbmc.h5ad".obs, or is the schema of the session';
    throw new InvalidInputError(`${unknown} ${hint}`, { cause: error });
  }
}

async function sendText(run: StatementRun, dataset: TableSet, format: TextFormat): Promise<void> {
  const result = await answered(run, dataset, run.task.sql);
  for await (const bytes of encodeTable(result, format === "json" ? "ndjson" : format)) {
    await run.port.sendPiece({ kind: "text", bytes: Uint8Array.from(bytes) });
  }
}

async function sendRows(run: StatementRun, dataset: TableSet, warnings: readonly string[]): Promise<void> {
  const { task, port } = run;
  const results = resultsOf(run, dataset);
  const first = await results.next();
  if (first.done) throw new InvalidInputError("the statement has no answer");
  const { schema } = first.value;
  sendSchema(port, schema, warnings);
  async function* batches(): AsyncGenerator<RecordBatch> {
    yield* first.value.batches();
    for await (const result of results) yield* result.batches();
  }
  let isFirst = true;
  for await (const message of encodeTableMessages({ schema, batches: batches() }, task.messageBytes)) {
    if (!isFirst) await port.sendPiece({ kind: "message", ...message });
    isFirst = false;
  }
}

/** Yields the answer, or one answer per row of parameter values. */
async function* resultsOf(run: StatementRun, dataset: TableSet): AsyncGenerator<DataTable> {
  const { engine, task } = run;
  const { sql, parameters } = task;
  if (!hasParameters(sql) || parameters === null) {
    yield answered(run, dataset, sql);
    return;
  }
  const types = await preparedTypes(run, dataset);
  for (const values of await bindValues(engine, parameters, types.length))
    yield engine.query(createExecuteStatement(values));
}

/** Sends the schema of the answer. For a prepared statement, the schema of its parameters is sent first. */
async function sendSchemas(run: StatementRun, dataset: TableSet, warnings: readonly string[]): Promise<void> {
  const { engine, port, task } = run;
  const { sql, parameters, wanted } = task;
  if (!hasParameters(sql) || (parameters === null && wanted === "schema")) {
    if (wanted === "prepared") sendSchema(port, new Schema([]));
    sendSchema(port, await readPlannedSchema(sql, engine, (text) => answered(run, dataset, text)), warnings);
    return;
  }
  const types = await preparedTypes(run, dataset);
  if (wanted === "prepared") sendSchema(port, (await engine.query(createParametersQuery(types))).schema);
  const [values] =
    parameters === null
      ? [types.map((type) => `cast(null as ${type})`)]
      : await bindValues(engine, parameters, types.length);
  sendSchema(port, await readPlannedSchema(replaceParameters(sql, values), engine), warnings);
}

/** Loads the tables, prepares the statement, and returns the types of its parameters. */
async function preparedTypes(run: StatementRun, dataset: TableSet): Promise<readonly string[]> {
  const { engine, task } = run;
  await (await answered(run, dataset, prepareQuery(task.sql))).read();
  return readParameterTypes(engine, task.sql);
}

/** Sends a schema. For an answer, the metadata contains warnings about names. */
function sendSchema(port: StatementPort, { fields, metadata }: Schema, warnings: readonly string[] = []): void {
  const noted = warnings.length === 0 ? [] : [[WARNINGS, JSON.stringify(warnings)] as const];
  const schema = new Schema(fields, new Map([...metadata, ...noted]));
  port.send({ kind: "schema", bytes: Uint8Array.from(encodeApacheSchema(schema)) });
}
