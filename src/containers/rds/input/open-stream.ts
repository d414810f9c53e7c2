/** Opening of a file by its compression, which its first bytes tell and its name does not. */

import { BoundedOutput } from "../../../kernels/codecs/bounds/bounded-output.js";
import { decodeBz2 } from "../../../kernels/codecs/bz2/bz2.js";
import { decodeXz } from "../../../kernels/codecs/xz/xz.js";
import { UnsupportedError } from "../../../model/errors.js";
import type { ByteSource } from "../../../sources/source.js";
import { type ByteStream, gunzipStream, sourceStream } from "./byte-stream.js";

const MAGIC: readonly (readonly [name: "gzip" | "bzip2" | "xz" | "zstd", bytes: readonly number[]])[] = [
  ["gzip", [0x1f, 0x8b]],
  ["bzip2", [0x42, 0x5a, 0x68]],
  ["xz", [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
];

export interface StreamOptions {
  /** The most bytes of a bzip2 or xz file, which is decompressed as a whole. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** @throws {InvalidDataError} where a bzip2 or xz file is corrupt, or decompresses to more than `maxBytes`. */
export async function openStream(source: ByteSource, options: StreamOptions): Promise<ByteStream> {
  const head = await source.read(0, Math.min(source.size, 6), options);
  const compression = MAGIC.find(([, bytes]) => bytes.every((byte, i) => head[i] === byte))?.[0];
  const size = { bytes: options.maxBytes, exact: false };
  switch (compression) {
    case undefined:
      return sourceStream(source, options);
    case "gzip":
      return gunzipStream(source, options);
    case "bzip2":
      return wholeStream(decodeBz2(await source.read(0, source.size, options), size));
    case "xz": {
      const out = new BoundedOutput(size);
      decodeXz(await source.read(0, source.size, options), out);
      return wholeStream(out.finish());
    }
    case "zstd":
      throw new UnsupportedError("an R object compressed with zstd");
    default:
      return compression satisfies never;
  }
}

function wholeStream(bytes: Uint8Array): ByteStream {
  let left: Uint8Array | null = bytes.length === 0 ? null : bytes;
  return {
    async pull() {
      const all = left;
      left = null;
      return all;
    },
    room: () => left?.length ?? 0,
    cancel: async () => undefined,
  };
}
