/** One column of a row group as a Parquet column chunk. */

import type { Compressor } from "../../kernels/codecs/compress.js";
import { PageBuffer } from "../../kernels/parquet/page-buffer.js";
import type { ParquetKernels } from "../../kernels/parquet/parquet-kernels.js";
import { InvalidInputError } from "../../model/errors.js";
import { CodeEncoder } from "./code-chunk.js";
import { convertSlice } from "./convert-slice.js";
import type { ChunkTools, EncodedColumnChunk, EncodedPages } from "./encoded-chunk.js";
import { NumberEncoder } from "./number-chunk.js";
import { PageLevels } from "./page-levels.js";
import type { ParquetColumn } from "./parquet-column.js";
import { encodeBooleans, encodeFixed, encodeNulls } from "./plain-chunk.js";
import { nullsOf, primitiveSlices, type Slice, variableSlices } from "./slice.js";
import { TextEncoder } from "./text-chunk.js";

/** Encodes chunk after chunk; holds the memory that every one of them needs. */
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
   * The bytes of the chunk, and what the footer says of it.
   * @param given the values, in slices that follow each other.
   * @param rows number of values in all slices together, at least 1.
   * @throws {InvalidInputError} where a slice is not what the column says, or has nulls that it does not allow.
   */
  async encode(column: ParquetColumn, given: readonly Slice[], rows: number) {
    const slices = given.map((slice) => convertSlice(column, slice));
    const nulls = nullsOf(slices);
    if (nulls > 0 && !column.nullable) {
      throw new InvalidInputError(`the column ${column.name} has ${nulls} nulls, its field allows none`);
    }
    const { parts, pages, statistics } = await this.#pages(column, slices, rows - nulls);
    const chunk: EncodedColumnChunk = { values: rows, nulls, statistics, ...pages };
    return { parts, chunk };
  }

  #pages(column: ParquetColumn, slices: readonly Slice[], present: number): Promise<EncodedPages> {
    if (column.coded) return this.#codes.encode(column, slices);
    if (present === 0) return encodeNulls(slices, this.#tools);
    const { values } = column;
    switch (values.kind) {
      case "words":
        return this.#numbers.encode(column, values, primitiveSlices(column, slices), present);
      case "bits":
        return encodeBooleans(column, primitiveSlices(column, slices), present, this.#tools);
      case "fixed":
        return encodeFixed(column, values.width, primitiveSlices(column, slices), this.#tools);
      case "bytes":
        return this.#texts.encode(column, variableSlices(column, slices), present);
      case "null":
        throw new InvalidInputError(`the column ${column.name} has ${present} values, its type allows none`);
      default:
        return values satisfies never;
    }
  }
}
