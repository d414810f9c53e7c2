/** The datasets that a program has opened through a pipe, and the answers to its requests. */

import { type AxisSelector, InvalidInputError, isAnnarrowError, NotFoundError, slice } from "annarrow";
import type { OpenedDataset, OpenedTable } from "annarrow/core/api";
import { findWherePositions, tableWhere } from "annarrow/core/api";
import { ColumnDataTable, FileTable, StoredTable } from "annarrow/core/tables";
import type { TableMessage } from "../../flight/messages/message-data.js";
import { Backpressure } from "../answers/backpressure.js";
import { createTableAnswer } from "../answers/table-answer.js";
import type { Answer } from "../requests/answer.js";
import { toErrorJson } from "./pipe-frames.js";
import type { PipeOptions, PipeRequest, PipeSelector } from "./pipe-request.js";

export interface PipeInputs {
  open(input: string, options: PipeOptions, signal: AbortSignal): Promise<OpenedDataset<OpenedTable>>;
  /** Returns the paths that match name patterns, in order. */
  files(patterns: readonly string[], options: PipeOptions, signal: AbortSignal): Promise<readonly string[]>;
}

/** Parts of an Arrow IPC stream, followed by JSON. */
export type PipeAnswer = AsyncGenerator<Pick<TableMessage, "bytes" | "done">, unknown>;

type ReadRequest = Extract<PipeRequest, { kind: "read" }>;
type TableRequest = ReadRequest | Extract<PipeRequest, { kind: "schema" }>;
type TablePart = Omit<Parameters<typeof createTableAnswer>[1], "kind" | "path">;

/** Limits for a single reader. Its streams may decode ahead, and it counts as slow only if it has stopped reading. */
const PACE = { wide: 8, narrow: 4, bytes: 2 ** 26, batchBytes: 2 ** 23, patience: 10_000 };

export class PipeDatasets {
  readonly #inputs: PipeInputs;
  readonly #pace: Backpressure;
  readonly #opened = new Map<number, OpenedDataset<OpenedTable>>();
  #next = 1;

  constructor(inputs: PipeInputs, pace = new Backpressure(PACE)) {
    this.#inputs = inputs;
    this.#pace = pace;
  }

  /** @throws the errors of the requested operation. */
  async *answer(request: PipeRequest, signal: AbortSignal): PipeAnswer {
    switch (request.kind) {
      case "open": {
        const dataset = await this.#inputs.open(request.input, request.options, signal);
        const number = this.#next++;
        this.#opened.set(number, dataset);
        return { dataset: number, ...described(dataset) };
      }
      case "close": {
        const dataset = this.#opened.get(request.dataset);
        this.#opened.delete(request.dataset);
        await dataset?.close();
        return {};
      }
      case "files":
        return { files: await this.#inputs.files(request.patterns, request.options, signal) };
      case "schema":
      case "read":
        return yield* this.#tableParts(request, signal);
      default:
        return request satisfies never;
    }
  }

  async *#tableParts(request: TableRequest, signal: AbortSignal): PipeAnswer {
    const dataset = this.#opened.get(request.dataset);
    if (dataset === undefined) throw new NotFoundError("the dataset is closed");
    const stored = dataset.table(request.table);
    try {
      const { layout } = request;
      const table = layout === undefined ? stored : await stored.layout(layout);
      if (request.kind === "schema") {
        yield { bytes: await (await this.#answer(table, {})).schema(signal) };
        return { rows: table.rows, metadata: table.metadata };
      }
      const { columns, rows } = request;
      const parts = { columns, rows };
      yield* (await this.#answer(await chosen(table, request, signal), parts)).messages(signal);
      return {};
    } catch (error) {
      throw isAnnarrowError(error) ? error.locate({ source: dataset.source, element: request.table }) : error;
    }
  }

  #answer(table: OpenedTable, parts: Pick<TablePart, "columns" | "rows">): Promise<Answer> {
    const origin = { name: table.name, identity: "", isFixed: false, since: null, close: () => undefined };
    return createTableAnswer(table, { kind: "table", path: [], ...parts }, origin, this.#pace);
  }
}

async function chosen(table: OpenedTable, { where, rows }: ReadRequest, signal: AbortSignal): Promise<OpenedTable> {
  if (where === undefined) return table;
  const element = table.name;
  if (rows !== undefined) {
    throw new InvalidInputError("either rows or where: rows are counted in the whole table", { element });
  }
  const { row, col } = where;
  const selectors = {
    row: row === undefined ? undefined : selectorOf(row),
    col: col === undefined ? undefined : selectorOf(col),
  };
  if (table instanceof StoredTable) return table.at(await findWherePositions(table, selectors, { signal }), { signal });
  if (table instanceof FileTable || table instanceof ColumnDataTable) return tableWhere(table, selectors, { signal });
  throw new InvalidInputError("nothing chooses rows of this table", { element });
}

function selectorOf(selector: PipeSelector): AxisSelector {
  if (Array.isArray(selector)) return selector;
  if ("sql" in selector) return { kind: "sql", text: selector.sql };
  const [start, end] = selector.slice;
  return end === null ? slice(start) : slice(start, end);
}

/** Describes a dataset without reading values. */
function described({
  format,
  version,
  container,
  shape,
  source,
  tables,
  failures,
  warnings,
}: OpenedDataset<OpenedTable>) {
  return {
    ...{ format, version, container, shape, source, warnings },
    tables: [...tables.keys()],
    failures: Object.fromEntries([...failures].map(([name, error]) => [name, toErrorJson(error)])),
  };
}
