/** Keys in a store: their segments, the names below a prefix, and the parts of a value for given ranges. */

import { InvalidDataError, InvalidInputError } from "../../model/errors.js";
import type { GetOptions, KeyRange } from "./source.js";

/**
 * Returns the segments of a key such as `obs/_index/.zarray`.
 * @throws {InvalidInputError} for a key that is empty, is absolute, or contains a segment that is empty, `.` or `..`.
 */
export function splitKeySegments(key: string): string[] {
  const segments = key.split("/");
  for (const segment of segments) {
    if (segment === "" || segment === "." || segment === ".." || segment.includes("\0")) {
      throw new InvalidInputError(`key ${JSON.stringify(key)} is not a path inside the store`);
    }
  }
  return segments;
}

/** Splits a prefix as `splitKeySegments` does. The root, `""`, has no segments. A trailing slash is ignored. */
export function splitPrefixSegments(prefix: string): string[] {
  const trimmed = prefix.endsWith("/") ? prefix.slice(0, -1) : prefix;
  return trimmed === "" ? [] : splitKeySegments(trimmed);
}

/** Maximum number of segments in a listed key. Each segment is a folder whose full path contains all its parents. */
const MAX_SEGMENTS = 256;

/** Whether a key has more segments than keys in any real store. */
export function isTooDeep(key: string): boolean {
  let slash = -1;
  for (let i = 0; i < MAX_SEGMENTS; i++) {
    slash = key.indexOf("/", slash + 1);
    if (slash < 0) return false;
  }
  return true;
}

/**
 * The names of the direct children below every prefix of a fixed set of keys, for sources that know all their keys.
 * Keys with too many segments are omitted.
 */
export class KeyTree {
  readonly #children = new Map<string, Set<string>>();

  constructor(keys: Iterable<string>) {
    for (const key of keys) if (!isTooDeep(key)) this.#add(key);
  }

  #add(key: string): void {
    let rest = key;
    for (;;) {
      const slash = rest.lastIndexOf("/");
      const parent = rest.slice(0, Math.max(slash, 0));
      const known = this.#children.get(parent);
      if (known !== undefined) {
        known.add(rest.slice(slash + 1));
        return;
      }
      this.#children.set(parent, new Set([rest.slice(slash + 1)]));
      if (slash < 0) return;
      rest = parent;
    }
  }

  children(prefix: string): string[] {
    return [...(this.#children.get(prefix) ?? [])];
  }
}

/**
 * Checks the size of a value.
 * @throws {InvalidDataError} if it exceeds the limit in `options`.
 */
export function checkMaxBytes(key: string, size: number, options: GetOptions | undefined): void {
  const most = options?.most ?? Number.POSITIVE_INFINITY;
  if (size > most) throw new InvalidDataError(`${key} has ${size} bytes, at most ${most}`);
}

/** Returns the bytes [start, end) for `range`, clipped to a value of `size` bytes. */
export function clampRange(range: KeyRange, size: number): { start: number; end: number } {
  if ("suffix" in range) return { start: Math.max(0, size - range.suffix), end: size };
  const end = Math.min(range.end, size);
  return { start: Math.min(range.start, end), end };
}

/**
 * Whether `value` is itself a Map. zarrita wraps stores in a `Proxy`. A wrapped Map has the prototype of a Map, but
 * must be read with the wrapper's methods.
 */
export function isMap(value: object): value is Map<string, Uint8Array> {
  try {
    Map.prototype.has.call(value, "");
    return true;
  } catch {
    return false;
  }
}
