import { constants, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { InvalidDataError } from "../../../model/errors.js";
import { type OutputSize, wrongSize } from "../bounds/output-size.js";
import type { DeflateFormat } from "./deflate-frame.js";
import { type Inflate, installInflate, isKept } from "./inflate.js";
import { loadInflateKernel } from "./inflate-wasm.js";

const DECODERS = { raw: inflateRawSync, zlib: inflateSync, gzip: gunzipSync };

/** Bytes that are decompressed by node:zlib first: to load the kernel, and to run it cold, takes as long as these. */
const COLD_BYTES = 4 * 2 ** 20;

/** What node:zlib does for a stream before its first byte takes as long as these. */
const STREAM_BYTES = 2 ** 16;

/**
 * Lets `inflate` use node:zlib where it is faster: at first; for gzip, whose CRC-32 costs WebAssembly as much as the
 * decoding; and for streams too large for the shared kernel. Called once by the Node entry.
 */
export function installNodeInflate(): void {
  installInflate(inflateInNode);
}

let inflated = 0;

const inflateInNode: Inflate = async (bytes, format, size, target) => {
  if (inflated >= COLD_BYTES && format !== "gzip" && isKept(bytes, size)) {
    const kernel = await loadInflateKernel();
    if (kernel !== null) return kernel.inflate(bytes, format, size, target);
  }
  const result = inflateWithZlib(bytes, format, size);
  inflated += STREAM_BYTES + result.length;
  return result;
};

function inflateWithZlib(bytes: Uint8Array, format: DeflateFormat, size: OutputSize): Uint8Array {
  // One output buffer of the right size (zlib asks for one byte more to see the end) saves joining small ones.
  const chunkSize = size.exact ? Math.max(size.bytes + 1, constants.Z_MIN_CHUNK) : undefined;
  try {
    const { buffer, byteOffset, length } = DECODERS[format](bytes, {
      maxOutputLength: Math.max(size.bytes, 1),
      ...(chunkSize === undefined ? {} : { chunkSize }),
    });
    // Not a Buffer, whose slice() is a view.
    return new Uint8Array(buffer, byteOffset, length);
  } catch (cause) {
    if (cause instanceof RangeError) throw wrongSize("more", size);
    throw new InvalidDataError(`corrupt deflate stream: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
