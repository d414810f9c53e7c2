import { keySegments } from "../sources/key.js";
import type { KeyValueTarget, ValueStream } from "./target.js";

/**
 * A stream of the value of `key`, which is collected and set when it is closed where the target cannot append.
 * @throws {InvalidInputError} for a key that no store has.
 */
export async function streamOf(target: KeyValueTarget, key: string): Promise<ValueStream> {
  if (target.stream !== undefined) return target.stream(key);
  keySegments(key);
  return collectedStream((bytes) => target.set(key, bytes));
}

/** Collects a value; `set` gets it when it is closed. */
export function collectedStream(set: (bytes: Uint8Array) => Promise<void>): ValueStream {
  let bytes = new Uint8Array(0);
  let length = 0;
  let open = true;
  return {
    async write(part) {
      if (!open) throw new TypeError("the value is closed");
      const needed = length + part.length;
      if (needed > bytes.length) {
        const larger = new Uint8Array(Math.max(needed, 2 * bytes.length));
        larger.set(bytes.subarray(0, length));
        bytes = larger;
      }
      bytes.set(part, length);
      length = needed;
    },
    async close() {
      if (!open) return;
      open = false;
      await set(bytes.subarray(0, length));
    },
  };
}
