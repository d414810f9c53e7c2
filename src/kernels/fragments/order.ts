/** Checks during a pass that fragments are ordered by chromosome and start. */

import type { CheckedFragments, FragmentPage } from "./page.js";
import { type ChromosomeRange, countBackwards, type FragmentPositions, findNextDescent, runEnd } from "./rows.js";

export type OrderProblem =
  /** A chromosome appears again after other chromosomes. */
  | { readonly kind: "chromosome"; readonly row: number; readonly chr: number }
  | {
      readonly kind: "start";
      readonly row: number;
      readonly chr: number;
      readonly start: number;
      readonly before: number;
    };

export type Ordered =
  | { readonly problem: null; readonly runs: readonly ChromosomeRange[]; readonly backwards: number }
  | { readonly problem: OrderProblem };

export class FragmentOrder {
  readonly #page: FragmentPage;
  /** The completed chromosomes; null if chromosome numbers must ascend. */
  readonly #over: Set<number> | null;
  #chr = -1;
  #start = 0;
  #rows = 0;

  /** @param chromosomes "ascending": in numeric order; "together": each contiguous, in any order. */
  constructor(page: FragmentPage, chromosomes: "ascending" | "together") {
    this.#page = page;
    this.#over = chromosomes === "ascending" ? null : new Set();
  }

  /**
   * Takes the next rows. Returns their runs and the number of rows that end before they start, or the first row that is
   * out of order.
   * @param rows at most `PAGE_ROWS` rows.
   */
  next(rows: CheckedFragments): Ordered {
    const { length, start } = rows;
    const look = this.#page.look(rows, Math.max(this.#chr, 0), this.#start);
    const backwards = look.isBackwards && rows.end !== undefined ? countBackwards(rows) : 0;
    const runs: ChromosomeRange[] = [];
    if (this.#chr >= 0 && !look.changes && !look.descends) {
      runs.push({ chr: this.#chr, from: 0, to: length });
      this.#start = start[length - 1];
    } else {
      const problem = this.#collect(rows, runs);
      if (problem !== null) return { problem };
    }
    this.#rows += length;
    return { problem: null, runs, backwards };
  }

  #collect({ chr, start, length }: FragmentPositions, runs: ChromosomeRange[]): OrderProblem | null {
    for (let from = 0; from < length; ) {
      const own = chr[from];
      if (own !== this.#chr) {
        if (this.#over === null ? own < this.#chr : this.#over.has(own)) {
          return { kind: "chromosome", row: this.#rows + from, chr: own };
        }
        this.#over?.add(this.#chr);
        this.#chr = own;
        this.#start = 0;
      }
      const to = runEnd(chr, from, length);
      const wrong = findNextDescent(start, from, to, this.#start);
      if (wrong >= 0) {
        const before = wrong === from ? this.#start : start[wrong - 1];
        return { kind: "start", row: this.#rows + wrong, chr: own, start: start[wrong], before };
      }
      this.#start = start[to - 1];
      runs.push({ chr: own, from, to });
      from = to;
    }
    return null;
  }
}
