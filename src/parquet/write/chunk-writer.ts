/**
 * Writes the pages of one column chunk. Headers are in Thrift. Bodies consist of definition levels, if the column can
 * have nulls, and of values; they are compressed if that saves enough.
 */

import type { Compressor } from "../../kernels/codecs/compress.js";
import { appendLevels } from "../../kernels/parquet/levels.js";
import type { PageBuffer } from "../../kernels/parquet/page-buffer.js";
import type { ParquetKernels } from "../../kernels/parquet/parquet-kernels.js";
import { UnsupportedError } from "../../model/errors.js";
import { CompactWriter } from "../thrift.js";
import { type ColumnRange, countRowsOfRanges, listValidityRuns } from "./column-range.js";

/** Maximum size of a page in bytes. The format stores it as a 32-bit integer. */
const MAX_PAGE_BYTES = 2 ** 31 - 1;

export interface ChunkPages {
  readonly encodings: readonly PageEncoding[];
  readonly compressed: boolean;
  /** Number of bytes in headers and bodies, before and after compression. */
  readonly rawBytes: number;
  readonly storedBytes: number;
  /** Position of the first data page, after the dictionary page if there is one. */
  readonly dataOffset: number;
  readonly hasDictionary: boolean;
}

/** The distinct values of a chunk, in PLAIN encoding, and the number of data pages that use them. */
export interface DictionaryPage {
  readonly body: Uint8Array;
  readonly values: number;
  readonly dataPages: number;
}

/**
 * Collects the pages of a chunk. A chunk has one codec, so the first data page and the dictionary, if any, determine
 * whether all pages are compressed. Values packed into few bits hardly shrink further, so compressing them would only
 * cost time.
 */
export class ChunkWriter {
  readonly #compress: Compressor | null;
  readonly #encoding: PageEncoding;
  readonly #dictionary: DictionaryPage | null;
  readonly #parts: Uint8Array[] = [];
  #compressed: boolean | null;
  #rawBytes = 0;
  #storedBytes = 0;
  #dataOffset = 0;

  constructor(encoding: PageEncoding, compress: Compressor | null, dictionary: DictionaryPage | null = null) {
    this.#encoding = encoding;
    this.#compress = compress;
    this.#compressed = compress === null ? false : null;
    this.#dictionary = dictionary;
  }

  /** Adds a data page of `rows` values, including missing values. `body` may be overwritten afterwards. */
  async dataPage(body: Uint8Array, rows: number): Promise<void> {
    checkPageBytes(body.length);
    if (this.#parts.length > 0) return this.#dataPage(body, await this.#stored(body), rows);
    const dictionary = this.#dictionary;
    if (this.#compress === null || this.#compressed === false) {
      if (dictionary !== null) this.#dictionaryPage(dictionary, dictionary.body);
      return this.#dataPage(body, body.slice(), rows);
    }
    const first = await this.#compress(body);
    const entries = dictionary === null ? null : await this.#compress(dictionary.body);
    const pages = dictionary?.dataPages ?? 1;
    const raw = pages * body.length + (dictionary?.body.length ?? 0);
    const stored = pages * first.length + (entries?.length ?? 0);
    this.#compressed = stored < (1 - leastSaving(this.#encoding)) * raw;
    if (dictionary !== null)
      this.#dictionaryPage(dictionary, this.#compressed ? (entries ?? dictionary.body) : dictionary.body);
    this.#dataPage(body, this.#compressed ? first : body.slice(), rows);
  }

  /** Returns the whole chunk, with the dictionary page first. */
  finish(): { parts: readonly Uint8Array[]; pages: ChunkPages } {
    const pages = {
      encodings: encodingsOf(this.#encoding),
      compressed: this.#compressed ?? false,
      rawBytes: this.#rawBytes,
      storedBytes: this.#storedBytes,
      dataOffset: this.#dataOffset,
      hasDictionary: this.#dictionary !== null,
    };
    return { parts: this.#parts, pages };
  }

  #dataPage(body: Uint8Array, stored: Uint8Array, rows: number): void {
    this.#add(encodeDataPageHeader(rows, this.#encoding, body.length, stored.length), body, stored);
  }

  #dictionaryPage({ body, values }: DictionaryPage, stored: Uint8Array): void {
    this.#add(encodeDictionaryPageHeader(values, body.length, stored.length), body, stored);
    this.#dataOffset = this.#storedBytes;
  }

  #add(header: Uint8Array, body: Uint8Array, stored: Uint8Array): void {
    this.#parts.push(header, stored);
    this.#rawBytes += header.length + body.length;
    this.#storedBytes += header.length + stored.length;
  }

  async #stored(body: Uint8Array): Promise<Uint8Array> {
    return this.#compress !== null && this.#compressed === true ? this.#compress(body) : body.slice();
  }
}

/**
 * Checks the size of a page.
 * @throws {UnsupportedError} if the page exceeds Parquet's limit because of a huge value or a huge dictionary.
 */
export function checkPageBytes(bytes: number): void {
  if (bytes <= MAX_PAGE_BYTES) return;
  throw new UnsupportedError(
    `a page of ${bytes} bytes is needed, Parquet's have at most ${MAX_PAGE_BYTES}; write the table as .arrow`,
  );
}

/**
 * The minimum fraction that compression must save. Differences are already packed, and saving a tenth of their size is
 * not worth the time.
 */
function leastSaving(encoding: PageEncoding): number {
  return encoding === ENCODING.DELTA_BINARY_PACKED ? 0.15 : 0.02;
}

/** Returns all encodings in a chunk, including those of its levels and its dictionary, as readers expect. */
function encodingsOf(encoding: PageEncoding): readonly PageEncoding[] {
  return encoding === ENCODING.RLE_DICTIONARY
    ? [ENCODING.PLAIN, ENCODING.RLE, ENCODING.RLE_DICTIONARY]
    : [ENCODING.RLE, encoding];
}

export interface EncodedColumnChunk extends ChunkPages {
  /** Number of values, including missing values. */
  readonly values: number;
  readonly nulls: number;
  readonly statistics: Bounds | null;
}

/** The minimum and maximum as PLAIN bytes; text without its length. */
export interface Bounds {
  readonly least: Uint8Array;
  readonly greatest: Uint8Array;
}

export interface EncodedPages {
  readonly parts: readonly Uint8Array[];
  readonly pages: ChunkPages;
  readonly statistics: Bounds | null;
}

export interface ChunkTools {
  readonly compress: Compressor | null;
  readonly kernels: ParquetKernels;
  readonly levels: PageLevels;
}

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
 * Returns the header of a dictionary page with `values` values.
 * @param raw bytes of the body before compression.
 * @param stored bytes of the body after compression.
 */
function encodeDictionaryPageHeader(values: number, raw: number, stored: number): Uint8Array {
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

/** Returns the header of a version 1 data page with `values` values, including missing values. */
function encodeDataPageHeader(values: number, encoding: PageEncoding, raw: number, stored: number): Uint8Array {
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

/** Builds the body of one page at a time, in memory that the next page overwrites. */
export class PageLevels {
  readonly body: PageBuffer;
  #leveled = false;

  constructor(body: PageBuffer) {
    this.body = body;
  }

  /** Begins a page. @returns the number of values in the page that are not missing. */
  begin(page: readonly ColumnRange[], nullable: boolean): number {
    this.body.clear();
    this.#leveled = nullable;
    return nullable ? appendLevels(listValidityRuns(page), this.body) : countRowsOfRanges(page);
  }

  /** Returns the whole body of the current page: its levels, everything appended to `body` since, and `values`. */
  with(values: Uint8Array): Uint8Array {
    if (!this.#leveled && this.body.length === 0) return values;
    this.body.append(values);
    return this.body.written();
  }
}
