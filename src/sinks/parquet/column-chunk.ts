/** One column of a row group as a Parquet column chunk. */

import type { Compressor } from "../../kernels/compress.js";
import { deltaInt32, deltaInt64 } from "../../kernels/parquet/delta-binary-packed.js";
import { Dictionary, indexWidth } from "../../kernels/parquet/dictionary.js";
import { PageBuffer } from "../../kernels/parquet/page-buffer.js";
import { type BitRun, plainBits, plainWords } from "../../kernels/parquet/plain.js";
import { encodeHybrid } from "../../kernels/parquet/rle.js";
import {
  joinRanges,
  rangeOf,
  statisticBytes,
  type ValueRange,
  type WordOrder,
} from "../../kernels/parquet/statistics.js";
import type { NumberArray } from "../../stored.js";
import { type ChunkPages, ChunkWriter } from "./chunk-writer.js";
import { ENCODING } from "./page.js";
import type { PlainColumn } from "./plain-column.js";
import { PAGE_ROWS, wordPages } from "./word-pages.js";

/** The values of a column, batch by batch. */
export type ChunkValues = WordValues | { readonly kind: "bits"; readonly parts: readonly BitRun[] };

interface WordValues {
  readonly kind: "words";
  readonly order: WordOrder;
  readonly parts: readonly NumberArray[];
}

/** What the footer says of a chunk. */
export interface ColumnChunk extends ChunkPages {
  readonly column: PlainColumn;
  readonly values: number;
  readonly statistics: Bounds | null;
}

/** The least and the greatest value, as PLAIN bytes. */
interface Bounds {
  readonly least: Uint8Array;
  readonly greatest: Uint8Array;
}

interface Encoded {
  readonly parts: readonly Uint8Array[];
  readonly pages: ChunkPages;
  readonly statistics: Bounds | null;
}

/** Encodes chunk after chunk; holds the memory that every one of them needs. */
export class ChunkEncoder {
  readonly #compress: Compressor | null;
  readonly #page = new PageBuffer(2 ** 16);
  readonly #dictionary = new Dictionary();
  readonly #indices = new Uint16Array(PAGE_ROWS);

  constructor(compress: Compressor | null) {
    this.#compress = compress;
  }

  /**
   * The bytes of the chunk, and what the footer says of it.
   * @param rows number of values in all parts together.
   */
  async encode(column: PlainColumn, values: ChunkValues, rows: number) {
    const encoded = values.kind === "bits" ? this.#bits(values.parts, rows) : this.#words(column, values, rows);
    const { parts, pages, statistics } = await encoded;
    const chunk: ColumnChunk = { column, values: rows, statistics, ...pages };
    return { parts, chunk };
  }

  /** Positions as differences; other numbers by dictionary, or where they have too many values, as differences or plain. */
  async #words(column: PlainColumn, { order, parts }: WordValues, rows: number): Promise<Encoded> {
    if (column.position) return this.#deltas(parts, order);
    const byDictionary = await this.#byDictionary(parts, order, rows);
    if (byDictionary !== null) return byDictionary;
    return order === "float32" || order === "float64" ? this.#plain(parts, order) : this.#deltas(parts, order);
  }

  async #deltas(parts: readonly NumberArray[], order: WordOrder): Promise<Encoded> {
    const wide = wordsPerValue(order) === 2;
    const writer = new ChunkWriter(ENCODING.DELTA_BINARY_PACKED, this.#compress);
    let range: ValueRange | null = null;
    for (const words of wordPages(parts)) {
      range = joinRanges(range, rangeOf(words, order));
      this.#page.clear();
      if (wide) deltaInt64(words, this.#page);
      else deltaInt32(words, this.#page);
      await writer.dataPage(this.#page.written(), words.length / (wide ? 2 : 1));
    }
    return { ...(await writer.finish(null)), statistics: statistics(range, order) };
  }

  async #plain(parts: readonly NumberArray[], order: WordOrder): Promise<Encoded> {
    const writer = new ChunkWriter(ENCODING.PLAIN, this.#compress);
    let range: ValueRange | null = null;
    for (const words of wordPages(parts)) {
      range = joinRanges(range, rangeOf(words, order));
      await writer.dataPage(plainWords(words), words.length / wordsPerValue(order));
    }
    return { ...(await writer.finish(null)), statistics: statistics(range, order) };
  }

  /** Null where there are too many values for a dictionary. */
  async #byDictionary(parts: readonly NumberArray[], order: WordOrder, rows: number): Promise<Encoded | null> {
    const dictionary = this.#dictionary;
    const perValue = wordsPerValue(order);
    dictionary.reset(perValue, rows);
    const pages: { readonly body: Uint8Array; readonly values: number }[] = [];
    for (const words of wordPages(parts)) {
      if (!dictionary.index(words, this.#indices)) return null;
      const values = words.length / perValue;
      // The width that the dictionary needs so far: the pages before the last value are narrower.
      const width = indexWidth(dictionary.size);
      this.#page.clear();
      this.#page.byte(width);
      encodeHybrid(this.#indices, values, width, this.#page);
      pages.push({ body: this.#page.written().slice(), values });
    }
    const writer = new ChunkWriter(ENCODING.RLE_DICTIONARY, this.#compress);
    for (const { body, values } of pages) await writer.dataPage(body, values);
    const words = dictionary.words();
    const chunk = await writer.finish({ body: plainWords(words), values: dictionary.size });
    return { ...chunk, statistics: statistics(rangeOf(words, order), order) };
  }

  async #bits(parts: readonly BitRun[], rows: number): Promise<Encoded> {
    const writer = new ChunkWriter(ENCODING.PLAIN, this.#compress);
    let set = 0;
    for (let from = 0; from < rows; from += PAGE_ROWS) {
      const to = Math.min(rows, from + PAGE_ROWS);
      this.#page.clear();
      set += plainBits(bitRange(parts, from, to), this.#page);
      await writer.dataPage(this.#page.written(), to - from);
    }
    const least = Uint8Array.of(set === rows ? 1 : 0);
    const greatest = Uint8Array.of(set > 0 ? 1 : 0);
    return { ...(await writer.finish(null)), statistics: rows === 0 ? null : { least, greatest } };
  }
}

function wordsPerValue(order: WordOrder): 1 | 2 {
  switch (order) {
    case "int32":
    case "uint32":
    case "float32":
      return 1;
    case "int64":
    case "uint64":
    case "float64":
      return 2;
    default:
      return order satisfies never;
  }
}

function statistics(range: ValueRange | null, order: WordOrder): Bounds | null {
  if (range === null) return null;
  return {
    least: statisticBytes(range.least, order, "least"),
    greatest: statisticBytes(range.greatest, order, "greatest"),
  };
}

/** The values [from, to) of runs that follow each other. */
function* bitRange(runs: readonly BitRun[], from: number, to: number): Generator<BitRun> {
  let first = 0;
  for (const { bits, offset, length } of runs) {
    const start = Math.max(from - first, 0);
    const end = Math.min(to - first, length);
    if (start < end) yield { bits, offset: offset + start, length: end - start };
    first += length;
  }
}
