/** A viewer of the inputs that were given to the page. DuckDB is loaded for the first statement. */

import type { ViewRequest } from "annarrow/view";
import { type GivenInput, nameOfInput, openInput, PageStatements, type ViewAnswer, Viewer } from "annarrow/view";

export class LocalViewer {
  readonly #inputs = new Map<string, GivenInput>();
  readonly #viewer: Viewer;

  constructor() {
    const statements = new PageStatements(async () => (await import("./duckdb.js")).startDuckDB());
    this.#viewer = new Viewer({
      inputs: async () =>
        [...this.#inputs].map(([name, given]) => ({ name, bytes: given.kind === "file" ? given.file.size : null })),
      open: (name) => {
        const given = this.#inputs.get(name);
        if (given === undefined) throw new TypeError(`no input ${JSON.stringify(name)}`);
        return openInput(given);
      },
      statement: (statement, signal) => statements.answer(statement, signal),
    });
  }

  /** Adds an input. @returns its name, which differs from those of other inputs. */
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
