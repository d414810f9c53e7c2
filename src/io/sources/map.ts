import { checkMaxBytes, clampRange, KeyTree, splitKeySegments, splitPrefixSegments } from "./key.js";
import type { KeyValueSource } from "./source.js";

/**
 * Creates an in-memory store with keys such as `obs/.zgroup`, with or without a leading slash. Values are not copied.
 */
export function mapSource(
  map: ReadonlyMap<string, Uint8Array> | Readonly<Record<string, Uint8Array>>,
  name = "map",
): KeyValueSource {
  const given = map instanceof Map ? map.entries() : Object.entries(map);
  const values = new Map<string, Uint8Array>();
  for (const [key, value] of given) {
    const bare = key.startsWith("/") ? key.slice(1) : key;
    splitKeySegments(bare);
    values.set(bare, value);
  }
  const tree = new KeyTree(values.keys());
  return {
    kind: "keys",
    name,
    async get(key, options) {
      options?.signal?.throwIfAborted();
      const value = values.get(key);
      if (value !== undefined) checkMaxBytes(key, value.length, options);
      return value;
    },
    async getRanges(key, ranges, options) {
      options?.signal?.throwIfAborted();
      const value = values.get(key);
      if (value === undefined) return undefined;
      return ranges.map((range) => {
        const { start, end } = clampRange(range, value.length);
        return value.subarray(start, end);
      });
    },
    async size(key, options) {
      options?.signal?.throwIfAborted();
      return values.get(key)?.length;
    },
    async list(prefix, options) {
      options?.signal?.throwIfAborted();
      return tree.children(splitPrefixSegments(prefix).join("/"));
    },
    close: async () => undefined,
  };
}
