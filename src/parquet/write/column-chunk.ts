/**
 * Encodes one column of a row group as a Parquet column chunk. Encoders are pooled across tables: each takes megabytes
 * of WebAssembly memory, and a directory can have thousands of small tables.
 */

import type { PrimitiveColumn } from "../../arrow/column.js";
import { type Compressor, loadCompressor } from "../../kernels/codecs/compress.js";
import { appendLevels } from "../../kernels/parquet/levels.js";
import { PageBuffer } from "../../kernels/parquet/page-buffer.js";
import type { ParquetKernels } from "../../kernels/parquet/parquet-kernels.js";
import { InvalidInputError } from "../../model/errors.js";
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
  splitIntoPages,
} from "./column-range.js";
import type { Codec } from "./compression.js";
import { convertColumnRange } from "./convert-range.js";
import type { ParquetColumn } from "./parquet-column.js";
import { CodeEncoder, NumberEncoder, TextEncoder } from "./value-encoders.js";

/** Encodes chunks and reuses their memory. */
export class ColumnChunkEncoder {
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
   * @throws {InvalidInputError} if a slice does not fit the column's type, or has nulls that the column does not allow.
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

/** Runs `use` with an exclusive encoder. If `use` fails, the encoder is dropped instead of returned to the pool. */
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
export async function encodeBooleans(
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
export async function encodeFixed(
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

/** Encodes a column of nulls: pages of definition levels only. */
export async function encodeNulls(
  slices: readonly ColumnRange[],
  { compress, levels }: ChunkTools,
): Promise<EncodedPages> {
  const writer = new ChunkWriter(ENCODING.PLAIN, compress);
  for (const page of splitIntoPages(slices)) {
    const rows = countRowsOfRanges(page);
    levels.body.clear();
    appendLevels([{ bits: new Uint8Array((rows + 7) >> 3), offset: 0, length: rows }], levels.body);
    await writer.dataPage(levels.body.written(), rows);
  }
  return { ...writer.finish(), statistics: null };
}
