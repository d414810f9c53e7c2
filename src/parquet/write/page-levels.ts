/** Bodies of data pages: definition levels where a column can have nulls, then the encoded values. */

import { appendLevels } from "../../kernels/parquet/levels.js";
import type { PageBuffer } from "../../kernels/parquet/page-buffer.js";
import { rowsOf, type Slice, validityRuns } from "./slice.js";

/** One page at a time, in memory that the next one overwrites. */
export class PageLevels {
  readonly body: PageBuffer;
  #leveled = false;

  constructor(body: PageBuffer) {
    this.body = body;
  }

  /** Begins a page. Returns how many of its values are there. */
  begin(page: readonly Slice[], nullable: boolean): number {
    this.body.clear();
    this.#leveled = nullable;
    return nullable ? appendLevels(validityRuns(page), this.body) : rowsOf(page);
  }

  /** The whole body of the page begun: its levels, what has been appended to `body` since, and `values`. */
  with(values: Uint8Array): Uint8Array {
    if (!this.#leveled && this.body.length === 0) return values;
    this.body.append(values);
    return this.body.written();
  }
}
