import { InvalidInputError } from "../model/errors.js";
import { keySegments } from "../sources/key.js";
import { setTwice } from "./map.js";
import type { KeyValueTarget } from "./target.js";

/** A store of the caller's: a `Map`, a writable store of zarrita, a few lines over OPFS or a bucket. */
export interface WritableStore {
  /** `bytes` is the store's own. */
  set(key: string, bytes: Uint8Array): unknown;
  /** Asked whether the store holds something already. */
  get?(key: string): unknown;
  /** Takes back what was set, where writing fails. */
  delete?(key: string): unknown;
}

export interface StoreTargetOptions {
  readonly name?: string;
  /** What every key begins with: `"/"` for stores of zarrita. */
  readonly prefix?: string;
}

/** What makes a store out of keys. They come last, so that what is not complete does not open. */
const ROOT_DOCUMENTS = ["zarr.json", ".zgroup", ".zarray", ".zattrs", ".zmetadata"];

/**
 * A target for a store that knows no renaming: what describes the whole is set when all else is, and a write that
 * fails is deleted again where the store can.
 * @throws {InvalidInputError} where the store says that it holds a Zarr hierarchy already.
 */
export async function storeTarget(store: WritableStore, options: StoreTargetOptions = {}): Promise<KeyValueTarget> {
  const { name = "store", prefix = "" } = options;
  for (const document of ROOT_DOCUMENTS) {
    const there = await store.get?.(prefix + document);
    if (there !== undefined && there !== null) {
      throw new InvalidInputError("holds a Zarr hierarchy already; empty it first", {
        source: name,
        element: document,
      });
    }
  }
  return new StoreTarget(store, name, prefix);
}

class StoreTarget implements KeyValueTarget {
  readonly kind = "keys";
  readonly name: string;
  readonly caseSensitive = true;
  readonly #store: WritableStore;
  readonly #prefix: string;
  readonly #keys = new Set<string>();
  readonly #last = new Map<string, Uint8Array>();
  readonly #underWay = new Set<Promise<void>>();
  #failure: unknown = null;
  #state: "open" | "committed" | "aborted" = "open";

  constructor(store: WritableStore, name: string, prefix: string) {
    this.#store = store;
    this.name = name;
    this.#prefix = prefix;
  }

  async set(key: string, bytes: Uint8Array): Promise<void> {
    this.#check("written to");
    keySegments(key);
    if (this.#keys.has(key)) throw setTwice(key, this.name);
    this.#keys.add(key);
    const own = bytes.slice();
    if (ROOT_DOCUMENTS.includes(key)) this.#last.set(key, own);
    else await this.#put(key, own);
  }

  async commit(): Promise<void> {
    this.#check("committed");
    await this.#settle();
    this.#check("committed");
    for (const [key, bytes] of this.#last) await this.#put(key, bytes);
    this.#state = "committed";
  }

  async abort(): Promise<void> {
    if (this.#state !== "open") return;
    this.#state = "aborted";
    await this.#settle();
    if (this.#store.delete === undefined) return;
    // The root documents first, should they be there: what remains does not open.
    const keys = [...this.#last.keys(), ...[...this.#keys].filter((key) => !this.#last.has(key))];
    for (const key of keys) await this.#store.delete(this.#prefix + key);
  }

  /** @throws {InvalidInputError} where the store cannot take back what was set. */
  async anew(): Promise<KeyValueTarget> {
    if (this.#store.delete === undefined) {
      throw new InvalidInputError("has no delete, by which what cannot be held is taken back: leave it out yourself", {
        source: this.name,
      });
    }
    await this.abort();
    return new StoreTarget(this.#store, this.name, this.#prefix);
  }

  #check(verb: string): void {
    if (this.#state !== "open") throw new TypeError(`${this.name}: ${verb} after it was ${this.#state}`);
    if (this.#failure !== null) throw this.#failure;
  }

  async #put(key: string, bytes: Uint8Array): Promise<void> {
    const setting = this.#set(key, bytes);
    const noted = setting.catch((error: unknown) => {
      this.#failure ??= error;
    });
    this.#underWay.add(noted);
    await noted;
    this.#underWay.delete(noted);
    await setting;
  }

  async #set(key: string, bytes: Uint8Array): Promise<void> {
    try {
      await this.#store.set(this.#prefix + key, bytes);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new InvalidInputError(`cannot be written: ${reason}`, { source: this.name, element: key, cause });
    }
  }

  async #settle(): Promise<void> {
    await Promise.all(this.#underWay);
  }
}
