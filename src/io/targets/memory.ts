/** Targets in memory: bytes, and a `Map` of values. */

import { InvalidInputError } from "../../model/errors.js";
import { splitKeySegments } from "../sources/key.js";
import type { ByteTarget, KeyValueTarget } from "./target.js";

/** Number of bytes by which the memory grows. Existing pages are not copied when it grows. */
const PAGE_SIZE = 1 << 18;

export interface BytesTarget extends ByteTarget {
  /**
   * Returns all bytes, from 0 to the end of the last part.
   * @throws {TypeError} before `commit`, and after `abort`.
   */
  bytes(): Uint8Array;
}

export function createBytesTarget(name = "bytes"): BytesTarget {
  return attempt(name, { bytes: null });
}

/** A single attempt to write. @param whole receives the bytes once the attempt is committed. */
function attempt(name: string, whole: { bytes: Uint8Array | null }): BytesTarget {
  const pages = new Map<number, Uint8Array>();
  let size = 0;
  let state: "open" | "committed" | "aborted" = "open";

  function page(index: number): Uint8Array {
    let known = pages.get(index);
    if (known === undefined) {
      known = new Uint8Array(PAGE_SIZE);
      pages.set(index, known);
    }
    return known;
  }

  async function abort(): Promise<void> {
    pages.clear();
    if (state === "open") state = "aborted";
  }

  return {
    kind: "bytes",
    name,
    async write(offset, bytes) {
      if (state !== "open") throw new TypeError(`${name}: written to after it was ${state}`);
      for (let done = 0; done < bytes.length; ) {
        const at = (offset + done) % PAGE_SIZE;
        const part = bytes.subarray(done, done + PAGE_SIZE - at);
        page(Math.floor((offset + done) / PAGE_SIZE)).set(part, at);
        done += part.length;
      }
      size = Math.max(size, offset + bytes.length);
    },
    async commit() {
      if (state !== "open") throw new TypeError(`${name}: committed after it was ${state}`);
      const bytes = allocated(size, name);
      for (const [index, part] of pages) {
        const start = index * PAGE_SIZE;
        bytes.set(part.subarray(0, size - start), start);
      }
      pages.clear();
      whole.bytes = bytes;
      state = "committed";
    },
    abort,
    async anew() {
      await abort();
      return attempt(name, whole);
    },
    bytes() {
      if (whole.bytes === null) throw new TypeError(`${name}: has no bytes before it is committed`);
      return whole.bytes;
    },
  };
}

/**
 * Allocates memory for the whole output.
 * @throws {InvalidInputError} if there is not enough contiguous memory.
 */
function allocated(size: number, name: string): Uint8Array {
  try {
    return new Uint8Array(size);
  } catch (cause) {
    throw new InvalidInputError(`${size} bytes do not fit in memory; write to a file`, { source: name, cause });
  }
}

/**
 * Creates a target for a store in memory. On commit, `map` receives the values under keys such as `obs/.zgroup`.
 * @throws {InvalidInputError} if `map` is not empty, unless `overwrite` is given, in which case the content is
 * replaced.
 */
export function mapTarget(
  map: Map<string, Uint8Array>,
  options: { readonly overwrite?: boolean; readonly name?: string } = {},
): KeyValueTarget {
  const name = options.name ?? "map";
  if (map.size > 0 && !options.overwrite) {
    throw new InvalidInputError(`holds ${map.size} keys already; give an empty map, or overwrite`, { source: name });
  }
  const values = new Map<string, Uint8Array>();
  let open = true;
  const abort = async () => {
    open = false;
    values.clear();
  };
  return {
    kind: "keys",
    name,
    caseSensitive: true,
    async set(key, bytes) {
      if (!open) throw new TypeError(`${name}: a key is set after its end`);
      splitKeySegments(key);
      if (values.has(key)) throw setTwice(key, name);
      values.set(key, bytes.slice());
    },
    async commit() {
      if (!open) throw new TypeError(`${name}: committed after its end`);
      open = false;
      map.clear();
      for (const [key, value] of values) map.set(key, value);
      values.clear();
    },
    abort,
    async anew() {
      await abort();
      return mapTarget(map, options);
    },
  };
}

export function setTwice(key: string, source: string): InvalidInputError {
  return new InvalidInputError("is set twice", { source, element: key });
}
