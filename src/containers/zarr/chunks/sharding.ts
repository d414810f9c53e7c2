import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { countElements } from "../../../model/stored.js";
import { MAX_CHUNKS } from "../../tree/container.js";
import type { ChunkCodec, ChunkSpec } from "../codecs/codec.js";
import { createFixedType, getItemSize } from "../metadata/data-type.js";
import type { JsonObject } from "../metadata/json.js";
import { checkJsonIntegers, createUnexpectedError } from "../metadata/json-fields.js";
import { type CodecSpec, checkChunkBytes, countChunkBytes, getEncodedLimit } from "../metadata/metadata.js";
import { parseCodecs } from "../metadata/metadata-v3.js";
import { createAssembler } from "./assemble.js";
import { computeStrides, listTouchedCells } from "./box.js";

export const SHARDING = "sharding_indexed";

/** Returns the byte range of an inner chunk in its shard; undefined if the chunk is missing. */
export type ShardIndex = (inner: readonly number[]) => { readonly start: number; readonly end: number } | undefined;

/** Opens the codec pipeline for the index, or for the inner chunks, which may be shards as well. */
type OpenPipeline = (specs: readonly CodecSpec[], spec: ChunkSpec) => Promise<ChunkCodec>;

/** The parts of a shard, for readers that fetch only what they need. `decode` takes a complete shard. */
export interface Sharding extends ChunkCodec {
  /** The shape of the inner chunks. */
  readonly inner: readonly number[];
  readonly chunk: ChunkCodec;
  /** The size of the index in bytes, and whether it is at the start of the shard. */
  readonly indexSize: number;
  readonly indexFirst: boolean;
  /** @throws {InvalidDataError} if the index is too short or its checksum is wrong. */
  readIndex(bytes: Uint8Array): Promise<ShardIndex>;
}

/**
 * Opens `sharding_indexed` (Zarr v3 codec of this name, version 1.0).
 * @throws {InvalidDataError} if the shard is not divisible into inner chunks, or if the index has no fixed size.
 */
export async function openSharding(configuration: JsonObject, shard: ChunkSpec, open: OpenPipeline): Promise<Sharding> {
  const inner = checkJsonIntegers(configuration.chunk_shape, "chunk_shape of sharding_indexed", 1);
  const { shape } = shard;
  if (inner.length !== shape.length || shape.some((size, axis) => size % inner[axis] !== 0)) {
    throw new InvalidDataError(`inner chunks of [${inner}] do not divide shards of [${shape}]`);
  }
  const grid = shape.map((size, axis) => size / inner[axis]);
  const count = countElements(grid);
  if (count > MAX_CHUNKS) throw new InvalidDataError(`${count} inner chunks in a shard, at most ${MAX_CHUNKS}`);
  checkChunkBytes(inner, shard.type);
  const location = configuration.index_location ?? "end";
  if (location !== "start" && location !== "end")
    throw createUnexpectedError(location, "index_location", '"start" or "end"');

  const chunk = await open(parseCodecs(configuration.codecs), { ...shard, shape: inner });
  const index = await openIndex(parseCodecs(configuration.index_codecs), count, open);
  const decodedSize = getItemSize(shard.type.layout);
  const limit = getEncodedLimit(countChunkBytes(inner, shard.type));
  const steps = computeStrides(grid);

  async function readIndex(bytes: Uint8Array): Promise<ShardIndex> {
    if (bytes.length !== index.encodedSize) {
      throw new InvalidDataError(`the shard's index has ${bytes.length} bytes, expected ${index.encodedSize}`);
    }
    const entries = await index.codec.decode(bytes);
    const view = new DataView(entries.bytes.buffer, entries.bytes.byteOffset, entries.bytes.byteLength);
    return (position) => {
      const at = 16 * position.reduce((sum, value, axis) => sum + value * steps[axis], 0);
      const start = view.getBigUint64(at, true);
      const length = view.getBigUint64(at + 8, true);
      if (start === MISSING && length === MISSING) return undefined;
      if (start + length > BigInt(Number.MAX_SAFE_INTEGER)) {
        throw new InvalidDataError(`inner chunk ${position} has ${length} bytes at byte ${start} of the shard`);
      }
      const size = Number(length);
      if (chunk.encodedSize === null ? size > limit : size !== chunk.encodedSize) {
        const expected = chunk.encodedSize === null ? `at most ${limit}` : chunk.encodedSize;
        throw new InvalidDataError(`inner chunk ${position} has ${size} bytes, expected ${expected}`);
      }
      return { start: Number(start), end: Number(start) + size };
    };
  }

  return {
    encodedSize: null,
    inner,
    chunk,
    indexSize: index.encodedSize,
    indexFirst: location === "start",
    readIndex,
    async decode(bytes) {
      const size = index.encodedSize;
      if (bytes.length < size) throw new InvalidDataError(`a shard of ${bytes.length} bytes, its index has ${size}`);
      const find = await readIndex(
        location === "start" ? bytes.subarray(0, size) : bytes.subarray(bytes.length - size),
      );
      checkChunkBytes(shape, shard.type);
      const whole = { start: shape.map(() => 0), shape };
      const target = createAssembler(whole, decodedSize, shard.fill);
      for (const position of listTouchedCells(whole, inner)) {
        const range = find(position);
        const box = { start: position.map((p, axis) => p * inner[axis]), shape: inner };
        target.place(range && (await chunk.decode(innerBytes(bytes, range, position))), box);
      }
      return target.finish();
    },
  };
}

const MISSING = 2n ** 64n - 1n;

function innerBytes(shard: Uint8Array, range: { start: number; end: number }, position: readonly number[]): Uint8Array {
  if (range.end > shard.length) {
    throw new InvalidDataError(`inner chunk ${position} ends at byte ${range.end} of a shard of ${shard.length} bytes`);
  }
  return shard.subarray(range.start, range.end);
}

/** Opens the codecs of the index, an array of u64. The encoded size of the index must not depend on its content. */
async function openIndex(codecs: readonly CodecSpec[], count: number, open: OpenPipeline) {
  const type = createFixedType({ kind: "int", bits: 64, signed: false }, 8, 8);
  const codec = await open(codecs, { shape: [count, 2], type, fill: new Uint8Array(8) });
  if (codec.encodedSize === null) throw new UnsupportedError("a shard index that is compressed");
  return { codec, encodedSize: codec.encodedSize };
}

/** True if a pipeline consists only of sharding, so that the parts of a shard can be read separately. */
export function isUncompressedSharding(codecs: readonly CodecSpec[]): boolean {
  return codecs.length === 1 && codecs[0].name === SHARDING;
}
