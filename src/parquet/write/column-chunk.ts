/**
 * Encodes one column of a row group as a Parquet column chunk. Tables share a pool of encoders, because each encoder
 * takes megabytes of WebAssembly memory, and a directory can have thousands of small tables.
 */

import type { Column, DictionaryColumn, PrimitiveColumn } from "../../arrow/column.js";
import { type Compressor, loadCompressor } from "../../kernels/codecs/compress.js";
import { appendLevels } from "../../kernels/parquet/levels.js";
import { PageBuffer } from "../../kernels/parquet/page-buffer.js";
import type { ParquetKernels } from "../../kernels/parquet/parquet-kernels.js";
import { computeValidity, getBitmapByteLength, isBitSet, type Validity } from "../../kernels/values/bitmap.js";
import { InvalidInputError, UnsupportedError } from "../../model/errors.js";
import { createZeros, viewAsBytes } from "../../model/stored.js";
import {
  type ChunkTools,
  ChunkWriter,
  ENCODING,
  type EncodedColumnChunk,
  type EncodedPages,
  PageLevels,
} from "./chunk-writer.js";
import {
  appendBooleans,
  appendFixed,
  type ColumnRange,
  checkPrimitiveRanges,
  checkVariableRanges,
  countNulls,
  countRowsOfRanges,
  createLayoutError,
  getValidityBitmap,
  splitIntoPages,
} from "./column-range.js";
import type { Codec } from "./compression.js";
import type { ParquetColumn } from "./parquet-column.js";
import { CodeEncoder, NumberEncoder, TextEncoder } from "./value-encoders.js";

/** Encodes chunks and reuses their memory. */
class ColumnChunkEncoder {
  readonly #tools: ChunkTools;
  readonly #numbers: NumberEncoder;
  readonly #codes: CodeEncoder;
  readonly #texts: TextEncoder;

  constructor(compress: Compressor | null, kernels: ParquetKernels) {
    this.#tools = { compress, kernels, levels: new PageLevels(new PageBuffer(2 ** 16)) };
    this.#numbers = new NumberEncoder(this.#tools);
    this.#codes = new CodeEncoder(this.#tools);
    this.#texts = new TextEncoder(this.#tools);
  }

  /**
   * Encodes a chunk.
   * @param given the values, in consecutive slices.
   * @param rows number of values in all slices together, at least 1.
   * @returns the chunk's bytes, and its properties for the footer.
   * @throws {InvalidInputError} if a slice does not fit the column's type, or contains nulls that the column does not
   * allow.
   */
  async encode(column: ParquetColumn, given: readonly ColumnRange[], rows: number) {
    const slices = given.map((slice) => convertColumnRange(column, slice));
    const nulls = countNulls(slices);
    if (nulls > 0 && !column.nullable) {
      throw new InvalidInputError(`the column ${column.name} has ${nulls} nulls, its field allows none`);
    }
    const { parts, pages, statistics } = await this.#pages(column, slices, rows - nulls);
    const chunk: EncodedColumnChunk = { values: rows, nulls, statistics, ...pages };
    return { parts, chunk };
  }

  #pages(column: ParquetColumn, slices: readonly ColumnRange[], present: number): Promise<EncodedPages> {
    if (column.coded) return this.#codes.encode(column, slices);
    if (present === 0) return encodeNulls(slices, this.#tools);
    const { values } = column;
    switch (values.kind) {
      case "words":
        return this.#numbers.encode(column, values, checkPrimitiveRanges(column, slices), present);
      case "bits":
        return encodeBooleans(column, checkPrimitiveRanges(column, slices), present, this.#tools);
      case "fixed":
        return encodeFixed(column, values.width, checkPrimitiveRanges(column, slices), this.#tools);
      case "bytes":
        return this.#texts.encode(column, checkVariableRanges(column, slices), present);
      case "null":
        throw new InvalidInputError(`the column ${column.name} has ${present} values, its type allows none`);
      default:
        return values satisfies never;
    }
  }
}

/** Unused encoders by compression. */
const idle = new Map<Codec, ColumnChunkEncoder[]>();

/**
 * Runs `use` with an exclusive encoder. If `use` fails, the encoder is discarded instead of being returned to the pool.
 */
export async function withChunkEncoder<T>(codec: Codec, use: (encoder: ColumnChunkEncoder) => Promise<T>): Promise<T> {
  const waiting = idle.get(codec) ?? [];
  idle.set(codec, waiting);
  const encoder = waiting.pop() ?? (await newEncoder(codec));
  const result = await use(encoder);
  waiting.push(encoder);
  return result;
}

async function newEncoder(codec: Codec): Promise<ColumnChunkEncoder> {
  const compress = codec === "none" ? null : await loadCompressor(codec);
  const { createParquetKernels } = await import("../../kernels/parquet/wasm-kernels.js");
  return new ColumnChunkEncoder(compress, await createParquetKernels());
}

/** Encodes booleans. @param present number of booleans that are not missing, at least 1. */
async function encodeBooleans(
  column: ParquetColumn,
  slices: readonly ColumnRange<PrimitiveColumn>[],
  present: number,
  { compress, levels }: ChunkTools,
): Promise<EncodedPages> {
  const writer = new ChunkWriter(ENCODING.PLAIN, compress);
  let set = 0;
  for (const page of splitIntoPages(slices)) {
    levels.begin(page, column.nullable);
    set += appendBooleans(page, levels.body);
    await writer.dataPage(levels.body.written(), countRowsOfRanges(page));
  }
  const least = Uint8Array.of(set === present ? 1 : 0);
  const greatest = Uint8Array.of(set > 0 ? 1 : 0);
  return { ...writer.finish(), statistics: { least, greatest } };
}

/** Encodes values of `width` bytes without statistics, since readers disagree on the order of half floats. */
async function encodeFixed(
  column: ParquetColumn,
  width: number,
  slices: readonly ColumnRange<PrimitiveColumn>[],
  { compress, levels }: ChunkTools,
): Promise<EncodedPages> {
  const writer = new ChunkWriter(ENCODING.PLAIN, compress);
  for (const page of splitIntoPages(slices)) {
    levels.begin(page, column.nullable);
    appendFixed(page, width, levels.body);
    await writer.dataPage(levels.body.written(), countRowsOfRanges(page));
  }
  return { ...writer.finish(), statistics: null };
}

/** Encodes a column of nulls. Its pages contain only definition levels. */
async function encodeNulls(slices: readonly ColumnRange[], { compress, levels }: ChunkTools): Promise<EncodedPages> {
  const writer = new ChunkWriter(ENCODING.PLAIN, compress);
  for (const page of splitIntoPages(slices)) {
    const rows = countRowsOfRanges(page);
    levels.body.clear();
    appendLevels([{ bits: new Uint8Array((rows + 7) >> 3), offset: 0, length: rows }], levels.body);
    await writer.dataPage(levels.body.written(), rows);
  }
  return { ...writer.finish(), statistics: null };
}

// Converts columns whose type in the file differs from their type in the table.

/**
 * Converts a slice to its form in the file: seconds become milliseconds, dictionaries that readers do not support are
 * decoded, and nulls among the values of a dictionary become nulls of the rows.
 * @throws {UnsupportedError} for seconds that overflow in milliseconds.
 */
function convertColumnRange(column: ParquetColumn, slice: ColumnRange): ColumnRange {
  const { column: given } = slice;
  switch (column.conversion) {
    case "none":
      return given.layout === "dictionary" ? withoutNullEntries(given, slice) : slice;
    case "seconds":
      return given.layout === "dictionary"
        ? withoutNullEntries({ ...given, dictionary: dictionaryInMilliseconds(given.dictionary) }, slice)
        : { ...slice, column: inMilliseconds(given, slice.from, slice.to, slice.origin) };
    case "decoded":
      if (given.layout !== "dictionary") throw createLayoutError(column, given);
      return { ...slice, column: decoded(column, given, slice) };
    default:
      return column.conversion satisfies never;
  }
}

const LIMIT = (2n ** 63n - 1n) / 1000n;

function inMilliseconds(column: Column, from: number, to: number, origin = 0): PrimitiveColumn {
  const seconds = column.layout === "primitive" ? column.values : null;
  if (column.layout !== "primitive" || !(seconds instanceof BigInt64Array)) {
    throw new InvalidInputError(`seconds are given as ${column.layout} ${column.type.id}`);
  }
  const bitmap = getValidityBitmap(column);
  const values = new BigInt64Array(to);
  for (let i = from; i < to; i++) {
    if (bitmap !== null && !isBitSet(bitmap, i)) continue;
    const value = seconds[i];
    if (value > LIMIT || value < -LIMIT) {
      throw new UnsupportedError(
        `row ${origin + i} of a batch is ${value} seconds from 1970, which milliseconds cannot hold; write the table as .arrow`,
      );
    }
    values[i] = value * 1000n;
  }
  return { ...column, values };
}

const converted = new WeakMap<Column, Column>();

/**
 * Converts a dictionary only once, and then always returns the same object, because slices share a dictionary only if
 * it is the same object.
 */
function dictionaryInMilliseconds(dictionary: Column): Column {
  const known = converted.get(dictionary);
  if (known !== undefined) return known;
  const made = inMilliseconds(dictionary, 0, dictionary.length);
  converted.set(dictionary, made);
  return made;
}

/**
 * Removes null entries from a dictionary, because a dictionary page cannot contain nulls. Rows that refer to them
 * become missing.
 */
function withoutNullEntries(given: DictionaryColumn, slice: ColumnRange): ColumnRange<DictionaryColumn> {
  const { dictionary } = given;
  const bitmap = getValidityBitmap(dictionary);
  if (bitmap === null) return { ...slice, column: given };
  const { places, kept } = compacted(dictionary, bitmap);
  const { from, to } = slice;
  const indices = new Int32Array(to);
  const place = (i: number) => {
    const index = isPresent(given, i) ? Number(given.indices[i]) : -1;
    return index < 0 ? -1 : index < places.length ? places[index] : kept.length;
  };
  for (let i = from; i < to; i++) indices[i] = Math.max(place(i), 0);
  const validity = computeValidity(to, (i) => i >= from && place(i) >= 0);
  return { ...slice, column: { ...given, indices, dictionary: kept, validity } };
}

interface Compacted {
  readonly places: Int32Array;
  readonly kept: Column;
}

const compactedOf = new WeakMap<Column, Compacted>();

function compacted(dictionary: Column, bitmap: Uint8Array): Compacted {
  const known = compactedOf.get(dictionary);
  if (known !== undefined) return known;
  const places = new Int32Array(dictionary.length);
  const rows: number[] = [];
  for (let i = 0; i < dictionary.length; i++) {
    const present = isBitSet(bitmap, i);
    places[i] = present ? rows.length : -1;
    if (present) rows.push(i);
  }
  const made = { places, kept: taken(dictionary, rows) };
  compactedOf.set(dictionary, made);
  return made;
}

/** Copies the values at `rows`. None of these values may be missing. */
function taken(column: Column, rows: readonly number[]): Column {
  const length = rows.length;
  if (column.layout === "primitive") {
    const values = createZeros(column.values, length);
    const width = values.BYTES_PER_ELEMENT;
    const [source, target] = [viewAsBytes(column.values), viewAsBytes(values)];
    rows.forEach((row, i) => {
      target.set(source.subarray(width * row, width * (row + 1)), width * i);
    });
    return { ...column, length, validity: null, values };
  }
  if (column.layout !== "variable") throw new InvalidInputError(`a dictionary has values of ${column.type.id}`);
  const parts = rows.map((row) => column.bytes.subarray(column.offsets[row], column.offsets[row + 1]));
  const offsets = new Int32Array(length + 1);
  parts.forEach((part, i) => {
    offsets[i + 1] = offsets[i] + part.length;
  });
  const bytes = new Uint8Array(offsets[length]);
  parts.forEach((part, i) => {
    bytes.set(part, offsets[i]);
  });
  return { ...column, length, validity: null, offsets, bytes };
}

function isPresent(column: Column, i: number): boolean {
  return column.validity === null || isBitSet(column.validity.bitmap, i);
}

/** Decodes a dictionary column of fixed-width values. */
function decoded(column: ParquetColumn, given: DictionaryColumn, { from, to }: ColumnRange): PrimitiveColumn {
  const { dictionary } = given;
  if (dictionary.layout !== "primitive") throw createLayoutError(column, dictionary);
  const place = (i: number) => {
    const index = isPresent(given, i) ? Number(given.indices[i]) : -1;
    if (index >= dictionary.length) {
      throw new InvalidInputError(`the column ${column.name} points at value ${index} of ${dictionary.length}`);
    }
    return index >= 0 && isPresent(dictionary, index) ? index : -1;
  };
  const validity: Validity | null = computeValidity(to, (i) => i < from || place(i) >= 0);
  const source = viewAsBytes(dictionary.values);
  if (column.values.kind === "bits") {
    const values = new Uint8Array(getBitmapByteLength(to));
    for (let i = from; i < to; i++) {
      const index = place(i);
      if (index >= 0 && isBitSet(source, index)) values[i >> 3] |= 1 << (i & 7);
    }
    return { ...dictionary, length: to, validity, values };
  }
  const width = column.values.kind === "fixed" ? column.values.width : 8;
  const bytes = new Uint8Array(width * to);
  for (let i = from; i < to; i++) {
    const index = place(i);
    if (index >= 0) bytes.set(source.subarray(width * index, width * (index + 1)), width * i);
  }
  const values = width === 8 ? new BigInt64Array(bytes.buffer) : bytes;
  return { ...dictionary, length: to, validity, values };
}
