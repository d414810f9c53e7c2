/** Deflate, zlib and gzip streams by the platform's DecompressionStream, for engines in which no kernel can run. */

import { InvalidDataError } from "../../../model/errors.js";
import { type OutputSize, wrongSize } from "../bounds/byte-codec.js";
import type { DeflateFormat } from "./deflate-frame.js";

const NAMES = { raw: "deflate-raw", zlib: "deflate", gzip: "gzip" } as const;

/**
 * Decompresses a stream.
 * @throws {InvalidDataError} where the stream is corrupt, or gives more bytes than `size` says.
 */
export async function inflateWithStream(
  stored: Uint8Array,
  format: DeflateFormat,
  size: OutputSize,
): Promise<Uint8Array> {
  const stream = new Blob([stored.slice()]).stream().pipeThrough(new DecompressionStream(NAMES[format]));
  const reader = stream.getReader();
  const parts: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((cause) => {
      throw new InvalidDataError(`corrupt deflate stream: ${cause instanceof Error ? cause.message : cause}`, {
        cause,
      });
    });
    if (done) break;
    total += value.length;
    if (total > size.bytes) {
      await reader.cancel();
      throw wrongSize("more", size);
    }
    parts.push(value);
  }
  if (parts.length === 1) return parts[0];
  const result = new Uint8Array(total);
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}
