/** Decodes chunks into a reader's memory, and caches chunks that the next rows will need again. */

import {
  InvalidDataError,
  isAnnarrowError,
  isCancellation,
  locateError,
  UnsupportedError,
} from "../../../model/errors.js";
import type { ChunkCodec, ZarrChunk } from "../codecs/codec.js";
import type { Assembler } from "./assemble.js";
import type { Box } from "./box.js";

/** Maximum number of decoded bytes that an array caches from chunks that extend beyond the last rows read. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** A read of a box of rows. */
export interface ChunkRead {
  /** Places the chunk at `box` if it is cached. Returns whether it was cached. */
  placeKept(box: Box): boolean;
  /** @throws {InvalidDataError} if `encoded` is not a valid chunk. */
  place(encoded: Uint8Array, box: Box): Promise<void>;
  /** Removes chunks that the next rows do not need from the cache. Must be called after placing all chunks. */
  end(): void;
}

export class ChunkCopier {
  readonly #codec: ChunkCodec;
  #kept: ReadonlyMap<string, ZarrChunk> = new Map();

  constructor(codec: ChunkCodec) {
    this.#codec = codec;
  }

  /** @param box the rows to read into `target`. */
  begin(box: Box, target: Assembler): ChunkRead {
    const codec = this.#codec;
    const known = this.#kept;
    const keep = new Map<string, ZarrChunk>();
    let keptBytes = 0;
    const end = rowEnd(box);

    /**
     * Places a chunk. If the chunk extends beyond these rows, also caches it, because the next range of rows needs it
     * as well.
     */
    function put(chunk: ZarrChunk, at: Box): void {
      target.place(chunk, at);
      if (rowEnd(at) <= end) return;
      const bytes = chunk.bytes.length + (chunk.kind === "variable" ? chunk.offsets.byteLength : 0);
      if (keptBytes + bytes > MAX_KEPT_BYTES) return;
      keptBytes += bytes;
      keep.set(at.start.join(), chunk);
    }

    return {
      placeKept(at) {
        const chunk = known.get(at.start.join());
        if (chunk === undefined) return false;
        put(chunk, at);
        return true;
      },
      async place(encoded, at) {
        const slot = codec.decodeInto === undefined ? undefined : target.slot(at);
        if (slot === undefined) put(await codec.decode(encoded), at);
        else await codec.decodeInto?.(encoded, slot);
      },
      end: () => {
        this.#kept = keep;
      },
    };
  }
}

function rowEnd({ start, shape }: Box): number {
  return start.length === 0 ? 0 : start[0] + shape[0];
}

/**
 * Runs `work` on every item, at most `limit` at a time. Stops at the first failure, after waiting for the work that has
 * already begun.
 */
export async function runConcurrently<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let failure: { readonly error: unknown } | undefined;
  async function worker(): Promise<void> {
    for (let next = iterator.next(); !next.done && failure === undefined; next = iterator.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  }
  await Promise.all(Array.from({ length: limit }, worker));
  if (failure !== undefined) throw failure.error;
}

/** Adds the chunk's key to the message of `error`, keeping the error's class and code. */
export function createChunkError(key: string, error: unknown): unknown {
  if (isCancellation(error)) return error;
  const named = isAnnarrowError(error) ? error : locateError(error, {});
  if (!isAnnarrowError(named, "InvalidDataError", "UnsupportedError")) return named;
  const problem = `chunk ${key}: ${named.problem}`;
  const options = { cause: error, code: named.code };
  return named.tag === "UnsupportedError"
    ? new UnsupportedError(problem, options)
    : new InvalidDataError(problem, options);
}
