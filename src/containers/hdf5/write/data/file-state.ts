/** State shared by all objects in a file while the file is written. */

import { isAnnarrowError } from "../../../../model/errors.js";
import type { ChunkQueue } from "../space/chunk-queue.js";
import type { FileSpace } from "../space/file-space.js";
import type { GlobalHeapWriter } from "../space/global-heap.js";

export interface FileState {
  /** The file's name for errors. */
  readonly name: string;
  readonly space: FileSpace;
  readonly heap: GlobalHeapWriter;
  readonly queue: ChunkQueue;
  readonly turns: ActionQueue;
  readonly compression: Hdf5Compression;
  readonly shuffle: Shuffle;
  readonly fletcher32: boolean;
  readonly compactBytes: number;
  readonly chunkK: number;
  readonly openArrays: Set<string>;
  /** The addresses of arrays that are referred to before they are added, by path. */
  readonly reserved: Map<string, number>;
  closed: boolean;
}

export type Shuffle = "none" | "integers" | "all";

export type Hdf5Compression = { readonly kind: "gzip"; readonly level: number } | { readonly kind: "none" };

/** Adds the names of the file and the element to an error, and returns the error. */
export function createLocatedError(source: string, element: string, error: unknown): unknown {
  if (isAnnarrowError(error)) return error.locate({ source, element });
  if (error instanceof TypeError) {
    const parts = [source, element, error.message].filter((part) => part !== "");
    return new TypeError(parts.join(": "), { cause: error });
  }
  return error;
}

/** A queue that runs actions one after another in call order, so that the bytes of a file do not depend on timing. */
export class ActionQueue {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(action);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
