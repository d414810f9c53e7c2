/** The capability of packed integers: callers can unpack them page by page. */

import type { ReadOptions } from "../../io/sources/source.js";
import type { Bp128Page } from "../../kernels/bp128/page.js";

export interface PackedIntegers {
  /** Reads throw `InvalidDataError` for values that are not less than `limit`. Null if values are not checked. */
  readonly limit: number | null;
  /**
   * Makes an unpacker to this page, whose memory it also reads into.
   * @param until the end of all values that will be requested, range by range. Nothing behind it is read ahead.
   */
  unpacker(page: Bp128Page, until?: number): Unpacker;
}

declare module "../tree/container.js" {
  interface Capabilities {
    readonly packed?: PackedIntegers;
  }
}

/** Unpacks integers range by range to a page that nothing else may use until `end`. */
export interface Unpacker {
  /**
   * Unpacks the chunks that hold the values [start, end) to the start of `page.values`. The chunks may be more than
   * `PAGE_CHUNKS`. Only the requested values are checked.
   * @throws {InvalidDataError} where the stored bytes do not give these values.
   */
  load(start: number, end: number, options?: ReadOptions): Promise<void>;
  /**
   * Does the work of `load` synchronously, where all it needs has been read before; else returns false. This saves a
   * promise for every page: the engine compiles an async loop that runs often, which takes longer than all pages do.
   */
  loadNow(start: number, end: number): boolean;
  /** Waits for pending prefetches. */
  end(): Promise<void>;
}
