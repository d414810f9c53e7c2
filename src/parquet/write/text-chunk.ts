/** Column chunks of texts and bytes, taken from Arrow's offsets and bytes as they are. */

import type { VariableColumn } from "../../arrow/column.js";
import { indexWidth } from "../../kernels/parquet/dictionary.js";
import { PageBuffer } from "../../kernels/parquet/page-buffer.js";
import { MOST_PAGE_VALUES } from "../../kernels/parquet/parquet-kernels.js";
import { plainTexts } from "../../kernels/parquet/plain.js";
import { TextDictionary } from "../../kernels/parquet/text-dictionary.js";
import { TextRange, type Texts } from "../../kernels/parquet/text-range.js";
import { type ChunkTools, ChunkWriter, type EncodedPages } from "./chunk-writer.js";
import { appendTexts, textLengths } from "./gather.js";
import { ENCODING } from "./page.js";
import type { ParquetColumn } from "./parquet-column.js";
import { pagesOf, rowsOf, type Slice, textPagesOf, validityOf } from "./slice.js";

/** Longer bounds are left out of the statistics. */
export const LONGEST_BOUND = 64;

type Slices = readonly Slice<VariableColumn>[];

/** By dictionary, or where there are too many texts for one, lengths as differences and all bytes behind them. */
export class TextEncoder {
  readonly #tools: ChunkTools;
  readonly #dictionary = new TextDictionary();
  #indices = new Uint16Array(0);
  #lengths = new Int32Array(0);

  constructor(tools: ChunkTools) {
    this.#tools = tools;
  }

  /** @param present how many texts are there, at least 1. */
  async encode(column: ParquetColumn, slices: Slices, present: number): Promise<EncodedPages> {
    return (await this.#byDictionary(column, slices, present)) ?? this.#deltaLength(column, slices);
  }

  async #deltaLength(column: ParquetColumn, slices: Slices): Promise<EncodedPages> {
    const { kernels, levels, compress } = this.#tools;
    const writer = new ChunkWriter(ENCODING.DELTA_LENGTH_BYTE_ARRAY, compress);
    const range = new TextRange();
    for (const page of textPagesOf(slices)) {
      const present = levels.begin(page, column.nullable);
      if (this.#lengths.length < present) this.#lengths = new Int32Array(MOST_PAGE_VALUES);
      const lengths = this.#lengths.subarray(0, present);
      const total = textLengths(page, lengths);
      levels.body.append(kernels.delta(lengths, "int32").body);
      appendTexts(page, total, levels.body);
      for (const { column: given, from, to } of page) range.add(textsOf(given), from, to);
      await writer.dataPage(levels.body.written(), rowsOf(page));
    }
    return { ...writer.finish(), statistics: range.bounds(LONGEST_BOUND) };
  }

  /** Null where there are too many texts for a dictionary. */
  async #byDictionary(column: ParquetColumn, slices: Slices, present: number): Promise<EncodedPages | null> {
    const { kernels, levels, compress } = this.#tools;
    const dictionary = this.#dictionary;
    dictionary.reset(present);
    if (this.#indices.length === 0) this.#indices = new Uint16Array(MOST_PAGE_VALUES);
    const pages: { readonly body: Uint8Array; readonly rows: number }[] = [];
    for (const page of pagesOf(slices)) {
      let count = 0;
      for (const { column: given, from, to } of page) {
        count = dictionary.index(textsOf(given), from, to, this.#indices, count);
        if (count < 0) return null;
      }
      levels.begin(page, column.nullable);
      const width = indexWidth(dictionary.size);
      levels.body.byte(width);
      const body = levels.with(kernels.hybrid(this.#indices.subarray(0, count), width));
      pages.push({ body: body.slice(), rows: rowsOf(page) });
    }
    const texts = dictionary.texts();
    const entries = { body: plainTextBody(texts, dictionary.size), values: dictionary.size, dataPages: pages.length };
    const writer = new ChunkWriter(ENCODING.RLE_DICTIONARY, compress, entries);
    for (const { body, rows } of pages) await writer.dataPage(body, rows);
    const range = new TextRange();
    range.add(texts, 0, dictionary.size);
    return { ...writer.finish(), statistics: range.bounds(LONGEST_BOUND) };
  }
}

export function textsOf(column: VariableColumn): Texts {
  return { offsets: column.offsets, bytes: column.bytes, validity: validityOf(column) };
}

/** The body of a dictionary page of the first `count` texts. */
export function plainTextBody({ offsets, bytes }: Texts, count: number): Uint8Array {
  const page = new PageBuffer(4 * count + offsets[count] - offsets[0]);
  plainTexts(offsets, bytes, count, page);
  return page.written();
}
