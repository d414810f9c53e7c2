/**
 * Compression to zlib and gzip streams. The platform does it; libdeflate where the platform cannot compress a whole
 * stream at once; CompressionStream where libdeflate cannot run.
 */

import { platform } from "#platform";
import { ownBytes } from "../../values/own-bytes.js";
import { isWebAssemblyAllowed } from "../../wasm/instantiate.js";

/**
 * Larger inputs take the stream: libdeflate's memory never shrinks, and libdeflate does not notice when it runs out.
 */
const MOST_BYTES = 64 * 2 ** 20;

/**
 * Compresses bytes to one stream.
 * @param level 0 to 9; CompressionStream only has its own level, and libdeflate none below 1.
 * @throws {TypeError} for another level.
 */
export async function deflate(
  bytes: Uint8Array,
  form: "zlib" | "gzip",
  level: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (!Number.isInteger(level) || level < 0 || level > 9) throw new TypeError(`deflate has no level ${level}`);
  if (platform.deflate !== null) return ownBytes(platform.deflate(bytes, form, level));
  if (bytes.length > MOST_BYTES || !isWebAssemblyAllowed()) return deflateWithStream(bytes, form);
  const libdeflate = await import("libdeflate");
  // A promise where the page of `annarrow view` has the stream in the place of libdeflate.
  return ownBytes(await libdeflate[form](bytes, Math.max(level, 1)));
}

/**
 * Compresses bytes to blocks of deflate that end at a byte, none of them the last one: others can follow.
 * @throws {TypeError} for another level than 0 to 9, and where the platform cannot end a stream so (`platform.deflatePart`).
 */
export function deflatePart(bytes: Uint8Array, level: number): Uint8Array<ArrayBuffer> {
  if (!Number.isInteger(level) || level < 0 || level > 9) throw new TypeError(`deflate has no level ${level}`);
  if (platform.deflatePart === null) throw new TypeError("this platform has no parts of deflate streams");
  return ownBytes(platform.deflatePart(bytes, level));
}

/** Compresses bytes with the platform's CompressionStream. */
export async function deflateWithStream(bytes: Uint8Array, form: "zlib" | "gzip"): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new CompressionStream(form === "zlib" ? "deflate" : "gzip");
  const compressed = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(compressed).arrayBuffer());
}
