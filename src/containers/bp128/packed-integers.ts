/** What packed integers can do that no other array can: they are unpacked where they are used, page by page. */

import type { Bp128Page } from "../../kernels/bp128/page.js";
import type { ReadOptions } from "../../sources/source.js";

export interface PackedIntegers {
  /** Every value is less: reads check that, and throw `InvalidDataError`. Null where they check nothing. */
  readonly limit: number | null;
  /**
   * Unpacks them to this page, whose memory it also reads into.
   * @param until where what is asked for ends, one range behind the other: nothing behind that is read ahead.
   */
  unpacker(page: Bp128Page, until?: number): Unpacker;
}

declare module "../tree/container.js" {
  interface Capabilities {
    readonly packed?: PackedIntegers;
  }
}

/** Packed integers, unpacked range by range to a page that nothing else uses until `end`. */
export interface Unpacker {
  /**
   * Unpacks the chunks that hold the values [start, end) to the begin of `page.values`. They may reach over
   * `PAGE_CHUNKS` chunks. Only the values asked for are checked.
   * @throws {InvalidDataError} where the stored bytes do not give these values.
   */
  load(start: number, end: number, options?: ReadOptions): Promise<void>;
  /**
   * The same at once, where all that is needed has been read before; else false. A promise less for every page: an async
   * loop that runs often enough is compiled for longer than all pages take.
   */
  loadNow(start: number, end: number): boolean;
  /** Waits for what is read ahead. */
  end(): Promise<void>;
}
