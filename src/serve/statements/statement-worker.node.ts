/** The thread of one statement. DuckDB blocks its thread while it computes, and its memory is freed with the thread. */

import { parentPort, workerData } from "node:worker_threads";
import { RecordBatchReader } from "apache-arrow";
import { open } from "../../api/open.node.js";
import { tableMessages } from "../../flight/messages/table-messages.js";
import { messageOf } from "../../ipc/write/apache-writer.js";
import { toPlainError } from "../../jobs/workers/messages.js";
import type { DataTable, TableSet } from "../../model/dataset.js";
import { InvalidInputError, NotFoundError } from "../../model/errors.js";
import { answerStatement } from "../../query/answer.js";
import { encodeTable } from "../../sinks/directory/encode.js";
import { openDuckDB } from "../../sinks/duckdb/duckdb.node.js";
import { readTable, sliceBatch } from "../../tables/record-batch.js";
import type { FromStatement, StatementTask, ToStatement } from "./statement-messages.js";

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

/** `dataset` with changed tables, and with `more`. */
function changed(dataset: TableSet | null, change: (table: DataTable) => DataTable, more: DataTable | null): TableSet {
  const tables = new Map<string, DataTable>();
  for (const [name, table] of dataset?.tables ?? []) tables.set(name, change(table));
  if (more !== null) tables.set(more.name, more);
  return {
    format: dataset?.format ?? "tables",
    version: dataset?.version ?? "",
    container: dataset?.container ?? "arrow",
    shape: dataset?.shape ?? null,
    source: dataset?.source ?? "",
    tables,
    failures: dataset?.failures ?? new Map(),
    warnings: [],
    table(name) {
      const table = tables.get(name);
      if (table !== undefined) return table;
      const failure = dataset?.failures.get(name);
      throw failure ?? new NotFoundError(`no table ${JSON.stringify(name)}`);
    },
    close: async () => dataset?.close(),
  };
}

function rowless(table: DataTable): DataTable {
  const { name, schema, metadata, derived, axis, layouts } = table;
  const empty: DataTable = {
    ...{ name, schema, metadata, derived, axis, layouts },
    rows: table.rows === null ? null : 0,
    layout: async (layout) => rowless(await table.layout(layout)),
    async *batches(options) {
      for await (const batch of table.batches({
        ...options,
        batchBytes: 1,
        ...(table.rows === null ? {} : { rows: [0, 0] }),
      })) {
        yield sliceBatch(batch, 0, 0);
        return;
      }
    },
    read: (options) => readTable(empty, options),
  };
  return empty;
}

async function run(): Promise<void> {
  const opened = task.file === null ? null : await open(task.file);
  try {
    await answer(opened);
  } finally {
    await opened?.close();
  }
}

async function answer(opened: TableSet | null): Promise<void> {
  const { sql, upload, schemaOnly, format, memory, messageBytes } = task;
  const more = upload === null ? null : await uploadedTable(upload);
  const dataset = changed(opened, schemaOnly ? rowless : (table) => table, more);
  const engine = await openDuckDB();
  await engine.run(`set memory_limit = '${Math.ceil(memory / 2 ** 20)}MiB'`);
  // The uploaded table is read even if the statement does not name it, because its sender waits for that.
  const result = await answerStatement(dataset, sql, engine, {
    also: upload === null ? [] : [upload],
    confined: true,
    // A schema needs no rows, and tables without rows have no positions.
    whole: schemaOnly,
  });
  if (format !== "arrow") {
    for await (const bytes of encodeTable(result, format === "json" ? "ndjson" : format))
      await sendPiece({ kind: "text", bytes: Uint8Array.from(bytes) });
    return;
  }
  send({ kind: "schema", bytes: Uint8Array.from(messageOf(result.schema)) });
  if (schemaOnly) return;
  let isFirst = true;
  for await (const message of tableMessages({ schema: result.schema, batches: result.batches() }, messageBytes)) {
    if (!isFirst) await sendPiece({ kind: "message", ...message });
    isFirst = false;
  }
}

try {
  await run();
  send({ kind: "end" });
} catch (error) {
  send({ kind: "failed", error: toPlainError(error) });
}
parentPort?.close();
