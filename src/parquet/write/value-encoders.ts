/** Encodes column chunks by the kind of their values: numbers and times, texts and bytes, dictionary indices. */

import type { Column, DictionaryColumn, PrimitiveColumn, VariableColumn } from "../../arrow/column.js";
import { indexWidth } from "../../kernels/parquet/dictionary.js";
import { PageBuffer } from "../../kernels/parquet/page-buffer.js";
import { type IntegerOrder, MAX_PAGE_VALUES, type ParquetKernels } from "../../kernels/parquet/parquet-kernels.js";
import { encodePlainTexts, encodePlainWords } from "../../kernels/parquet/plain.js";
import { encodeStatistic, joinRanges, type ValueRange, type WordOrder } from "../../kernels/parquet/statistics.js";
import { TextDictionary } from "../../kernels/parquet/text-dictionary.js";
import { TextRange, type Texts } from "../../kernels/parquet/text-range.js";
import { InvalidInputError } from "../../model/errors.js";
import {
  type Bounds,
  type ChunkTools,
  ChunkWriter,
  checkPageBytes,
  ENCODING,
  type EncodedPages,
} from "./chunk-writer.js";
import {
  appendTexts,
  type ColumnRange,
  checkPrimitiveRanges,
  checkVariableRanges,
  countRowsOfRanges,
  createLayoutError,
  getValidityBitmap,
  splitIntoPages,
  splitIntoTextPages,
  WordGatherer,
  writeTextLengths,
} from "./column-range.js";
import type { ParquetColumn, ValueKind } from "./parquet-column.js";

type Words = Extract<ValueKind, { kind: "words" }>;
type NumberSlices = readonly ColumnRange<PrimitiveColumn>[];
type TextSlices = readonly ColumnRange<VariableColumn>[];

/** Maximum length in bytes of the bounds that the statistics store for texts. */
const LONGEST_BOUND = 64;

/** Number of words for which the range is computed at once. It is even, so that no two-word value is split. */
const PIECE = 2 ** 17;

/**
 * Encodes positions as differences. Other numbers are encoded with a dictionary. If there are too many distinct values,
 * integers are encoded as differences and other numbers with PLAIN encoding.
 */
export class NumberEncoder {
  readonly #tools: ChunkTools;
  readonly #gatherer = new WordGatherer();

  constructor(tools: ChunkTools) {
    this.#tools = tools;
  }

  /** Encodes a chunk. @param present number of values that are not missing, at least 1. */
  async encode(column: ParquetColumn, values: Words, slices: NumberSlices, present: number): Promise<EncodedPages> {
    const byDictionary = column.position ? null : await this.#byDictionary(column, values, slices, present);
    if (byDictionary !== null) return byDictionary;
    const { order } = values;
    return order === "float32" || order === "float64"
      ? this.#plain(column, values, slices)
      : this.#deltas(column, values, order, slices);
  }

  async #deltas(
    column: ParquetColumn,
    { bytes }: Words,
    order: IntegerOrder,
    slices: NumberSlices,
  ): Promise<EncodedPages> {
    const { kernels, levels, compress } = this.#tools;
    const writer = new ChunkWriter(ENCODING.DELTA_BINARY_PACKED, compress);
    let joined: ValueRange | null = null;
    for (const page of splitIntoPages(slices)) {
      const words = this.#gatherer.gather(page, bytes, levels.begin(page, column.nullable));
      const { body, range } = kernels.delta(words, order);
      joined = joinRanges(joined, range);
      await writer.dataPage(levels.with(body), countRowsOfRanges(page));
    }
    return { ...writer.finish(), statistics: bounds(joined, order) };
  }

  async #plain(column: ParquetColumn, { bytes, order }: Words, slices: NumberSlices): Promise<EncodedPages> {
    const { kernels, levels, compress } = this.#tools;
    const writer = new ChunkWriter(ENCODING.PLAIN, compress);
    let range: ValueRange | null = null;
    for (const page of splitIntoPages(slices)) {
      const words = this.#gatherer.gather(page, bytes, levels.begin(page, column.nullable));
      range = joinRanges(range, kernels.range(words, order));
      await writer.dataPage(levels.with(encodePlainWords(words)), countRowsOfRanges(page));
    }
    return { ...writer.finish(), statistics: bounds(range, order) };
  }

  /** Encodes values with a dictionary; null if there are too many distinct values. */
  async #byDictionary(
    column: ParquetColumn,
    { bytes, order }: Words,
    slices: NumberSlices,
    present: number,
  ): Promise<EncodedPages | null> {
    const { kernels, levels, compress } = this.#tools;
    const { dictionary } = kernels;
    dictionary.reset(bytes === 8 ? 2 : 1, present);
    const pages: { readonly body: Uint8Array; readonly rows: number }[] = [];
    for (const page of splitIntoPages(slices)) {
      const words = this.#gatherer.gather(page, bytes, levels.begin(page, column.nullable));
      if (!dictionary.index(words)) return null;
      pages.push({ body: levels.with(dictionary.page()).slice(), rows: countRowsOfRanges(page) });
    }
    const words = dictionary.words();
    const entries = { body: encodePlainWords(words), values: dictionary.size, dataPages: pages.length };
    const writer = new ChunkWriter(ENCODING.RLE_DICTIONARY, compress, entries);
    for (const { body, rows } of pages) await writer.dataPage(body, rows);
    return { ...writer.finish(), statistics: wordBounds(kernels, words, order) };
  }
}

/** Returns the minimum and maximum of the words, for the statistics. */
function wordBounds(kernels: ParquetKernels, words: Int32Array, order: WordOrder): Bounds | null {
  let range: ValueRange | null = null;
  for (let at = 0; at < words.length; at += PIECE) {
    range = joinRanges(range, kernels.range(words.subarray(at, at + PIECE), order));
  }
  return bounds(range, order);
}

function bounds(range: ValueRange | null, order: WordOrder): Bounds | null {
  if (range === null) return null;
  return {
    least: encodeStatistic(range.least, order, "least"),
    greatest: encodeStatistic(range.greatest, order, "greatest"),
  };
}

/**
 * Encodes texts with a dictionary. If there are too many distinct texts, it encodes their lengths, as differences,
 * followed by all bytes.
 */
export class TextEncoder {
  readonly #tools: ChunkTools;
  readonly #dictionary = new TextDictionary();
  #indices = new Uint16Array(0);
  #lengths = new Int32Array(0);

  constructor(tools: ChunkTools) {
    this.#tools = tools;
  }

  /** Encodes a chunk. @param present number of texts that are not missing, at least 1. */
  async encode(column: ParquetColumn, slices: TextSlices, present: number): Promise<EncodedPages> {
    return (await this.#byDictionary(column, slices, present)) ?? this.#deltaLength(column, slices);
  }

  async #deltaLength(column: ParquetColumn, slices: TextSlices): Promise<EncodedPages> {
    const { kernels, levels, compress } = this.#tools;
    const writer = new ChunkWriter(ENCODING.DELTA_LENGTH_BYTE_ARRAY, compress);
    const range = new TextRange();
    for (const page of splitIntoTextPages(slices)) {
      const present = levels.begin(page, column.nullable);
      if (this.#lengths.length < present) this.#lengths = new Int32Array(MAX_PAGE_VALUES);
      const lengths = this.#lengths.subarray(0, present);
      const total = writeTextLengths(page, lengths);
      levels.body.append(kernels.delta(lengths, "int32").body);
      appendTexts(page, total, levels.body);
      for (const { column: given, from, to } of page) range.add(textsOf(given), from, to);
      await writer.dataPage(levels.body.written(), countRowsOfRanges(page));
    }
    return { ...writer.finish(), statistics: range.bounds(LONGEST_BOUND) };
  }

  /** Encodes texts with a dictionary; null if there are too many distinct texts. */
  async #byDictionary(column: ParquetColumn, slices: TextSlices, present: number): Promise<EncodedPages | null> {
    const { kernels, levels, compress } = this.#tools;
    const dictionary = this.#dictionary;
    dictionary.reset(present);
    if (this.#indices.length === 0) this.#indices = new Uint16Array(MAX_PAGE_VALUES);
    const pages: { readonly body: Uint8Array; readonly rows: number }[] = [];
    for (const page of splitIntoPages(slices)) {
      let count = 0;
      for (const { column: given, from, to } of page) {
        count = dictionary.index(textsOf(given), from, to, this.#indices, count);
        if (count < 0) return null;
      }
      levels.begin(page, column.nullable);
      const width = indexWidth(dictionary.size);
      levels.body.byte(width);
      const body = levels.with(kernels.hybrid(this.#indices.subarray(0, count), width));
      pages.push({ body: body.slice(), rows: countRowsOfRanges(page) });
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

function textsOf(column: VariableColumn): Texts {
  return { offsets: column.offsets, bytes: column.bytes, validity: getValidityBitmap(column) };
}

/** Returns the body of a dictionary page that contains the first `count` texts. */
function plainTextBody({ offsets, bytes }: Texts, count: number): Uint8Array {
  const page = new PageBuffer(4 * count + offsets[count] - offsets[0]);
  encodePlainTexts(offsets, bytes, count, page);
  return page.written();
}

interface Entries {
  readonly body: Uint8Array;
  readonly values: number;
  /** Returns the bounds of the entries that `used` marks. */
  readonly bounds: (used: Uint8Array) => Bounds | null;
}

/** Encodes a dictionary column: all values of its dictionary, including unused ones, and its indices. */
export class CodeEncoder {
  readonly #tools: ChunkTools;
  readonly #gatherer = new WordGatherer();
  #narrow = new Uint16Array(0);
  #wide = new Int32Array(0);

  constructor(tools: ChunkTools) {
    this.#tools = tools;
  }

  /**
   * Encodes a chunk.
   * @throws {InvalidInputError} if slices have different dictionaries, or an index is outside the dictionary.
   */
  async encode(column: ParquetColumn, given: readonly ColumnRange[]): Promise<EncodedPages> {
    const { kernels, levels, compress } = this.#tools;
    const slices = codedSlices(column, given);
    const [{ dictionary }] = slices.map((slice) => slice.column);
    const entries = this.#entries(column, dictionary);
    const width = indexWidth(entries.values);
    const dataPages = [...splitIntoPages(slices)];
    const writer = new ChunkWriter(ENCODING.RLE_DICTIONARY, compress, { ...entries, dataPages: dataPages.length });
    const used = new Uint8Array(entries.values);
    for (const page of dataPages) {
      const present = levels.begin(page, column.nullable);
      const codes = this.#room(width).subarray(0, present);
      copyCodes(page, codes, used, column);
      levels.body.byte(width);
      await writer.dataPage(levels.with(kernels.hybrid(codes, width)), countRowsOfRanges(page));
    }
    return { ...writer.finish(), statistics: entries.bounds(used) };
  }

  #room(width: number): Uint16Array | Int32Array {
    if (width <= 16) {
      if (this.#narrow.length === 0) this.#narrow = new Uint16Array(MAX_PAGE_VALUES);
      return this.#narrow;
    }
    if (this.#wide.length === 0) this.#wide = new Int32Array(MAX_PAGE_VALUES);
    return this.#wide;
  }

  #entries(column: ParquetColumn, dictionary: Column): Entries {
    const { values } = column;
    const { kernels } = this.#tools;
    const { length } = dictionary;
    const all = [{ column: dictionary, from: 0, to: length }];
    if (values.kind === "words") {
      const slices = checkPrimitiveRanges(column, all);
      const { order, bytes } = values;
      // The words are copied, because the gatherer reuses its memory.
      const words = this.#gatherer.gather(slices, bytes, length).slice();
      const perValue = bytes === 8 ? 2 : 1;
      const bounds = (used: Uint8Array) => wordBounds(kernels, usedWords(words, perValue, used), order);
      return { body: encodePlainWords(words), values: length, bounds };
    }
    const [{ column: texts }] = checkVariableRanges(column, all);
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

function codedSlices(column: ParquetColumn, given: readonly ColumnRange[]): ColumnRange<DictionaryColumn>[] {
  const [first] = given;
  return given.map((slice) => {
    if (slice.column.layout !== "dictionary") throw createLayoutError(column, slice.column);
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

/** Copies the indices that are not missing to `out`, and marks them in `used`. */
function copyCodes(
  page: readonly ColumnRange<DictionaryColumn>[],
  out: Uint16Array | Int32Array,
  used: Uint8Array,
  { name }: ParquetColumn,
): void {
  const size = used.length;
  let at = 0;
  for (const { column, from, to } of page) {
    const { indices } = column;
    const bitmap = getValidityBitmap(column);
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
}
