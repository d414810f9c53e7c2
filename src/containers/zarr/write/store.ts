import type { KeyValueTarget } from "../../../io/targets/target.js";
import { isAnnarrowError } from "../../../model/errors.js";
import type { ChunkEncoder, ChunkEncoding } from "../../tree/container-writer.js";
import { joinPath } from "../metadata/metadata.js";
import type { ZarrCompression } from "./compression.js";
import type { Dialect } from "./zarr-type.js";

/** A node of the store with its documents: `.zarray` or `.zgroup` and `.zattrs` in v2, `zarr.json` in v3. */
export interface StoreNode {
  readonly path: string;
  /** Returns the documents; null while an array is open. */
  documents(): ReadonlyMap<string, string> | null;
}

/** The state shared by all nodes of a store that is being written. */
export interface Store {
  readonly target: KeyValueTarget;
  readonly dialect: Dialect;
  readonly compression: ZarrCompression;
  readonly sharding: boolean;
  readonly queue: WriteQueue;
  readonly memory: ChunkBuffers;
  readonly nodes: StoreNode[];
  open: number;
  isClosed: boolean;
}

/** Runs `action`. Adds the store's name and the element's path to errors of this library. */
export async function runInStore<T>(store: Store, path: string, action: () => T | Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw isAnnarrowError(error) ? error.locate({ source: store.target.name, element: path }) : error;
  }
}

export async function setDocuments(
  { target }: Store,
  path: string,
  documents: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [name, text] of documents) await target.set(joinPath(path, name), new TextEncoder().encode(text));
}

/**
 * A queue of work on chunks. Several tasks run concurrently, but they end one after another in the order in which they
 * were added. So the store's keys are written in a fixed order, whichever chunk is encoded first.
 */
export class WriteQueue {
  readonly #window: () => number;
  readonly #steps: Promise<void>[] = [];
  #tail: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;

  /** @param window returns the current limit of pending work. */
  constructor(window: () => number) {
    this.#window = window;
  }

  /**
   * Begins work as soon as the queue has room, and passes the result to `end` when it is this task's turn.
   * @throws the error of work that was added earlier.
   */
  async add<T>(begin: () => Promise<T>, end: (result: T) => Promise<void> | void): Promise<void> {
    while (this.#steps.length >= Math.max(1, this.#window())) await this.#steps[0];
    this.#throwFailure();
    const result = begin();
    // The promise is awaited later in turn, possibly after it has been rejected.
    result.catch(() => undefined);
    this.#tail = this.#tail.then(async () => {
      try {
        if (this.#failure === undefined) await end(await result);
      } catch (error) {
        this.#failure ??= { error };
      } finally {
        this.#steps.shift();
      }
    });
    this.#steps.push(this.#tail);
  }

  async drain(): Promise<void> {
    await this.#tail;
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

/** Maximum number of chunks cached for reuse. */
const MAX_KEPT = 4;

/** Allocates and encodes chunks. The memory of chunks that are stored without encoding is reused. */
export class ChunkBuffers {
  readonly #encoder: ChunkEncoder;
  readonly #kept: Uint8Array<ArrayBuffer>[] = [];

  constructor(encoder: ChunkEncoder) {
    this.#encoder = encoder;
  }

  /** Returns memory of `bytes` bytes with arbitrary contents. */
  take(bytes: number, encoding: ChunkEncoding): Uint8Array<ArrayBuffer> {
    if (encoding.length > 0) return this.#encoder.memory(bytes);
    const at = this.#kept.findIndex((kept) => kept.length === bytes);
    return at < 0 ? new Uint8Array(bytes) : this.#kept.splice(at, 1)[0];
  }

  /** Returns the bytes to be stored. `chunk` must come from `take`; the caller must not use it afterwards. */
  encode(chunk: Uint8Array<ArrayBuffer>, encoding: ChunkEncoding): Promise<Uint8Array> {
    return encoding.length > 0 ? this.#encoder.encode(chunk, encoding) : Promise.resolve(chunk);
  }

  release(chunk: Uint8Array<ArrayBuffer>): void {
    this.#kept.unshift(chunk);
    this.#kept.length = Math.min(this.#kept.length, MAX_KEPT);
  }
}
