import { InvalidInputError } from "../model/errors.js";
import { keySegments } from "../sources/key.js";
import type { KeyValueTarget } from "./target.js";

/**
 * A store in memory. `map` gets its values, keys such as `obs/.zgroup`, when they are committed.
 * @throws {InvalidInputError} where `map` holds something already, unless `overwrite`: then that is replaced.
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
      keySegments(key);
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

/** The error for a key that has a value. */
export function setTwice(key: string, source: string): InvalidInputError {
  return new InvalidInputError("is set twice", { source, element: key });
}
