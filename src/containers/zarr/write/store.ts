import { isAnnarrowError } from "../../../model/errors.js";
import type { KeyValueTarget } from "../../../targets/target.js";
import type { ChunkEncoder, ChunkEncoding } from "../../tree/container-writer.js";
import { joinPath } from "../metadata/metadata.js";
import type { ZarrCompression } from "./compression.js";
import type { Dialect } from "./zarr-type.js";

/** A node of the store with its documents: in v2 `.zarray` or `.zgroup` and `.zattrs`, in v3 `zarr.json`. */
export interface StoreNode {
  readonly path: string;
  /** null while an array is open. */
  documents(): ReadonlyMap<string, string> | null;
}

/** What all nodes of a store under construction share. */
export interface Store {
  readonly target: KeyValueTarget;
  readonly dialect: Dialect;
  readonly compression: ZarrCompression;
  readonly sharding: boolean;
  readonly queue: WriteQueue;
  readonly memory: ChunkBuffers;
  /** In the order in which they were made. */
  readonly nodes: StoreNode[];
  /** Arrays that are open. */
  open: number;
  isClosed: boolean;
}

/** Runs `action`; an error of ours gets the store's name and the path of the element. */
export async function inStore<T>(store: Store, path: string, action: () => T | Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw isAnnarrowError(error) ? error.locate({ source: store.target.name, element: path }) : error;
  }
}

/** Stores the documents of a node. */
export async function setDocuments(
  { target }: Store,
  path: string,
  documents: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [name, text] of documents) await target.set(joinPath(path, name), new TextEncoder().encode(text));
}

/**
 * Work on chunks: begun at once, several under way, ended one after another in the order in which it was added. So the
 * keys of a store come in the same order whichever chunk is encoded first.
 */
export class WriteQueue {
  readonly #window: () => number;
  readonly #steps: Promise<void>[] = [];
  #tail: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;

  /** @param window How many pieces of work are under way at most, now. */
  constructor(window: () => number) {
    this.#window = window;
  }

  /**
   * Begins work as soon as there is room, and gives its result to `end` in turn.
   * @throws what work added before has failed with.
   */
  async add<T>(begin: () => Promise<T>, end: (result: T) => Promise<void> | void): Promise<void> {
    while (this.#steps.length >= Math.max(1, this.#window())) await this.#steps[0];
    this.#throwFailure();
    const result = begin();
    // It is awaited in its turn, perhaps after it has failed.
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

  /** Waits until everything is done. */
  async drain(): Promise<void> {
    await this.#tail;
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

/** Chunks that wait to be used again. */
const MAX_KEPT = 4;

/** Memory of chunks and their encoding. Chunks that are stored as they are stay here, and are used again. */
export class ChunkBuffers {
  readonly #encoder: ChunkEncoder;
  readonly #kept: Uint8Array<ArrayBuffer>[] = [];

  constructor(encoder: ChunkEncoder) {
    this.#encoder = encoder;
  }

  /** So many bytes, of any content. */
  take(bytes: number, encoding: ChunkEncoding): Uint8Array<ArrayBuffer> {
    if (encoding.length > 0) return this.#encoder.memory(bytes);
    const at = this.#kept.findIndex((kept) => kept.length === bytes);
    return at < 0 ? new Uint8Array(bytes) : this.#kept.splice(at, 1)[0];
  }

  /** The bytes to be stored. `chunk` is from `take`, and gone. */
  encode(chunk: Uint8Array<ArrayBuffer>, encoding: ChunkEncoding): Promise<Uint8Array> {
    return encoding.length > 0 ? this.#encoder.encode(chunk, encoding) : Promise.resolve(chunk);
  }

  /** Takes back a chunk that was stored as it was. */
  release(chunk: Uint8Array<ArrayBuffer>): void {
    this.#kept.unshift(chunk);
    this.#kept.length = Math.min(this.#kept.length, MAX_KEPT);
  }
}
