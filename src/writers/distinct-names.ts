/** Names of cells and features as Seurat demands them: each one once, and none of them empty. */

import { type LossContext, reportLoss } from "./context.js";

/** The names of one axis, which come in one or more parts. */
export class DistinctNames {
  readonly #element: string;
  readonly #cx: LossContext;
  readonly #seen = new Set<string>();
  readonly #next = new Map<string, number>();
  #reported = false;

  constructor(element: string, cx: LossContext) {
    this.#element = element;
    this.#cx = cx;
  }

  /**
   * The names of the next part, each of which is there once.
   * @throws {RefusedError} for names that occur twice, or are empty, unless losses are allowed: then they are numbered, as
   *   by R's `make.unique`, beside all names of this part and of the parts before.
   */
  add(names: readonly string[]): readonly string[] {
    const own = new Set<string>();
    const twice = names.find((name) => name === "" || this.#seen.has(name) || own.size === own.add(name).size);
    if (twice !== undefined) return this.#numbered(names, twice);
    for (const name of names) this.#seen.add(name);
    return names;
  }

  #numbered(given: readonly string[], twice: string): readonly string[] {
    if (!this.#reported) {
      reportLoss(this.#cx, this.#element, {
        problem:
          twice === ""
            ? "an empty name, which Seurat does not take"
            : `the name ${JSON.stringify(twice)} occurs twice, and Seurat tells rows by their names`,
        remedy: "rename them (obs_names_make_unique, var_names_make_unique)",
        instead: "names that occur twice get numbers, as by R's make.unique, and empty ones the name NA",
      });
    }
    this.#reported = true;
    const names = given.map((name) => (name === "" ? "NA" : name));
    const taken = new Set([...this.#seen, ...names]);
    return names.map((name) => {
      let own = name;
      if (this.#seen.has(name)) {
        let number = this.#next.get(name) ?? 1;
        while (taken.has(`${name}.${number}`)) number++;
        this.#next.set(name, number + 1);
        own = `${name}.${number}`;
        taken.add(own);
      }
      this.#seen.add(own);
      return own;
    });
  }
}
