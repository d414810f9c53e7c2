/** The capability of packed integers: callers can unpack them page by page. */

import type { ReadOptions } from "../../io/sources/source.js";
import type { Bp128Page } from "../../kernels/bp128/page.js";

export interface PackedIntegers {
  /** Reads throw `InvalidDataError` for values that are not less than `limit`. It is null if values are not checked. */
  readonly limit: number | null;
  /**
   * Makes an unpacker that writes to this page, and also reads into the page's memory.
   * @param until the end of all values that will be requested, range by range. Nothing after it is read ahead.
   */
  unpacker(page: Bp128Page, until?: number): Unpacker;
}

declare module "../tree/container.js" {
  interface Capabilities {
    readonly packed?: PackedIntegers;
  }
}

/** Unpacks integers range by range to a page that must not be used for anything else until `end`. */
export interface Unpacker {
  /**
   * Unpacks the chunks that hold the values [start, end) to the start of `page.values`. The number of chunks may exceed
   * `PAGE_CHUNKS`. Only the requested values are checked.
   * @throws {InvalidDataError} if the stored bytes do not yield these values.
   */
  load(start: number, end: number, options?: ReadOptions): Promise<void>;
  /**
   * Does the work of `load` synchronously if all required words have been read before; otherwise returns false. This
   * saves a promise for every page: the engine compiles an async loop that runs often, and compiling takes longer than
   * processing all pages.
   */
  loadNow(start: number, end: number): boolean;
  /** Waits for pending prefetches. */
  end(): Promise<void>;
}
