/** Opens a file according to its compression, which is detected from the first bytes, not from the name. */

import { UnsupportedError } from "annarrow";
import { createStreamDecoder } from "annarrow/core/kernels";
import type { ByteSource, ReadOptions } from "annarrow/format";
import { type ByteStream, createGunzipStream, createSourceStream } from "./byte-stream.js";

const MAGIC: readonly (readonly [name: "gzip" | "bzip2" | "xz" | "zstd", bytes: readonly number[]])[] = [
  ["gzip", [0x1f, 0x8b]],
  ["bzip2", [0x42, 0x5a, 0x68]],
  ["xz", [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
];

/** @throws {InvalidDataError} from `pull` if a compressed file is corrupt. */
export async function openStream(source: ByteSource, options: ReadOptions): Promise<ByteStream> {
  const head = await source.read(0, Math.min(source.size, 6), options);
  const compression = MAGIC.find(([, bytes]) => bytes.every((byte, i) => head[i] === byte))?.[0];
  switch (compression) {
    case undefined:
      return createSourceStream(source, options);
    case "gzip":
      return createGunzipStream(source, options);
    case "bzip2":
      return steppedStream(source, options, {
        decoder: (await import("annarrow/core/kernels")).decodeBz2InSteps,
        mostPerByte: 2 ** 21,
      });
    case "xz":
      return steppedStream(source, options, {
        decoder: (await import("annarrow/core/kernels")).decodeXzInSteps,
        mostPerByte: 2 ** 19,
      });
    case "zstd":
      throw new UnsupportedError("an R object compressed with zstd");
    default:
      return compression satisfies never;
  }
}

interface Compression {
  readonly decoder: Parameters<typeof createStreamDecoder>[1];
  /** Upper bound on decoded bytes per encoded byte. A 45 MB block takes some tens of bytes, a 2 MB chunk seven. */
  readonly mostPerByte: number;
}

function steppedStream(source: ByteSource, options: ReadOptions, { decoder, mostPerByte }: Compression): ByteStream {
  const stored = createSourceStream(source, options);
  const next = createStreamDecoder(() => stored.pull(), decoder);
  let given = 0;
  return {
    async pull() {
      const bytes = await next();
      given += bytes?.length ?? 0;
      return bytes;
    },
    room: () => Math.max(0, source.size * mostPerByte - given),
  };
}
