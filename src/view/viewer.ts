/** Answers what the page of `annarrow view` asks. It needs nothing of Node: a page without a server has it in a worker. */

import type { Dataset, DataTable } from "../model/dataset.js";
import { NotFoundError, UnsupportedError } from "../model/errors.js";
import { arrowStream } from "./arrow-stream.js";
import { describeInput } from "./description.js";
import { geneEntries } from "./gene.js";
import { positionsStatement } from "./positions.js";
import { rowsOf } from "./rows.js";
import type { ViewAnswer, ViewCall, ViewInputs, ViewRequest } from "./view-request.js";

/** What a viewer shows, and what depends on where it runs. */
export interface ViewerOptions {
  readonly inputs: () => Promise<ViewInputs["inputs"]>;
  /** Opens an input by its name. A dataset is opened once, and closed by `close`. */
  readonly open: (name: string) => Promise<Dataset>;
  /** The answer of a statement, as the messages of an Arrow stream; absent where there is no DuckDB. */
  readonly statement?: (input: StatementInput, signal: AbortSignal) => AsyncIterable<Uint8Array>;
}

export interface StatementInput {
  readonly name: string;
  readonly dataset: Dataset;
  readonly sql: string;
}

export class Viewer {
  readonly #options: ViewerOptions;
  readonly #opened = new Map<string, Promise<Dataset>>();

  constructor(options: ViewerOptions) {
    this.#options = options;
  }

  /** Calls that are answered. */
  get calls(): readonly ViewCall[] {
    const { statement } = this.#options;
    return ["inputs", "describe", "rows", "gene", ...(statement === undefined ? [] : (["positions", "sql"] as const))];
  }

  /**
   * Answers a request. Streams begin to read when they are iterated.
   * @throws {NotFoundError} for an input, a table or a column that is not there.
   * @throws {InvalidInputError} for what makes no sense.
   * @throws {UnsupportedError} for calls that are not answered here.
   */
  async answer(request: ViewRequest, signal: AbortSignal): Promise<ViewAnswer> {
    if (request.call === "inputs") {
      return json({ inputs: await this.#options.inputs(), calls: this.calls } satisfies ViewInputs);
    }
    const dataset = await this.#dataset(request.input);
    signal.throwIfAborted();
    switch (request.call) {
      case "describe":
        return json(describeInput(request.input, dataset));
      case "rows": {
        const { schema, batches } = rowsOf(await tableOf(dataset, request), request, signal);
        return arrow(arrowStream(schema, batches));
      }
      case "gene": {
        const { schema, batches } = await geneEntries(dataset, request.matrix, request.position, signal);
        return arrow(arrowStream(schema, batches));
      }
      case "positions":
        return arrow(
          this.#statement(request.input, dataset, positionsStatement(dataset.table(request.table), request), signal),
        );
      case "sql":
        return arrow(this.#statement(request.input, dataset, request.sql, signal));
      case "companion":
      case "save":
        throw new UnsupportedError(`${request.call} needs the server of annarrow view`);
      default:
        return request satisfies never;
    }
  }

  /** Closes what was opened. */
  async close(): Promise<void> {
    const opened = [...this.#opened.values()];
    this.#opened.clear();
    await Promise.allSettled(opened.map(async (dataset) => (await dataset).close()));
  }

  async #dataset(name: string): Promise<Dataset> {
    const known = this.#opened.get(name);
    if (known !== undefined) return known;
    const inputs = await this.#options.inputs();
    if (!inputs.some((input) => input.name === name)) throw new NotFoundError(`no input ${JSON.stringify(name)}`);
    const again = this.#opened.get(name);
    if (again !== undefined) return again;
    const opening = this.#options.open(name);
    this.#opened.set(name, opening);
    // What could not be opened may be there at the next try.
    opening.catch(() => this.#opened.delete(name));
    return opening;
  }

  #statement(name: string, dataset: Dataset, sql: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const { statement } = this.#options;
    if (statement === undefined) throw new UnsupportedError("statements need DuckDB, which is not here");
    return statement({ name, dataset, sql }, signal);
  }
}

async function tableOf(dataset: Dataset, { table: name, layout }: ViewRequest & { call: "rows" }): Promise<DataTable> {
  const table = dataset.table(name);
  return layout === undefined ? table : table.layout(layout);
}

function json(value: unknown): ViewAnswer {
  return { kind: "json", value };
}

function arrow(chunks: AsyncIterable<Uint8Array>): ViewAnswer {
  return { kind: "arrow", chunks };
}
