/** Pages of a column chunk: headers in Thrift; bodies of definition levels, if a column can have nulls, and values. */

import { appendLevels } from "../../kernels/parquet/levels.js";
import type { PageBuffer } from "../../kernels/parquet/page-buffer.js";
import { CompactWriter } from "../thrift/writer.js";
import { rowsOf, type Slice, validityRuns } from "./slice.js";

/** Values of Parquet's enum `Encoding`. */
export const ENCODING = {
  PLAIN: 0,
  RLE: 3,
  DELTA_BINARY_PACKED: 5,
  DELTA_LENGTH_BYTE_ARRAY: 6,
  RLE_DICTIONARY: 8,
} as const;
export type PageEncoding = (typeof ENCODING)[keyof typeof ENCODING];

const DATA_PAGE = 0;
const DICTIONARY_PAGE = 2;

/**
 * Header of a dictionary page of `values` values.
 * @param raw bytes of the body, `stored` the same after compression.
 */
export function dictionaryPageHeader(values: number, raw: number, stored: number): Uint8Array {
  return CompactWriter.struct((page) => {
    page.i32(1, DICTIONARY_PAGE);
    page.i32(2, raw);
    page.i32(3, stored);
    page.struct(7, () => {
      page.i32(1, values);
      page.i32(2, ENCODING.PLAIN);
      page.boolean(3, false);
    });
  });
}

/** Header of a data page (version 1) of `values` values, missing ones included. */
export function dataPageHeader(values: number, encoding: PageEncoding, raw: number, stored: number): Uint8Array {
  return CompactWriter.struct((page) => {
    page.i32(1, DATA_PAGE);
    page.i32(2, raw);
    page.i32(3, stored);
    page.struct(5, () => {
      page.i32(1, values);
      page.i32(2, encoding);
      page.i32(3, ENCODING.RLE);
      page.i32(4, ENCODING.RLE);
    });
  });
}

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
