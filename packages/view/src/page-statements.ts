/** Runs statements about the inputs of a page without a server. All use one DuckDB, one statement at a time. */

import type { Dataset } from "annarrow";
import { InvalidInputError } from "annarrow";
import { Session } from "annarrow/core/query";
import type { DuckDBEngine } from "annarrow/core/sinks";
import { encodeAnswerRows } from "./encoded-rows.js";
import { Mutex } from "./mutex.js";
import type { StatementInput } from "./viewer.js";

export class PageStatements {
  readonly #open: () => Promise<DuckDBEngine>;
  #current: { readonly dataset: Dataset; readonly session: Session } | null = null;
  readonly #turns = new Mutex();

  /** @param open opens an empty DuckDB, for the first statement and whenever the dataset changes. */
  constructor(open: () => Promise<DuckDBEngine>) {
    this.#open = open;
  }

  /** Yields the encoded answer of a statement. */
  async *answer(statement: StatementInput, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const end = await this.#turns.take();
    try {
      signal.throwIfAborted();
      const session = await this.#session(statement);
      const { rows, copy } = await session.answer(statement.sql, { signal });
      if (copy !== null) throw new InvalidInputError("a page writes no files: run the statement, and save its answer");
      yield* encodeAnswerRows(rows, statement.format, { signal });
    } finally {
      end();
    }
  }

  async #session({ name, dataset }: StatementInput): Promise<Session> {
    if (this.#current?.dataset === dataset) return this.#current.session;
    await this.#current?.session.close();
    const session = new Session(
      { datasets: [{ name, path: name, dataset }], union: false },
      { files: null, open: this.#open },
    );
    this.#current = { dataset, session };
    return session;
  }
}
