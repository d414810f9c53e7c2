/** zlib and gzip streams are made here: by a WebAssembly kernel, by the platform's CompressionStream where none can run. */

import { deflateKernelFor } from "./deflate-wasm.js";

/**
 * One stream.
 * @param level 0 to 9; the platform's stream has only one of its own.
 * @throws {UnsupportedError} where there is no memory for so many bytes.
 */
export async function deflate(
  bytes: Uint8Array,
  form: "zlib" | "gzip",
  level: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const kernel = await deflateKernelFor(bytes.length);
  return kernel?.compress(bytes, form, level) ?? deflateWithStream(bytes, form);
}

/** The same by the platform's stream. */
export async function deflateWithStream(bytes: Uint8Array, form: "zlib" | "gzip"): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new CompressionStream(form === "zlib" ? "deflate" : "gzip");
  const compressed = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(compressed).arrayBuffer());
}
