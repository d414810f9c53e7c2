/** A viewer for inputs added to the page. DuckDB is loaded on the first statement. */

import {
  type GivenInput,
  nameOfInput,
  openInput,
  type PageStatements,
  type StatementInput,
  type ViewAnswer,
  Viewer,
  type ViewRequest,
} from "annarrow/view";

export class LocalViewer {
  readonly #inputs = new Map<string, GivenInput>();
  readonly #viewer: Viewer;
  #statements: Promise<PageStatements> | null = null;

  constructor() {
    this.#viewer = new Viewer({
      inputs: async () =>
        [...this.#inputs].map(([name, given]) => ({ name, bytes: given.kind === "file" ? given.file.size : null })),
      open: (name) => {
        const given = this.#inputs.get(name);
        if (given === undefined) throw new TypeError(`no input ${JSON.stringify(name)}`);
        return openInput(given);
      },
      statement: (statement, signal) => this.#answer(statement, signal),
    });
  }

  async *#answer(statement: StatementInput, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    this.#statements ??= import("./duckdb.js").then(({ duckdbStatements }) => duckdbStatements());
    yield* (await this.#statements).answer(statement, signal);
  }

  /** Adds an input. @returns its unique name. */
  add(given: GivenInput): string {
    const name = nameOfInput(given);
    const known = this.#inputs.get(name);
    if (known?.kind === "address" && given.kind === "address") return name;
    let free = name;
    for (let count = 2; this.#inputs.has(free); count++) free = `${name} (${count})`;
    this.#inputs.set(free, given);
    return free;
  }

  answer(request: ViewRequest, signal: AbortSignal): Promise<ViewAnswer> {
    return this.#viewer.answer(request, signal);
  }
}
