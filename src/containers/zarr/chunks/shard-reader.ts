import { mergeRanges } from "../../../io/sources/file-bytes.js";
import type { KeyValueSource, ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError } from "../../../model/errors.js";
import type { ArrayMetadata } from "../metadata/metadata.js";
import type { Assembler } from "./assemble.js";
import { type Box, intersectBoxes, listTouchedCells } from "./box.js";
import { ChunkCopier, type ChunkRead, createChunkError, runConcurrently } from "./chunk-copier.js";
import type { ShardIndex, Sharding } from "./sharding.js";

/** Number of shards that are read concurrently, and number of concurrent requests for each. */
const SHARDS = 2;
const REQUESTS = 4;
/** Maximum encoded size in bytes of the inner chunks requested in one call of `getRanges`. */
const MAX_REQUEST = 16 * 1024 * 1024;
/**
 * Maximum size in bytes of cached shard indexes. Without the cache, they would be fetched again for every batch of
 * rows.
 */
const MAX_INDEXES = 16 * 1024 * 1024;

interface InnerChunk {
  readonly position: readonly number[];
  readonly box: Box;
  readonly start: number;
  readonly end: number;
}

/** Reads byte ranges of inner chunks from shards, after reading the shard's index. */
export class ShardReader {
  readonly #source: KeyValueSource;
  readonly #keyOf: (position: readonly number[]) => string;
  readonly #shard: readonly number[];
  readonly #sharding: Sharding;
  readonly #placer: ChunkCopier;
  readonly #indexes = new Map<string, Promise<ShardIndex | undefined>>();

  constructor(
    source: KeyValueSource,
    keyOf: (position: readonly number[]) => string,
    metadata: ArrayMetadata,
    sharding: Sharding,
  ) {
    this.#source = source;
    this.#keyOf = keyOf;
    this.#shard = metadata.chunkShape;
    this.#sharding = sharding;
    this.#placer = new ChunkCopier(sharding.chunk);
  }

  async read(box: Box, target: Assembler, options?: ReadOptions): Promise<void> {
    const batch = this.#placer.begin(box, target);
    await runConcurrently(listTouchedCells(box, this.#shard), SHARDS, async (position) => {
      options?.signal?.throwIfAborted();
      const key = this.#keyOf(position);
      const start = position.map((p, axis) => p * this.#shard[axis]);
      const shard = { start, shape: this.#shard };
      const index = await this.#index(key);
      if (index === undefined) return target.place(undefined, shard);
      await this.#readShard(key, start, intersectBoxes(box, shard), index, target, batch, options);
    });
    batch.end();
  }

  async #readShard(
    key: string,
    origin: readonly number[],
    wanted: Box,
    index: ShardIndex,
    target: Assembler,
    batch: ChunkRead,
    options?: ReadOptions,
  ): Promise<void> {
    const { inner } = this.#sharding;
    const boxOf = (position: readonly number[]): Box => ({
      start: position.map((p, axis) => origin[axis] + p * inner[axis]),
      shape: inner,
    });
    const local = { start: wanted.start.map((low, axis) => low - origin[axis]), shape: wanted.shape };
    const found: InnerChunk[] = [];
    const empty: InnerChunk[] = [];
    for (const position of listTouchedCells(local, inner)) {
      const box = boxOf(position);
      if (batch.placeKept(box)) continue;
      const range = attempt(key, () => index(position));
      if (range === undefined) target.place(undefined, box);
      else (range.end > range.start ? found : empty).push({ position, box, ...range });
    }
    // An empty chunk needs no request. Its codecs determine whether a chunk may be empty.
    for (const chunk of empty) await placeInner(key, chunk, new Uint8Array(0), chunk.start, batch);
    await runConcurrently(groups(found), REQUESTS, async (group) => {
      options?.signal?.throwIfAborted();
      const runs = mergeRanges(group);
      const parts = await this.#source.getRanges(key, runs, options);
      if (parts === undefined) throw new InvalidDataError(`shard ${key} vanished while it was read`);
      for (const [i, run] of runs.entries()) {
        for (const member of run.members) await placeInner(key, group[member], parts[i], run.start, batch);
      }
    });
  }

  /**
   * Returns a shard's index; undefined if the shard is missing. Several reads share the index, so none of them can
   * cancel the request.
   */
  #index(key: string): Promise<ShardIndex | undefined> {
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    const { indexSize } = this.#sharding;
    const index = this.#fetchIndex(key);
    if (indexSize <= MAX_INDEXES) {
      const [oldest] = this.#indexes.keys();
      if (oldest !== undefined && (this.#indexes.size + 1) * indexSize > MAX_INDEXES) this.#indexes.delete(oldest);
      this.#indexes.set(key, index);
      index.catch(() => this.#indexes.delete(key));
    }
    return index;
  }

  async #fetchIndex(key: string): Promise<ShardIndex | undefined> {
    const { indexSize, indexFirst } = this.#sharding;
    const range = indexFirst ? { start: 0, end: indexSize } : { suffix: indexSize };
    const parts = await this.#source.getRanges(key, [range]);
    if (parts === undefined) return undefined;
    try {
      return await this.#sharding.readIndex(parts[0]);
    } catch (error) {
      throw createChunkError(key, error);
    }
  }
}

/** Decodes one inner chunk from `bytes`, which begin at `offset` in the shard. */
async function placeInner(
  key: string,
  { position, box, start, end }: InnerChunk,
  bytes: Uint8Array,
  offset: number,
  batch: ChunkRead,
): Promise<void> {
  const encoded = bytes.subarray(start - offset, end - offset);
  try {
    if (encoded.length !== end - start) {
      throw new InvalidDataError(
        `inner chunk ${position} lies at bytes [${start}, ${end}) of the shard, ${encoded.length} of them are there`,
      );
    }
    await batch.place(encoded, box);
  } catch (error) {
    throw createChunkError(key, error);
  }
}

/** Groups chunks by position, so that each group is small enough for memory. */
function groups(chunks: InnerChunk[]): InnerChunk[][] {
  chunks.sort((a, b) => a.start - b.start);
  const result: InnerChunk[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const chunk of chunks) {
    if (size + chunk.end - chunk.start > MAX_REQUEST) {
      result.push([]);
      size = 0;
    }
    result[result.length - 1].push(chunk);
    size += chunk.end - chunk.start;
  }
  return result;
}

function attempt<T>(key: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw createChunkError(key, error);
  }
}
