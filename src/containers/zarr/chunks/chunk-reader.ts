import type { KeyValueSource, ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError } from "../../../model/errors.js";
import type { ChunkCodec } from "../codecs/codec.js";
import { type ArrayMetadata, countChunkBytes, getChunkKey, getEncodedLimit } from "../metadata/metadata.js";
import type { Assembler } from "./assemble.js";
import { type Box, listTouchedCells } from "./box.js";
import { ChunkCopier, createChunkError, runConcurrently } from "./chunk-copier.js";
import { openPipeline } from "./pipeline.js";
import { ShardReader } from "./shard-reader.js";
import { isUncompressedSharding, openSharding } from "./sharding.js";

/** Reads the chunks that overlap a box. */
export interface ChunkReader {
  read(box: Box, target: Assembler, options?: ReadOptions): Promise<void>;
}

/** Number of chunks that are fetched and decoded concurrently. */
const CONCURRENCY = 8;

/**
 * Opens the reader for an array's chunks.
 * @throws {UnsupportedError} if a codec or the type is not available.
 */
export async function openChunkReader(
  source: KeyValueSource,
  path: string,
  metadata: ArrayMetadata,
): Promise<ChunkReader> {
  const spec = { shape: metadata.chunkShape, type: metadata.type, fill: metadata.fill };
  const prefix = path === "" ? "" : `${path}/`;
  const keyOf = (position: readonly number[]) => prefix + getChunkKey(metadata.keys, position);
  if (isUncompressedSharding(metadata.codecs)) {
    const sharding = await openSharding(metadata.codecs[0].configuration, spec, openPipeline);
    return new ShardReader(source, keyOf, metadata, sharding);
  }
  const most = getEncodedLimit(countChunkBytes(metadata.chunkShape, metadata.type));
  return new PlainReader(source, keyOf, metadata.chunkShape, await openPipeline(metadata.codecs, spec), most);
}

/** Reads chunks that are each stored as one object. */
class PlainReader implements ChunkReader {
  readonly #source: KeyValueSource;
  readonly #keyOf: (position: readonly number[]) => string;
  readonly #shape: readonly number[];
  readonly #codec: ChunkCodec;
  readonly #placer: ChunkCopier;
  readonly #most: number;

  /** @param most maximum size of an encoded chunk in bytes. */
  constructor(
    source: KeyValueSource,
    keyOf: (position: readonly number[]) => string,
    shape: readonly number[],
    codec: ChunkCodec,
    most: number,
  ) {
    this.#source = source;
    this.#keyOf = keyOf;
    this.#shape = shape;
    this.#codec = codec;
    this.#placer = new ChunkCopier(codec);
    this.#most = most;
  }

  async read(box: Box, target: Assembler, options?: ReadOptions): Promise<void> {
    const batch = this.#placer.begin(box, target);
    await runConcurrently(listTouchedCells(box, this.#shape), CONCURRENCY, async (position) => {
      options?.signal?.throwIfAborted();
      const at = { start: position.map((p, axis) => p * this.#shape[axis]), shape: this.#shape };
      if (batch.placeKept(at)) return;
      const key = this.#keyOf(position);
      const bytes = await this.#source.get(key, { ...options, most: this.#most });
      if (bytes === undefined) {
        target.place(undefined, at);
        return;
      }
      try {
        const { encodedSize } = this.#codec;
        if (encodedSize !== null && bytes.length !== encodedSize) {
          throw new InvalidDataError(`${bytes.length} bytes, expected ${encodedSize}`);
        }
        await batch.place(bytes, at);
      } catch (error) {
        throw createChunkError(key, error);
      }
    });
    batch.end();
  }
}
