import { InvalidDataError } from "../model/errors.js";
import type { ByteSource } from "./source.js";

/** Bytes in memory. What `read` returns is a view of them. */
export function bytesSource(bytes: Uint8Array, name = "bytes"): ByteSource {
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

/** @throws {InvalidDataError} where [start, end) is not inside `size` bytes. */
export function checkRange(start: number, end: number, size: number, name: string): void {
  if (!(start >= 0 && start <= end && end <= size)) {
    throw new InvalidDataError(`bytes [${start}, ${end}) are asked for, there are ${size}`, { source: name });
  }
}
