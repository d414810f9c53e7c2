/** Makes cell and feature names unique and non-empty, as Seurat requires. */

import { type LossyContext, reportLoss } from "annarrow/core/writers";

/** Makes the names of an axis unique. The names may be added in several parts. */
export class DistinctNames {
  readonly #element: string;
  readonly #cx: LossyContext;
  readonly #seen = new Set<string>();
  readonly #next = new Map<string, number>();
  #reported = false;

  constructor(element: string, cx: LossyContext) {
    this.#element = element;
    this.#cx = cx;
  }

  /**
   * Returns the names of the next part, made distinct.
   * @throws {RefusedError} for names that occur twice or are empty. If losses are allowed, these names are numbered
   * instead, as in R's `make.unique`, across this part and all earlier parts.
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
