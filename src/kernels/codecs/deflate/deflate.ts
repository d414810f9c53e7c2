/**
 * Compression to zlib and gzip streams. Uses the platform, or libdeflate if the platform cannot compress a whole stream
 * at once, or CompressionStream if libdeflate cannot run.
 */

import { platform } from "#platform";
import { copyToOwnMemory } from "../../values/copy-bytes.js";
import { isWebAssemblyAllowed } from "../../wasm/instantiate.js";

/**
 * Larger inputs use CompressionStream, because libdeflate's memory never shrinks, and because libdeflate does not
 * notice when it runs out of memory.
 */
const MAX_BYTES = 64 * 2 ** 20;

/**
 * Compresses bytes to one stream.
 * @param level 0 to 9; CompressionStream has a single fixed level, and libdeflate has no level below 1.
 * @throws {TypeError} for any other level.
 */
export async function deflate(
  bytes: Uint8Array,
  form: "zlib" | "gzip",
  level: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (!Number.isInteger(level) || level < 0 || level > 9) throw new TypeError(`deflate has no level ${level}`);
  if (platform.deflate !== null) return copyToOwnMemory(platform.deflate(bytes, form, level));
  if (bytes.length > MAX_BYTES || !isWebAssemblyAllowed()) return deflateWithStream(bytes, form);
  const libdeflate = await import("libdeflate");
  // Returns a promise in the page of `annarrow view`, which replaces libdeflate with CompressionStream.
  return copyToOwnMemory(await libdeflate[form](bytes, Math.max(level, 1)));
}

/**
 * Compresses bytes to deflate blocks that end at a byte boundary. No block is marked as the last block, so more blocks
 * can follow.
 * @throws {TypeError} if the level is not 0 to 9, or the platform cannot end a stream this way
 * (`platform.deflatePart`).
 */
export function deflatePart(bytes: Uint8Array, level: number): Uint8Array<ArrayBuffer> {
  if (!Number.isInteger(level) || level < 0 || level > 9) throw new TypeError(`deflate has no level ${level}`);
  if (platform.deflatePart === null) throw new TypeError("this platform has no parts of deflate streams");
  return copyToOwnMemory(platform.deflatePart(bytes, level));
}

/** Compresses bytes with the platform's CompressionStream. */
export async function deflateWithStream(bytes: Uint8Array, form: "zlib" | "gzip"): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new CompressionStream(form === "zlib" ? "deflate" : "gzip");
  const compressed = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(compressed).arrayBuffer());
}
