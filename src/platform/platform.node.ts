/**
 * The Node platform: node:zlib for whole streams (it has zstd from Node 22.15 on, CRC-32 from 20.15 and 22.2 on),
 * worker threads, and h5wasm on files. The built version of this file stays in `platform/`, next to the built
 * `worker.node.js`.
 */

import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import * as zlib from "node:zlib";
import type { Deflate, Platform, Threads, Zstd } from "./platform.js";
import { getThreadArguments } from "./thread-arguments.node.js";

/**
 * Size of the young generation in a worker's heap. Decoded data is stored outside the heap, so a small young generation
 * saves about 10 MiB per worker and costs no time.
 */
const YOUNG = { maxYoungGenerationSizeMb: 4 };

/**
 * Creates worker threads.
 * @param entry the built version of `worker.node.ts`, which is next to this file.
 */
export function createNodeThreads(
  entry = new URL("./worker.node.js", import.meta.url),
  count = availableParallelism(),
): Threads {
  return {
    count,
    start({ reply, failure }) {
      const worker = new Worker(entry, { resourceLimits: YOUNG, execArgv: getThreadArguments() });
      worker.on("message", reply);
      worker.on("error", (error) => failure(error instanceof Error ? error.message : String(error)));
      worker.on("messageerror", () => failure("it sent what cannot be received"));
      worker.on("exit", (code) => failure(`it ended with code ${code}`));
      return {
        post: (request, transfer) => worker.postMessage(request, transfer),
        idle: () => worker.unref(),
        busy: () => worker.ref(),
        stop: () => void worker.terminate(),
      };
    },
  };
}

const ENCODERS = { zlib: zlib.deflateSync, gzip: zlib.gzipSync };

/** Offset of the byte for the operating system in a gzip member's header, and the value that means "unknown". */
const [GZIP_SYSTEM, UNKNOWN] = [9, 255];

const deflate: Deflate = (bytes, form, level) => {
  // A single output buffer avoids joining small ones. The larger match table costs 128 KiB and saves a fifth of the
  // time.
  const stream = ENCODERS[form](bytes, { level, memLevel: 9, chunkSize: bytes.length + ROOM });
  if (form === "gzip") stream[GZIP_SYSTEM] = UNKNOWN;
  return plain(stream);
};

/** Extra bytes for incompressible data: header, checksum, and five bytes for each stored block. */
const ROOM = 2 ** 12;

const deflatePart = (bytes: Uint8Array, level: number): Uint8Array => {
  const { Z_SYNC_FLUSH: finishFlush } = zlib.constants;
  return plain(zlib.deflateRawSync(bytes, { level, memLevel: 9, chunkSize: bytes.length + ROOM, finishFlush }));
};

/** Members of node:zlib that are missing from Node 20's types. */
interface NewerZlib {
  readonly constants: { readonly [name: string]: unknown };
  readonly zstdCompressSync?: (bytes: Uint8Array, options: { readonly params: Record<number, number> }) => Uint8Array;
  readonly zstdDecompressSync?: (
    bytes: Uint8Array,
    options: { readonly maxOutputLength: number; readonly chunkSize: number },
  ) => Uint8Array;
}

/** Minimum chunk size of node:zlib, and the largest chunk that is allocated for a stream that claims a large size. */
const [LEAST, MOST] = [64, 1 << 24];

const zstd = ((): Zstd | null => {
  const { zstdCompressSync, zstdDecompressSync, constants }: NewerZlib = zlib;
  const parameter = constants.ZSTD_c_compressionLevel;
  if (zstdCompressSync === undefined || zstdDecompressSync === undefined || typeof parameter !== "number") return null;
  return {
    compress: (bytes, level) => zstdCompressSync(bytes, { params: { [parameter]: level } }),
    decompress(bytes, most) {
      // A single output buffer of the right size avoids joining small ones. One extra byte detects the end.
      const chunkSize = Math.min(Math.max(most + 1, LEAST), MOST);
      return plain(zstdDecompressSync(bytes, { maxOutputLength: Math.max(most, 1), chunkSize }));
    },
  };
})();

/** This is six times as fast as our own implementation. */
const crc32: Platform["crc32"] = "crc32" in zlib ? (bytes, before) => zlib.crc32(bytes, before) : null;

/** Returns a Uint8Array instead of a Buffer, because slice() of a Buffer returns a view. */
function plain({ buffer, byteOffset, length }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, length);
}

export const platform: Platform = {
  deflate,
  deflatePart,
  gzip: (bytes) => zlib.gzipSync(bytes),
  zstd,
  crc32,
  threads: createNodeThreads(),
  h5wasmOnFiles: () => import("h5wasm/node"),
};
