/** Answers the requests of the `annarrow view` page. Does not use Node, so that a page without a server can run it. */

import type { Dataset, DataTable } from "annarrow";
import { InvalidInputError, isAnnarrowError, UnsupportedError } from "annarrow";
import { getPositionColumnName } from "annarrow/core/api";
import { streamWriter } from "annarrow/core/ipc";
import { toSqlTable } from "annarrow/core/query";
import { projectSchema, recordBatch } from "annarrow/core/tables";
import { Field, type RecordBatch, Schema } from "apache-arrow";
import { describeColumns, describeInput } from "./description.js";
import type { AnswerFormat } from "./encoded-rows.js";
import type { ViewPart } from "./part.js";
import { createPositionsStatement } from "./positions.js";
import { readWantedRows, type SchemaAndBatches, type StreamReading } from "./rows.js";
import { getShownElement, toShownTable } from "./shown-tables.js";
import type { FileRequest, ViewAnswer, ViewCall, ViewCompanion, ViewInputs, ViewRequest } from "./view-request.js";

/** A viewer's inputs, and functions that depend on the environment. */
export interface ViewerOptions {
  readonly inputs: () => Promise<ViewInputs["inputs"]>;
  /** Opens an input by name. @throws {NotFoundError} if there is no such input. */
  readonly open: (name: string) => Promise<Dataset>;
  /** Returns a text that changes when an input's content changes; absent if changes cannot be detected. */
  readonly version?: (name: string) => Promise<string>;
  /** Yields the encoded answer of a statement; absent if DuckDB is not available. */
  readonly statement?: (input: StatementInput, signal: AbortSignal) => AsyncIterable<Uint8Array>;
  /** True if an answer's bytes are valid only until the next ones are requested, so that memory can be reused. */
  readonly reuse?: boolean;
  /** Companion copies; absent if they cannot be made. */
  readonly companion?: (
    input: Pick<StatementInput, "name" | "dataset">,
    action: "state" | "start" | "stop",
  ) => Promise<ViewCompanion>;
}

export interface StatementInput {
  readonly name: string;
  readonly dataset: Dataset;
  readonly sql: string;
  readonly format: AnswerFormat;
}

export class Viewer {
  readonly #options: ViewerOptions;
  readonly #datasets: InputDatasets;
  readonly #versions = new Map<string, string>();

  constructor(options: ViewerOptions) {
    this.#options = options;
    this.#datasets = new InputDatasets(async (name) => {
      const version = await options.version?.(name);
      if (version !== undefined) this.#versions.set(name, version);
      return options.open(name);
    });
  }

  get calls(): readonly ViewCall[] {
    const { statement, companion } = this.#options;
    return [
      ...(["inputs", "describe", "columns", "rows", "gene", "save"] as const),
      ...(statement === undefined ? [] : (["positions", "sql", "save-rows", "save-answer"] as const)),
      ...(companion === undefined ? [] : (["companion"] as const)),
    ];
  }

  /**
   * Answers a request. A stream starts to read when it is iterated, and `signal` ends it.
   * @throws {NotFoundError} for an unknown input, table or column.
   * @throws {InvalidInputError} for an invalid request.
   * @throws {UnsupportedError} for calls that are not answered here.
   */
  async answer(request: ViewRequest, signal: AbortSignal): Promise<ViewAnswer> {
    if (request.call === "inputs") {
      return json({ inputs: await this.#options.inputs(), calls: this.calls } satisfies ViewInputs);
    }
    if (request.call === "describe") await this.#renewChanged(request.input);
    const { reuse = false } = this.#options;
    return this.#withDataset(request.input, signal, async (dataset) => {
      switch (request.call) {
        case "describe":
          return json(describeInput(request.input, dataset));
        case "columns":
          return json(
            describeColumns(toShownTable(dataset.table(getShownElement(dataset, request.table))), request.from),
          );
        case "rows": {
          const { schema, batches } = readWantedRows(await tableOf(dataset, request), request, { signal, reuse });
          return arrow(encodeArrowStream(schema, batches));
        }
        case "gene": {
          const matrix = getShownElement(dataset, request.matrix);
          const { schema, batches } = await readGeneEntries(dataset, { ...request, matrix }, { signal, reuse });
          return arrow(encodeArrowStream(schema, batches));
        }
        case "positions": {
          const element = getShownElement(dataset, request.table);
          const sql = createPositionsStatement(toSqlTable(dataset.table(element), request.table), request);
          return arrow(this.#statement({ name: request.input, dataset, sql, format: "stream" }, signal));
        }
        case "sql": {
          const { input: name, sql } = request;
          return arrow(this.#statement({ name, dataset, sql, format: "stream" }, signal));
        }
        case "companion": {
          const { companion } = this.#options;
          if (companion === undefined) throw new UnsupportedError("a copy by genes needs the server of annarrow view");
          return json(await companion({ name: request.input, dataset }, request.action));
        }
        case "save":
        case "save-rows":
        case "save-answer": {
          const part = await this.#part(dataset, request, signal);
          const { encodeViewPart } = await import("./part.js");
          return { kind: "file", name: part.fileName, type: part.type, chunks: encodeViewPart(part, signal) };
        }
        default:
          return request satisfies never;
      }
    });
  }

  /** Calls `action` with the part that a request saves. The dataset stays open until `action` ends. */
  async withPart<T>(request: FileRequest, signal: AbortSignal, action: (part: ViewPart) => Promise<T>): Promise<T> {
    const { dataset, release } = await this.#datasets.borrow(request.input);
    try {
      return await action(await this.#part(dataset, request, signal));
    } catch (error) {
      this.#renewIfChanged(request.input, error);
      throw error;
    } finally {
      release();
    }
  }

  /** Opens an input before the page requests it. */
  async prepare(name: string): Promise<void> {
    const { release } = await this.#datasets.borrow(name);
    release();
  }

  /** Reopens an input when it is next requested. */
  renew(name: string): void {
    this.#datasets.renew(name);
  }

  close(): Promise<void> {
    return this.#datasets.close();
  }

  /** Answers with a dataset that stays open until the answer has been read or the request is abandoned. */
  async #withDataset(
    name: string,
    signal: AbortSignal,
    answer: (dataset: Dataset) => Promise<ViewAnswer>,
  ): Promise<ViewAnswer> {
    const borrowed = await this.#datasets.borrow(name);
    try {
      signal.throwIfAborted();
      const answered = await answer(borrowed.dataset);
      if (answered.kind === "json") {
        borrowed.release();
        return answered;
      }
      signal.addEventListener("abort", () => borrowed.release(), { once: true });
      return { ...answered, chunks: this.#releasing(name, answered.chunks, borrowed) };
    } catch (error) {
      borrowed.release();
      this.#renewIfChanged(name, error);
      throw error;
    }
  }

  async *#releasing(
    name: string,
    chunks: AsyncIterable<Uint8Array>,
    borrowed: BorrowedDataset,
  ): AsyncGenerator<Uint8Array> {
    try {
      yield* chunks;
    } catch (error) {
      this.#renewIfChanged(name, error);
      throw error;
    } finally {
      borrowed.release();
    }
  }

  /** Reopens a changed input, so that a reloaded page shows the current file. */
  async #renewChanged(name: string): Promise<void> {
    const version = await this.#options.version?.(name);
    if (version === undefined) return;
    const known = this.#versions.get(name);
    if (known !== undefined && known !== version) this.renew(name);
  }

  #renewIfChanged(name: string, error: unknown): void {
    if (isAnnarrowError(error) && error.code === "source-changed") this.renew(name);
  }

  async #part(dataset: Dataset, request: FileRequest, signal: AbortSignal): Promise<ViewPart> {
    const { createViewPart } = await import("./part.js");
    const statement = (sql: string, format: AnswerFormat) =>
      this.#statement({ name: request.input, dataset, sql, format }, signal);
    return createViewPart(dataset, request, { signal, statement });
  }

  #statement(input: StatementInput, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const { statement } = this.#options;
    if (statement === undefined) throw new UnsupportedError("statements need DuckDB, which is not here");
    return statement(input, signal);
  }
}

async function tableOf(dataset: Dataset, { table: name, layout }: ViewRequest & { call: "rows" }): Promise<DataTable> {
  const table = dataset.table(getShownElement(dataset, name));
  return toShownTable(layout === undefined ? table : await table.layout(layout));
}

function json(value: unknown): ViewAnswer {
  return { kind: "json", value };
}

function arrow(chunks: AsyncIterable<Uint8Array>): ViewAnswer {
  return { kind: "arrow", chunks };
}

// Record batches are sent as the messages of an Arrow IPC stream.

/** Yields each batch's messages as soon as the batch is available, since the page shows a stream while it arrives. */
async function* encodeArrowStream(schema: Schema, batches: AsyncIterable<RecordBatch>): AsyncGenerator<Uint8Array> {
  const writer = streamWriter(schema);
  for await (const batch of batches) yield* writer.batch(batch);
  yield* writer.end();
}

// The entries of a gene over all cells are sent as they are read.

/**
 * Yields the entries of a matrix for one gene: `row` is the cell, and `value` is the entry's value. For a dense matrix,
 * only non-zero entries are returned.
 * @throws {NotFoundError} for an unknown matrix.
 * @throws {InvalidInputError} for an element that is not a matrix, and for a position outside the matrix.
 */
async function readGeneEntries(
  dataset: Dataset,
  { matrix, position }: { readonly matrix: string; readonly position: number },
  { signal, reuse }: StreamReading,
): Promise<SchemaAndBatches> {
  const table = dataset.table(matrix);
  if (!table.layouts.includes("coordinate")) {
    throw new InvalidInputError("is no matrix, and has no values of genes", { element: matrix });
  }
  const genes = await getPositionColumnName(dataset, "var");
  const cells = genes === "col" ? "row" : "col";
  const entries = await table.layout("coordinate");
  const columns = [cells, "value"];
  const own = projectSchema(entries.schema, columns, matrix);
  const [cell, value] = own.fields;
  const schema = new Schema([new Field("row", cell.type, false), new Field("value", value.type, value.nullable)]);
  const batches = entries.batches({ columns, where: { [genes]: [position] }, signal, reuse });
  return { schema, batches: renamed(schema, batches) };
}

async function* renamed(schema: Schema, batches: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
  for await (const batch of batches) yield recordBatch(schema, batch.numRows, [...batch.data.children]);
}

// A viewer's opened inputs. Each input is opened when it is first requested, and only a few stay open.

/** A dataset that stays open until it is released. */
interface BorrowedDataset {
  readonly dataset: Dataset;
  /** Releases the dataset. Calling it twice has no further effect. */
  release(): void;
}

interface Opened {
  readonly opening: Promise<Dataset>;
  users: number;
  /** True if the dataset is to be closed when its last user releases it. */
  isDropped: boolean;
}

/** Maximum number of unused datasets that stay open. */
const MAX_IDLE = 4;

class InputDatasets {
  readonly #open: (name: string) => Promise<Dataset>;
  /** Datasets by name. The most recently used one is last. */
  readonly #opened = new Map<string, Opened>();

  constructor(open: (name: string) => Promise<Dataset>) {
    this.#open = open;
  }

  /** @throws what opening throws. */
  async borrow(name: string): Promise<BorrowedDataset> {
    const opened = this.#opened.get(name) ?? this.#begin(name);
    opened.users++;
    this.#opened.delete(name);
    this.#opened.set(name, opened);
    let isBorrowed = true;
    const release = () => {
      if (!isBorrowed) return;
      isBorrowed = false;
      opened.users--;
      if (opened.isDropped) closeUnused(opened);
      else this.#dropIdle();
    };
    try {
      return { dataset: await opened.opening, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Reopens the input when it is next used, because its file has changed or was copied by genes. */
  renew(name: string): void {
    const opened = this.#opened.get(name);
    this.#opened.delete(name);
    if (opened !== undefined) drop(opened);
  }

  /** Closes all datasets, even if they are in use. */
  async close(): Promise<void> {
    const all = [...this.#opened.values()];
    this.#opened.clear();
    await Promise.allSettled(all.map(async ({ opening }) => (await opening).close()));
  }

  #begin(name: string): Opened {
    const opened: Opened = { opening: this.#open(name), users: 0, isDropped: false };
    this.#opened.set(name, opened);
    // A failed opening is forgotten, so that the next request tries again.
    opened.opening.catch(() => {
      if (this.#opened.get(name) === opened) this.#opened.delete(name);
    });
    return opened;
  }

  #dropIdle(): void {
    const idle = [...this.#opened].filter(([, { users }]) => users === 0);
    for (const [name] of idle.slice(0, Math.max(0, idle.length - MAX_IDLE))) this.renew(name);
  }
}

function drop(opened: Opened): void {
  opened.isDropped = true;
  closeUnused(opened);
}

function closeUnused({ users, opening }: Opened): void {
  if (users > 0) return;
  // No caller is left to receive an error that occurs while closing.
  void opening.then((dataset) => dataset.close()).catch(() => undefined);
}
