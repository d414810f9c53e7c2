/** Column chunks of numbers and times. */

import type { PrimitiveColumn } from "../../arrow/column.js";
import type { IntegerOrder, ParquetKernels } from "../../kernels/parquet/parquet-kernels.js";
import { plainWords } from "../../kernels/parquet/plain.js";
import { joinRanges, statisticBytes, type ValueRange, type WordOrder } from "../../kernels/parquet/statistics.js";
import { type Bounds, type ChunkTools, ChunkWriter, type EncodedPages } from "./chunk-writer.js";
import { WordGatherer } from "./gather.js";
import { ENCODING } from "./page.js";
import type { ParquetColumn, ValueKind } from "./parquet-column.js";
import { pagesOf, rowsOf, type Slice } from "./slice.js";

type Words = Extract<ValueKind, { kind: "words" }>;
type Slices = readonly Slice<PrimitiveColumn>[];

/** Positions as differences; other numbers by dictionary, or where they have too many values, as differences or plain. */
export class NumberEncoder {
  readonly #tools: ChunkTools;
  readonly #gatherer = new WordGatherer();

  constructor(tools: ChunkTools) {
    this.#tools = tools;
  }

  /** @param present how many values are there, at least 1. */
  async encode(column: ParquetColumn, values: Words, slices: Slices, present: number): Promise<EncodedPages> {
    const byDictionary = column.position ? null : await this.#byDictionary(column, values, slices, present);
    if (byDictionary !== null) return byDictionary;
    const { order } = values;
    return order === "float32" || order === "float64"
      ? this.#plain(column, values, slices)
      : this.#deltas(column, values, order, slices);
  }

  async #deltas(column: ParquetColumn, { bytes }: Words, order: IntegerOrder, slices: Slices): Promise<EncodedPages> {
    const { kernels, levels, compress } = this.#tools;
    const writer = new ChunkWriter(ENCODING.DELTA_BINARY_PACKED, compress);
    let joined: ValueRange | null = null;
    for (const page of pagesOf(slices)) {
      const words = this.#gatherer.gather(page, bytes, levels.begin(page, column.nullable));
      const { body, range } = kernels.delta(words, order);
      joined = joinRanges(joined, range);
      await writer.dataPage(levels.with(body), rowsOf(page));
    }
    return { ...writer.finish(), statistics: bounds(joined, order) };
  }

  async #plain(column: ParquetColumn, { bytes, order }: Words, slices: Slices): Promise<EncodedPages> {
    const { kernels, levels, compress } = this.#tools;
    const writer = new ChunkWriter(ENCODING.PLAIN, compress);
    let range: ValueRange | null = null;
    for (const page of pagesOf(slices)) {
      const words = this.#gatherer.gather(page, bytes, levels.begin(page, column.nullable));
      range = joinRanges(range, kernels.range(words, order));
      await writer.dataPage(levels.with(plainWords(words)), rowsOf(page));
    }
    return { ...writer.finish(), statistics: bounds(range, order) };
  }

  /** Null where there are too many values for a dictionary. */
  async #byDictionary(
    column: ParquetColumn,
    { bytes, order }: Words,
    slices: Slices,
    present: number,
  ): Promise<EncodedPages | null> {
    const { kernels, levels, compress } = this.#tools;
    const { dictionary } = kernels;
    dictionary.reset(bytes === 8 ? 2 : 1, present);
    const pages: { readonly body: Uint8Array; readonly rows: number }[] = [];
    for (const page of pagesOf(slices)) {
      const words = this.#gatherer.gather(page, bytes, levels.begin(page, column.nullable));
      if (!dictionary.index(words)) return null;
      pages.push({ body: levels.with(dictionary.page()).slice(), rows: rowsOf(page) });
    }
    const words = dictionary.words();
    const entries = { body: plainWords(words), values: dictionary.size, dataPages: pages.length };
    const writer = new ChunkWriter(ENCODING.RLE_DICTIONARY, compress, entries);
    for (const { body, rows } of pages) await writer.dataPage(body, rows);
    return { ...writer.finish(), statistics: wordBounds(kernels, words, order) };
  }
}

/** The range of the words, as statistics. */
export function wordBounds(kernels: ParquetKernels, words: Int32Array, order: WordOrder): Bounds | null {
  let range: ValueRange | null = null;
  // Even: a page is not cut inside a value of two words.
  for (let at = 0; at < words.length; at += PIECE) {
    range = joinRanges(range, kernels.range(words.subarray(at, at + PIECE), order));
  }
  return bounds(range, order);
}

const PIECE = 2 ** 17;

function bounds(range: ValueRange | null, order: WordOrder): Bounds | null {
  if (range === null) return null;
  return {
    least: statisticBytes(range.least, order, "least"),
    greatest: statisticBytes(range.greatest, order, "greatest"),
  };
}
