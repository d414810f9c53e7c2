/** The features of all datasets. Each feature has one column in the union. */

import { InvalidInputError } from "annarrow";
import type { Column } from "annarrow/core/arrow";
import { NumberedNames } from "annarrow/core/concat";

/** Features by key. Columns are assigned in the order in which keys first appear, and never change. */
export class FeatureRegistry {
  readonly #names = new NumberedNames();

  get count(): number {
    return this.#names.count;
  }

  /** Assigns the next columns to keys of an earlier commit. @returns number of keys. */
  addKnown(keys: readonly Column[]): number {
    const before = this.count;
    this.#names.numbersOf(keys);
    return this.count - before;
  }

  /**
   * Finds the columns of a dataset's features. Features that no earlier dataset has get new columns.
   * @param keys text columns.
   * @returns the positions of new features in the dataset.
   * @throws {InvalidInputError} for a repeated key.
   */
  add(keys: readonly Column[], source: string): Int32Array {
    const before = this.count;
    const columns = this.#names.numbersOf(keys);
    const repeated = this.#names.repeatedIn(columns);
    if (repeated !== null) {
      throw new InvalidInputError(
        `the feature ${JSON.stringify(repeated)} is there twice: choose a column whose values are unique (--var-key), or make the names unique`,
        { source, element: "var" },
      );
    }
    const added: number[] = [];
    for (let i = 0; i < columns.length; i++) if (columns[i] >= before) added.push(i);
    return Int32Array.from(added);
  }

  /**
   * Returns the columns of a dataset's features.
   * @param keys text columns.
   * @throws {InvalidInputError} for a feature that the union does not have.
   */
  columnsOf(keys: readonly Column[], source: string): Int32Array {
    const before = this.count;
    const columns = this.#names.numbersOf(keys);
    const unknown = columns.find((column) => column >= before);
    if (unknown === undefined) return columns;
    const [name] = this.#names.names(Int32Array.of(unknown));
    throw new InvalidInputError(`the feature ${JSON.stringify(name)} is not in the plan`, { source, element: "var" });
  }
}
