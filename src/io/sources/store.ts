import { once } from "../../kernels/values/once.js";
import {
  InvalidDataError,
  InvalidInputError,
  isAnnarrowError,
  isCancellation,
  UnsupportedError,
} from "../../model/errors.js";
import { checkMaxBytes, clampRange, KeyTree, splitKeySegments, splitPrefixSegments } from "./key.js";
import type { KeyRange, KeyValueSource, ReadOptions } from "./source.js";

/** An absolute key in a zarrita store: `/obs/zarr.json`. */
export type StoreKey = `/${string}`;

/** A part of a value: `length` bytes from `offset` on, or the last `suffixLength` bytes. */
export type StoreRange = { readonly offset: number; readonly length: number } | { readonly suffixLength: number };

/** Options passed to a store's `get` and `getRange`. */
export interface StoreReadOptions {
  readonly signal?: AbortSignal;
}

/**
 * A store to read from: zarrita's `Readable` and `AsyncReadable` (`FetchStore`, `ZipFileStore`, `FileSystemStore`, or
 * any of them in a wrapper such as `withConsolidatedMetadata`), or two functions that the caller provides.
 * @example
 * ```ts
 * const data = await open({ get: async (key) => (await bucket.get(`pbmc.zarr${key}`))?.bytes() });
 * ```
 */
export interface ReadableStore {
  /** Returns the whole value; undefined if the key is absent. The library does not write to the value. */
  get(key: StoreKey, options?: StoreReadOptions): StoreValue | Promise<StoreValue>;
  /** Returns part of a value. Without this method, values (including shards) are always read completely. */
  getRange?(key: StoreKey, range: StoreRange, options?: StoreReadOptions): StoreValue | Promise<StoreValue>;
  /** Returns the nodes, if the store knows them, as in zarrita's `Listable`. */
  contents?(): readonly { readonly path: string; readonly kind: "array" | "group" }[];
}

export type StoreValue = Uint8Array | undefined;

/** Number of bytes that a probe requests past the end of a value of known size. */
const BEYOND = 16;

/**
 * Reads a store that the caller provides or that comes from zarrita. It is read in this thread, not in workers, and is
 * not closed.
 */
export function storeSource(store: ReadableStore, name = "store"): KeyValueSource {
  return new StoreSource(store, name);
}

class StoreSource implements KeyValueSource {
  readonly kind = "keys";
  readonly name: string;
  readonly #store: ReadableStore;
  readonly #tree = once(() => this.#listing());
  /**
   * Whether ranges stop at the end of their value. zarrita's `FileSystemStore` pads ranges with zeros, and its
   * `ZipFileStore` with the bytes that follow, which would be read as values. A test read of the root document, which
   * is small, shows the behaviour.
   */
  readonly #endsRanges = once(() => this.#probe());
  /** Sizes of values by key, used for stores whose ranges do not stop at the end of the value. */
  readonly #sizes = new Map<string, number>();

  constructor(store: ReadableStore, name: string) {
    this.#store = store;
    this.name = name;
  }

  async get(key: string, options?: ReadOptions & { readonly most?: number }): Promise<StoreValue> {
    const value = await this.#ask(key, options, (at, read) => this.#store.get(at, read));
    if (value !== undefined) checkMaxBytes(key, value.length, options);
    return value;
  }

  async getRanges(key: string, ranges: readonly KeyRange[], options?: ReadOptions): Promise<Uint8Array[] | undefined> {
    const size = this.#sizes.get(key);
    if (this.#store.getRange === undefined || (size === undefined && !(await this.#endsRanges()))) {
      const value = await this.get(key, options);
      if (value === undefined) return undefined;
      if (this.#store.getRange !== undefined) this.#sizes.set(key, value.length);
      return ranges.map((range) => cut(value, range));
    }
    const parts = await Promise.all(ranges.map((range) => this.#part(key, range, size, options)));
    const found = parts.filter((part) => part !== undefined);
    if (found.length === parts.length) return found;
    if (found.length === 0) return undefined;
    throw new InvalidDataError(`${key} vanished while it was read`, { source: this.name, code: "source-changed" });
  }

  async list(prefix: string, options?: ReadOptions): Promise<string[] | null> {
    options?.signal?.throwIfAborted();
    return (await this.#tree())?.children(splitPrefixSegments(prefix).join("/")) ?? null;
  }

  async close(): Promise<void> {}

  /** Reads part of a value. @param size the size of the value, if it is needed to find the end of the range. */
  async #part(key: string, range: KeyRange, size: number | undefined, options?: ReadOptions): Promise<StoreValue> {
    const { start, end } =
      size !== undefined ? clampRange(range, size) : "suffix" in range ? { start: 0, end: range.suffix } : range;
    const length = end - start;
    if (length === 0) return new Uint8Array(0);
    const asked = "suffix" in range && size === undefined ? { suffixLength: range.suffix } : { offset: start, length };
    const part = await this.#ask(key, options, (at, read) => this.#store.getRange?.(at, asked, read));
    // A server without support for ranges sends the whole value.
    return part !== undefined && part.length > length ? cut(part, range) : part;
  }

  async #probe(): Promise<boolean> {
    for (const key of ROOT_DOCUMENTS) {
      const value = await this.get(key);
      if (value === undefined || value.length === 0) continue;
      const range = { offset: value.length - 1, length: 1 + BEYOND };
      try {
        const part = await this.#ask(key, undefined, (at, read) => this.#store.getRange?.(at, range, read));
        return part?.length !== range.length;
      } catch {
        // A store that refuses to read past the end of a value does not pad ranges either.
        return true;
      }
    }
    return false;
  }

  async #listing(): Promise<KeyTree | null> {
    const store = this.#store;
    if (typeof store.contents === "function") {
      const isV3 = (await this.get("zarr.json")) !== undefined;
      const keys = store.contents().map(({ path, kind }) => {
        const document = isV3 ? "zarr.json" : kind === "array" ? ".zarray" : ".zgroup";
        return `${path}/${document}`.replace(/^\/+/, "");
      });
      return treeOf(keys);
    }
    // The store may be a wrapped Map.
    return store instanceof Map ? treeOf([...store.keys()].map((key) => String(key).replace(/^\//, ""))) : null;
  }

  async #ask(
    key: string,
    options: ReadOptions | undefined,
    read: (key: StoreKey, options: StoreReadOptions) => StoreValue | Promise<StoreValue>,
  ): Promise<StoreValue> {
    options?.signal?.throwIfAborted();
    splitKeySegments(key);
    if ("url" in this.#store && /[%#?\\]/.test(key)) {
      throw new UnsupportedError(
        "a name with %, #, ? or a backslash, which a store of zarrita's asks its server for as a part of a URL; open the URL itself",
        { source: this.name, element: key },
      );
    }
    const value: unknown = await this.#answer(key, () => read(`/${key}`, { signal: options?.signal }));
    if (value === undefined || value === null) return undefined;
    if (value instanceof Uint8Array) return value;
    throw new InvalidInputError("the store gives what is no Uint8Array", { source: this.name, element: key });
  }

  async #answer<T>(key: string, read: () => T | Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (cause) {
      if (isCancellation(cause) || isAnnarrowError(cause)) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new InvalidDataError(`the store fails: ${reason}`, {
        source: this.name,
        element: key,
        cause,
        code: "outside",
      });
    }
  }
}

/** Root documents, one of which is in every store that can be opened. */
const ROOT_DOCUMENTS = ["zarr.json", ".zgroup", "version", "manifest.json"];

function treeOf(keys: readonly string[]): KeyTree {
  for (const key of keys) splitKeySegments(key);
  return new KeyTree(keys);
}

function cut(value: Uint8Array, range: KeyRange): Uint8Array {
  const { start, end } = clampRange(range, value.length);
  return value.subarray(start, end);
}
