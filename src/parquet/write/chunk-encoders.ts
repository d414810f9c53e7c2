/**
 * Encoders of chunks, for one row group after the other of whichever table: each holds megabytes of WebAssembly memory,
 * and a directory of tables can have thousands of small ones.
 */

import { compressor } from "../../kernels/codecs/compress.js";
import { loadParquetKernels } from "../../kernels/parquet/load-kernels.js";
import type { Codec } from "./codec.js";
import { ColumnChunkEncoder } from "./column-chunk.js";

/** Those that nobody uses, by their compression. */
const idle = new Map<Codec, ColumnChunkEncoder[]>();

/** What `use` gives, which alone has the encoder until then. One that has failed is not used again. */
export async function withChunkEncoder<T>(codec: Codec, use: (encoder: ColumnChunkEncoder) => Promise<T>): Promise<T> {
  const waiting = idle.get(codec) ?? [];
  idle.set(codec, waiting);
  const encoder = waiting.pop() ?? (await newEncoder(codec));
  const result = await use(encoder);
  waiting.push(encoder);
  return result;
}

async function newEncoder(codec: Codec): Promise<ColumnChunkEncoder> {
  const compress = codec === "none" ? null : await compressor(codec);
  return new ColumnChunkEncoder(compress, await loadParquetKernels());
}
