/** Column chunks of dictionary columns: the dictionary as it is, unused values too, and the indices as they are. */

import type { Column, DictionaryColumn } from "../../arrow/column.js";
import { indexWidth } from "../../kernels/parquet/dictionary.js";
import { MOST_PAGE_VALUES } from "../../kernels/parquet/parquet-kernels.js";
import { plainWords } from "../../kernels/parquet/plain.js";
import { TextRange } from "../../kernels/parquet/text-range.js";
import { InvalidInputError } from "../../model/errors.js";
import { type Bounds, type ChunkTools, ChunkWriter, checkPageBytes, type EncodedPages } from "./chunk-writer.js";
import { WordGatherer } from "./gather.js";
import { wordBounds } from "./number-chunk.js";
import { ENCODING } from "./page.js";
import type { ParquetColumn } from "./parquet-column.js";
import { mismatch, pagesOf, primitiveSlices, rowsOf, type Slice, validityOf, variableSlices } from "./slice.js";
import { LONGEST_BOUND, plainTextBody, textsOf } from "./text-chunk.js";

interface Entries {
  readonly body: Uint8Array;
  readonly values: number;
  /** The bounds of those entries that `used` marks. */
  readonly bounds: (used: Uint8Array) => Bounds | null;
}

export class CodeEncoder {
  readonly #tools: ChunkTools;
  readonly #gatherer = new WordGatherer();
  #narrow = new Uint16Array(0);
  #wide = new Int32Array(0);

  constructor(tools: ChunkTools) {
    this.#tools = tools;
  }

  /** @throws {InvalidInputError} where slices have different dictionaries, or an index lies outside of theirs. */
  async encode(column: ParquetColumn, given: readonly Slice[]): Promise<EncodedPages> {
    const { kernels, levels, compress } = this.#tools;
    const slices = codedSlices(column, given);
    const [{ dictionary }] = slices.map((slice) => slice.column);
    const entries = this.#entries(column, dictionary);
    const width = indexWidth(entries.values);
    const dataPages = [...pagesOf(slices)];
    const writer = new ChunkWriter(ENCODING.RLE_DICTIONARY, compress, { ...entries, dataPages: dataPages.length });
    const used = new Uint8Array(entries.values);
    for (const page of dataPages) {
      const present = levels.begin(page, column.nullable);
      const codes = this.#codes(page, width, present, used, column);
      levels.body.byte(width);
      await writer.dataPage(levels.with(kernels.hybrid(codes, width)), rowsOf(page));
    }
    return { ...writer.finish(), statistics: entries.bounds(used) };
  }

  /** The indices that are there; marks them in `used`. */
  #codes(
    page: readonly Slice<DictionaryColumn>[],
    width: number,
    present: number,
    used: Uint8Array,
    { name }: ParquetColumn,
  ): Uint16Array | Int32Array {
    const out = this.#room(width).subarray(0, present);
    const size = used.length;
    let at = 0;
    for (const { column, from, to } of page) {
      const { indices } = column;
      const bitmap = validityOf(column);
      for (let i = from; i < to; i++) {
        if (bitmap !== null && ((bitmap[i >> 3] >> (i & 7)) & 1) === 0) continue;
        const index = Number(indices[i]);
        if (!(index >= 0 && index < size)) {
          throw new InvalidInputError(`the column ${name} points at value ${index} of ${size}`);
        }
        used[index] = 1;
        out[at++] = index;
      }
    }
    return out;
  }

  #room(width: number): Uint16Array | Int32Array {
    if (width <= 16) {
      if (this.#narrow.length === 0) this.#narrow = new Uint16Array(MOST_PAGE_VALUES);
      return this.#narrow;
    }
    if (this.#wide.length === 0) this.#wide = new Int32Array(MOST_PAGE_VALUES);
    return this.#wide;
  }

  #entries(column: ParquetColumn, dictionary: Column): Entries {
    const { values } = column;
    const { kernels } = this.#tools;
    const { length } = dictionary;
    const all = [{ column: dictionary, from: 0, to: length }];
    if (values.kind === "words") {
      const slices = primitiveSlices(column, all);
      const { order, bytes } = values;
      // A copy: the gatherer uses its memory again.
      const words = this.#gatherer.gather(slices, bytes, length).slice();
      const perValue = bytes === 8 ? 2 : 1;
      const bounds = (used: Uint8Array) => wordBounds(kernels, usedWords(words, perValue, used), order);
      return { body: plainWords(words), values: length, bounds };
    }
    const [{ column: texts }] = variableSlices(column, all);
    checkPageBytes(4 * length + texts.offsets[length] - texts.offsets[0]);
    return {
      body: plainTextBody(textsOf(texts), length),
      values: length,
      bounds(used) {
        const range = new TextRange();
        for (let i = 0; i < length; i++) if (used[i] !== 0) range.add(textsOf(texts), i, i + 1);
        return range.bounds(LONGEST_BOUND);
      },
    };
  }
}

function codedSlices(column: ParquetColumn, given: readonly Slice[]): Slice<DictionaryColumn>[] {
  const [first] = given;
  return given.map((slice) => {
    if (slice.column.layout !== "dictionary") throw mismatch(column, slice.column);
    if (first.column.layout === "dictionary" && slice.column.dictionary !== first.column.dictionary) {
      throw new InvalidInputError(`the batches do not share one dictionary in the column ${column.name}`);
    }
    return { ...slice, column: slice.column };
  });
}

function usedWords(words: Int32Array, perValue: 1 | 2, used: Uint8Array): Int32Array {
  const out = new Int32Array(words.length);
  let at = 0;
  for (let i = 0; i < used.length; i++) {
    if (used[i] === 0) continue;
    for (let k = 0; k < perValue; k++) out[at++] = words[perValue * i + k];
  }
  return out.subarray(0, at);
}
