import { InvalidDataError } from "../model/errors.js";
import { checkRange } from "./memory.js";
import type { ByteSource } from "./source.js";

/** A `Blob` or `File`: only the parts that are asked for are read. */
export function blobSource(blob: Blob, name = "name" in blob ? String(blob.name) : "blob"): ByteSource {
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
