/** The thread of one statement. DuckDB blocks its thread while it computes, and its memory is freed with the thread. */

import { parentPort, workerData } from "node:worker_threads";
import { type RecordBatch, RecordBatchReader, Schema } from "apache-arrow";
import { open } from "../../api/open.node.js";
import { tableMessages } from "../../flight/messages/table-messages.js";
import { messageOf } from "../../ipc/write/apache-writer.js";
import { toPlainError } from "../../jobs/workers/messages.js";
import type { DataTable, TableSet } from "../../model/dataset.js";
import { InvalidInputError } from "../../model/errors.js";
import { answerStatement } from "../../query/answer.js";
import { tablesNamedIn } from "../../query/named-tables.js";
import { sqlNames } from "../../query/names.js";
import { encodeTable } from "../../sinks/directory/encode.js";
import { loadTable } from "../../sinks/duckdb/duckdb.js";
import { type InProcessDuckDB, openDuckDB } from "../../sinks/duckdb/duckdb.node.js";
import { quotedName } from "../../sinks/duckdb/engine.js";
import { checkForDuckDB } from "../../sinks/duckdb/held-types.js";
import { readTable } from "../../tables/record-batch.js";
import { rowlessTable } from "../../tables/rowless.js";
import { selectColumns } from "../../tables/table-columns.js";
import type { TextFormat } from "../requests/answer.js";
import {
  bindValues,
  executeWithoutValues,
  hasParameters,
  parametersOf,
  parametersQuery,
  prepareQuery,
} from "./parameters.js";
import type { FromStatement, StatementTask, ToStatement } from "./statement-messages.js";
import { meantTables, withTables } from "./statement-tables.js";

/** The task, which the main thread has checked. */
const task: StatementTask = workerData;
const uploads: (Uint8Array | null)[] = [];
/** Number of pieces that may be sent, and a function that wakes the waiting code when a message came. */
const flow = { credit: 1, wake: (): void => undefined };

parentPort?.on("message", (message: ToStatement) => {
  switch (message.kind) {
    case "upload":
      uploads.push(message.bytes);
      break;
    case "uploaded":
      uploads.push(null);
      break;
    case "more":
      flow.credit++;
      break;
    default:
      message satisfies never;
  }
  flow.wake();
});

const send = (message: FromStatement, transfer: ArrayBuffer[] = []) => parentPort?.postMessage(message, transfer);
const woken = () =>
  new Promise<void>((resolve) => {
    flow.wake = resolve;
  });

/** Sends a piece of the answer when the one before was sent on. */
async function sendPiece(message: Extract<FromStatement, { readonly kind: "message" | "text" }>): Promise<void> {
  while (flow.credit === 0) await woken();
  flow.credit--;
  send(message, [message.bytes.buffer]);
}

async function* uploaded(): AsyncGenerator<Uint8Array> {
  for (;;) {
    while (uploads.length === 0) await woken();
    const bytes = uploads.shift() ?? null;
    if (bytes === null) return;
    send({ kind: "taken" });
    yield bytes;
  }
}

async function uploadedTable(name: string): Promise<DataTable> {
  const reader = await RecordBatchReader.from(uploaded());
  await reader.open();
  const none = () => {
    throw new InvalidInputError("an uploaded table has one form, and is read once", { element: name });
  };
  const table: DataTable = {
    name,
    schema: reader.schema,
    rows: null,
    metadata: { kind: "dataframe" },
    derived: false,
    axis: null,
    layouts: [],
    layout: none,
    batches: () => reader,
    read: (options) => readTable(table, options),
  };
  return table;
}

const relations = sqlNames(task.sql).relations;

async function run(): Promise<void> {
  const engine = await openDuckDB();
  await engine.run(`set memory_limit = '${Math.ceil(task.memory / 2 ** 20)}MiB'`);
  const opened = await Promise.all(task.datasets.map(async ({ schema, file }) => ({ schema, set: await open(file) })));
  try {
    const schemas = new Set(opened.flatMap(({ schema }) => schema ?? []));
    for (const { schema, set } of opened) {
      if (schema !== null) await loadSchema(engine, schema, meantTables(set, relations, schema, schemas));
    }
    const main = opened.find(({ schema }) => schema === null)?.set ?? null;
    // Errors about unknown tables list all tables of a dataset that is alone.
    const meant = main === null || schemas.size === 0 ? main : meantTables(main, relations, null, schemas);
    const dataset = await mainDataset(meant);
    if (task.format === "arrow") await answer(engine, dataset);
    else await answerText(engine, dataset, task.format);
  } finally {
    for (const { set } of opened) await set.close();
  }
}

/** The tables that are named without a schema, with the uploaded one. */
async function mainDataset(meant: TableSet | null): Promise<TableSet> {
  const tables = new Map<string, DataTable>();
  for (const [name, table] of meant?.tables ?? []) tables.set(name, withRows(table));
  if (task.upload !== null) tables.set(task.upload, await uploadedTable(task.upload));
  return withTables(meant, tables);
}

/** Loads the tables that the statement names behind a schema. */
async function loadSchema({ connection, run }: InProcessDuckDB, schema: string, meant: TableSet): Promise<void> {
  const tables = new Map([...meant.tables].map(([name, table]) => [name, withRows(table)]));
  await run(`create schema ${quotedName(schema)}`);
  const within: typeof connection = {
    query: (sql) => connection.query(sql),
    insertArrowFromIPCStream: (bytes, options) => connection.insertArrowFromIPCStream(bytes, { ...options, schema }),
  };
  for (const { table, columns } of await tablesNamedIn(task.sql, withTables(meant, tables))) {
    const chosen = columns === null ? table : selectColumns(table, columns);
    checkForDuckDB(chosen.schema, chosen.name);
    await loadTable(chosen, within, {});
  }
}

/** Whether the columns of the answer depend on values, so that its schema needs all rows. */
const isPivot = /\bpivot\b/i.test(task.sql);

const withRows = (table: DataTable) => (task.wanted === "rows" || isPivot ? table : rowlessTable(table));

/**
 * Loads the tables that the statement names alone, and runs `sql`. An error tells how tables are named where no dataset is
 * the one without a schema.
 */
async function answered(engine: InProcessDuckDB, dataset: TableSet, sql: string): Promise<DataTable> {
  try {
    // The uploaded table is read even if the statement does not name it, because its sender waits for that.
    const also = task.upload === null ? [] : [task.upload];
    // A schema needs no rows, and values of parameters and tables of other datasets are not planned for.
    const whole = task.wanted !== "rows" || sql !== task.sql || task.datasets.some(({ schema }) => schema !== null);
    return await answerStatement(dataset, sql, engine, { also, confined: true, whole });
  } catch (error) {
    const hasMain = task.datasets.some(({ schema }) => schema === null);
    if (hasMain || !(error instanceof InvalidInputError)) throw error;
    const [unknown] = /^.*Table with name .* does not exist!/.exec(error.problem) ?? [];
    if (unknown === undefined) throw error;
    const hint = 'Its dataset goes in front, as in "pbmc.h5ad".obs, or is the schema of the session';
    throw new InvalidInputError(`${unknown} ${hint}`);
  }
}

async function answerText(engine: InProcessDuckDB, dataset: TableSet, format: TextFormat): Promise<void> {
  const result = await answered(engine, dataset, task.sql);
  for await (const bytes of encodeTable(result, format === "json" ? "ndjson" : format)) {
    await sendPiece({ kind: "text", bytes: Uint8Array.from(bytes) });
  }
}

async function answer(engine: InProcessDuckDB, dataset: TableSet): Promise<void> {
  const results = resultsOf(engine, dataset);
  const first = await results.next();
  if (first.done) throw new InvalidInputError("the statement has no answer");
  const { schema } = first.value;
  sendSchema(schema);
  if (task.wanted !== "rows") return;
  async function* batches(): AsyncGenerator<RecordBatch> {
    yield* first.value.batches();
    for await (const result of results) yield* result.batches();
  }
  let isFirst = true;
  for await (const message of tableMessages({ schema, batches: batches() }, task.messageBytes)) {
    if (!isFirst) await sendPiece({ kind: "message", ...message });
    isFirst = false;
  }
}

/** The answer, or one for each row of values for the parameters. */
async function* resultsOf(engine: InProcessDuckDB, dataset: TableSet): AsyncGenerator<DataTable> {
  const { sql, parameters, wanted } = task;
  if (!hasParameters(sql) || (parameters === null && wanted !== "prepared")) {
    if (wanted === "prepared") sendSchema(new Schema([]));
    yield answered(engine, dataset, sql);
    return;
  }
  await (await answered(engine, dataset, prepareQuery(sql))).read();
  const types = await parametersOf(engine, sql);
  if (wanted === "prepared") sendSchema((await engine.query(parametersQuery(types))).schema);
  const executions =
    parameters === null ? [executeWithoutValues(types)] : await bindValues(engine, parameters, types.length);
  for (const execution of executions) yield engine.query(execution);
}

function sendSchema(schema: Schema): void {
  send({ kind: "schema", bytes: Uint8Array.from(messageOf(schema)) });
}

try {
  await run();
  send({ kind: "end" });
} catch (error) {
  send({ kind: "failed", error: toPlainError(error) });
}
parentPort?.close();
