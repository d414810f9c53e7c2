import { InvalidInputError } from "../../model/errors.js";
import { splitKeySegments } from "../sources/key.js";
import { setTwice } from "./memory.js";
import type { KeyValueTarget } from "./target.js";

/** An absolute key in a zarrita store: `/obs/zarr.json`. */
type StoreKey = `/${string}`;

/**
 * A writable store: zarrita's `Writable`, or a few lines of code that write to OPFS or a bucket. Keys start with `/`.
 */
export interface WritableStore {
  /** Stores a value. The store may keep a reference to `bytes`. */
  set(key: StoreKey, bytes: Uint8Array): unknown;
  /** Returns a value; used to check whether the store already contains a Zarr hierarchy. */
  get?(key: StoreKey): unknown;
  /** Removes a value, after a failed write. */
  delete?(key: StoreKey): unknown;
}

/**
 * The documents in the root, without which a store cannot be opened. They are set last, so that an incomplete store
 * cannot be opened.
 */
export const ROOT_DOCUMENTS = ["zarr.json", ".zgroup", ".zarray", ".zattrs", ".zmetadata"];

/**
 * Creates a target for a store that cannot rename keys. The root documents are written after all other values. The
 * values of a failed write are deleted if the store supports it.
 * @throws {InvalidInputError} if the store already contains a Zarr hierarchy.
 */
export async function storeTarget(store: WritableStore, name = "store"): Promise<KeyValueTarget> {
  for (const document of ROOT_DOCUMENTS) {
    const there = await store.get?.(`/${document}`);
    if (there !== undefined && there !== null) {
      throw new InvalidInputError("holds a Zarr hierarchy already; empty it first", {
        source: name,
        element: document,
      });
    }
  }
  return new StoreTarget(store, name);
}

class StoreTarget implements KeyValueTarget {
  readonly kind = "keys";
  readonly name: string;
  readonly caseSensitive = true;
  readonly #store: WritableStore;
  readonly #keys = new Set<string>();
  readonly #last = new Map<string, Uint8Array>();
  readonly #underWay = new Set<Promise<void>>();
  /** Keys that were passed to the store, which may contain them. */
  readonly #given = new Set<string>();
  #failure: unknown = null;
  #state: "open" | "committed" | "aborted" = "open";

  constructor(store: WritableStore, name: string) {
    this.#store = store;
    this.name = name;
  }

  async set(key: string, bytes: Uint8Array): Promise<void> {
    this.#check("written to");
    splitKeySegments(key);
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
    // The root documents are deleted first, so that the rest cannot be opened.
    const [documents, others] = [[...this.#last.keys()], [...this.#given]];
    for (const key of documents) if (this.#given.delete(key)) await this.#delete(key);
    for (const key of others) if (this.#given.delete(key)) await this.#delete(key);
  }

  /**
   * Deletes a value. Errors are ignored, because they must not hide the reason why the write failed. Leftovers without
   * a root document cannot be opened.
   */
  async #delete(key: string): Promise<void> {
    try {
      await this.#store.delete?.(`/${key}`);
    } catch {
      this.#given.add(key);
    }
  }

  /**
   * Deletes all values, and returns a new target for the store.
   * @throws {InvalidInputError} if the store has no `delete`, or if deleting fails.
   */
  async anew(): Promise<KeyValueTarget> {
    if (this.#store.delete === undefined) {
      throw new InvalidInputError("has no delete, by which what cannot be held is taken back: leave it out yourself", {
        source: this.name,
      });
    }
    await this.abort();
    const [left] = this.#given;
    if (left !== undefined) throw new InvalidInputError("cannot be deleted", { source: this.name, element: left });
    return new StoreTarget(this.#store, this.name);
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
    this.#given.add(key);
    try {
      await this.#store.set(`/${key}`, bytes);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new InvalidInputError(`cannot be written: ${reason}`, {
        source: this.name,
        element: key,
        cause,
        code: "outside",
      });
    }
  }

  async #settle(): Promise<void> {
    await Promise.all(this.#underWay);
  }
}
