/** Bytes in memory and `Blob`s as sources. */

import { InvalidDataError } from "../../model/errors.js";
import type { ByteSource } from "./source.js";

/** Wraps bytes in memory. `read` returns views of these bytes. */
export function createBytesSource(bytes: Uint8Array, name = "bytes"): ByteSource {
  return {
    kind: "bytes",
    name,
    size: bytes.length,
    async read(start, end, options) {
      options?.signal?.throwIfAborted();
      checkRange(start, end, bytes.length, name);
      return bytes.subarray(start, end);
    },
    close: async () => undefined,
  };
}

/**
 * Checks a range.
 * @throws {InvalidDataError} if [start, end) is not within `size` bytes.
 */
export function checkRange(start: number, end: number, size: number, name: string): void {
  if (!(start >= 0 && start <= end && end <= size)) {
    throw new InvalidDataError(`bytes [${start}, ${end}) are asked for, there are ${size}`, { source: name });
  }
}

/** Wraps a `Blob` or `File`. Only the requested parts are read. */
export function createBlobSource(blob: Blob, name = "name" in blob ? String(blob.name) : "blob"): ByteSource {
  return {
    kind: "bytes",
    name,
    size: blob.size,
    plan: { kind: "blob", name, blob },
    async read(start, end, options) {
      options?.signal?.throwIfAborted();
      checkRange(start, end, blob.size, name);
      const bytes = new Uint8Array(await blob.slice(start, end).arrayBuffer());
      options?.signal?.throwIfAborted();
      if (bytes.length !== end - start) {
        throw new InvalidDataError(`${bytes.length} bytes came, expected ${end - start}`, { source: name });
      }
      return bytes;
    },
    close: async () => undefined,
  };
}
