/** Answers requests: finds and opens the dataset, then chooses the table or starts the statement. */

import type { OpenedTable } from "../../api/opened-dataset.js";
import { schemaOf } from "../../flight/messages/message-data.js";
import { isAnnarrowError } from "../../model/errors.js";
import { StoredTable } from "../../tables/stored-table.js";
import type { Borrowed, BorrowOptions, Datasets } from "../datasets/datasets.node.js";
import type { Answer } from "../requests/answer.js";
import { Refusal } from "../requests/failure.js";
import type { DataRequest, SqlRequest, TableRequest } from "../requests/request.js";
import type { Statements } from "../statements/statements.node.js";
import type { Pace } from "./pace.js";
import { tableAnswer } from "./table-answer.js";

export interface AnswerOptions extends BorrowOptions {
  /** Throws where the found file is not the requested one. */
  readonly check?: (borrowed: Borrowed) => void;
}

/** Default limit of the decoded bytes of one chunk. */
const CHUNK_BYTES = 2 ** 28;

export class Answers {
  readonly #datasets: Datasets;
  readonly #statements: Statements;
  readonly #pace: Pace;
  readonly #chunkBytes: number;

  constructor(datasets: Datasets, statements: Statements, pace: Pace, chunkBytes = CHUNK_BYTES) {
    this.#datasets = datasets;
    this.#statements = statements;
    this.#pace = pace;
    this.#chunkBytes = chunkBytes;
  }

  /** The answer to `request`, which the caller must close. */
  async answer(request: DataRequest, { check, ...borrow }: AnswerOptions = {}): Promise<Answer> {
    const borrowed = await this.#datasets.borrow(request.path, borrow);
    try {
      check?.(borrowed);
      return request.kind === "table" ? await this.#table(request, borrowed) : this.#statement(request, borrowed);
    } catch (error) {
      borrowed.release();
      throw error;
    }
  }

  async #table(request: TableRequest, borrowed: Borrowed): Promise<Answer> {
    const { dataset, found, rest, isFixed, since, release } = borrowed;
    const name = request.table ?? rest;
    if (request.table !== undefined && rest !== "") {
      throw new Refusal("invalid", `${found.name} is a dataset, and ${JSON.stringify(rest)} is too much of a name`);
    }
    if (name === "") {
      const names = [...dataset.tables.keys()].slice(0, 20).join(", ");
      throw new Refusal("invalid", `${found.name} is a dataset; name one of its tables: ${names}`);
    }
    const origin = { name: `${found.name}/${name}`, identity: found.identity, isFixed, since, close: release };
    const table = dataset.table(name);
    this.#refuseLarge(table, origin.name);
    const answer = await tableAnswer(table, request, origin, this.#pace);
    return {
      ...answer,
      messages: (signal) => droppingChanged(answer.messages(signal), borrowed),
      text: (format, signal) => droppingChanged(answer.text(format, signal), borrowed),
    };
  }

  /** Refuses large chunks: a chunk is decoded in one go, and the server answers no other request meanwhile. */
  #refuseLarge(table: OpenedTable, name: string): void {
    const bytes = table instanceof StoredTable ? table.chunkBytes : 0;
    if (bytes <= this.#chunkBytes) return;
    throw new Refusal(
      "unprocessable",
      `${name}: a chunk of ${bytes} bytes, at most ${this.#chunkBytes} are decoded here (--max-chunk)`,
    );
  }

  /** The statement runs when rows are asked for; the schema comes from a run without rows. The caller has a turn for it. */
  #statement({ sql }: SqlRequest, { found, rest, since, release }: Borrowed): Answer {
    if (rest !== "") throw new Refusal("not-found", `nothing is served as ${JSON.stringify(`${found.name}/${rest}`)}`);
    const statements = this.#statements;
    const task = { sql, file: found.path, upload: null } as const;
    return {
      name: found.name,
      async schema(signal) {
        const probe = statements.start({ ...task, schemaOnly: true, format: "arrow" }, signal);
        return probe.schema().finally(() => probe.close());
      },
      rows: null,
      bytes: async () => null,
      first: null,
      metadata: null,
      entriesBefore: async () => null,
      ...{ identity: found.identity, since },
      // A statement may ask for the time, or for random numbers.
      isFixed: false,
      async *messages(signal) {
        const statement = statements.start({ ...task, schemaOnly: false, format: "arrow" }, signal);
        try {
          yield schemaOf(await statement.schema());
          yield* statement.messages();
        } finally {
          statement.close();
        }
      },
      async *text(format, signal) {
        const statement = statements.start({ ...task, schemaOnly: false, format }, signal);
        try {
          yield* statement.text();
        } finally {
          statement.close();
        }
      },
      close: release,
    };
  }
}

/** `values`; a dataset that turns out to have changed is dropped, so the next request opens it anew. */
async function* droppingChanged<T>(values: AsyncGenerator<T>, { drop }: Borrowed): AsyncGenerator<T> {
  try {
    yield* values;
  } catch (error) {
    if (isAnnarrowError(error) && error.code === "source-changed") drop();
    throw error;
  }
}
