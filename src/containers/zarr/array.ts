import { InvalidInputError, locateError } from "../../errors.js";
import type { KeyValueSource, ReadOptions } from "../../sources/source.js";
import { product, type StoredType, type StoredValues } from "../../stored.js";
import type { AttributeValue, StoredArray } from "../container.js";
import { assembler } from "./assemble.js";
import { type ChunkReader, openChunkReader } from "./chunk-reader.js";
import { itemSize } from "./data-type.js";
import { type ArrayMetadata, checkChunkBytes, checkGrid } from "./metadata.js";
import { innerChunkShape } from "./metadata-v3.js";
import { valueTarget } from "./stored-values.js";

/** The most that one `read` gives; larger arrays are read in bands of rows. */
const MAX_READ_BYTES = 2 ** 32;

/**
 * The array at `path`.
 * @throws {InvalidDataError} where its chunks are too many, or larger than can be decoded.
 */
export function zarrArray(source: KeyValueSource, path: string, metadata: ArrayMetadata): StoredArray {
  const chunks = innerChunkShape(metadata);
  checkGrid(metadata.shape, chunks);
  checkChunkBytes(chunks, metadata.type);
  return new ZarrArray(source, path, metadata, chunks);
}

class ZarrArray implements StoredArray {
  readonly kind = "array";
  readonly path: string;
  readonly id: string;
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  readonly type: StoredType;
  readonly shape: readonly number[];
  readonly chunks: readonly number[];
  readonly #source: KeyValueSource;
  readonly #metadata: ArrayMetadata;
  #reader: Promise<ChunkReader> | undefined;

  constructor(source: KeyValueSource, path: string, metadata: ArrayMetadata, chunks: readonly number[]) {
    this.path = path;
    this.id = path;
    this.attributes = metadata.attributes;
    this.type = metadata.type.stored;
    this.shape = metadata.shape;
    this.chunks = chunks;
    this.#source = source;
    this.#metadata = metadata;
  }

  async read(start: number, end: number, options?: ReadOptions): Promise<StoredValues> {
    try {
      return await this.#read(start, end, options);
    } catch (error) {
      throw locateError(error, { source: this.#source.name, element: this.path });
    }
  }

  async #read(start: number, end: number, options?: ReadOptions): Promise<StoredValues> {
    const { type, fill } = this.#metadata;
    const [rows = 1, ...rest] = this.shape;
    if (!(Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && end <= rows)) {
      throw new InvalidInputError(`rows [${start}, ${end}) of ${rows}`);
    }
    this.#reader ??= openChunkReader(this.#source, this.path, this.#metadata);
    const reader = await this.#reader;

    // A scalar has one row, and a box of no dimensions.
    const isScalar = this.shape.length === 0;
    const shape = isScalar ? [] : [end - start, ...rest];
    const box = { start: isScalar ? [] : [start, ...rest.map(() => 0)], shape };
    const count = isScalar ? end - start : product(shape);
    const bytes = count * (itemSize(type.layout) ?? 4);
    if (bytes > MAX_READ_BYTES) {
      throw new InvalidInputError(`rows [${start}, ${end}) take ${bytes} bytes, at most ${MAX_READ_BYTES} at once`);
    }
    const target = valueTarget(type, count);
    if (count === 0) return target.finish({ kind: "variable", offsets: new Int32Array(1), bytes: new Uint8Array(0) });
    const whole = assembler(box, itemSize(type.layout), fill, target.bytes);
    await reader.read(box, (chunk, at) => whole.place(chunk, at), options);
    return target.finish(whole.finish());
  }
}
