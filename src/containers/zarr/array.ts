import type { KeyValueSource, ReadOptions } from "../../io/sources/source.js";
import { InvalidInputError, locateError } from "../../model/errors.js";
import { countElements, type StoredType, type StoredValues } from "../../model/stored.js";
import type { ArrayPlan, AttributeValue, Capabilities, StoredArray } from "../tree/container.js";
import { type Assembler, createAssembler } from "./chunks/assemble.js";
import type { Box } from "./chunks/box.js";
import { type ChunkReader, openChunkReader } from "./chunks/chunk-reader.js";
import { createZarrStoredChunks } from "./chunks/stored-chunks.js";
import { createValueTarget, isStoredAsValues } from "./chunks/stored-values.js";
import type { ZarrChunk } from "./codecs/codec.js";
import { areCodecsInWorkers } from "./codecs/registry.js";
import { getItemSize } from "./metadata/data-type.js";
import { type ArrayMetadata, checkChunkBytes, checkChunkUse, checkGrid } from "./metadata/metadata.js";
import { getInnerChunkShape } from "./metadata/metadata-v3.js";

/** Maximum bytes that one `read` returns. Larger arrays are read in ranges of rows. */
const MAX_READ_BYTES = 2 ** 32;

const NOTHING: ZarrChunk = { kind: "variable", offsets: new Int32Array(1), bytes: new Uint8Array(0) };

/**
 * Creates the array at `path`.
 * @param id the identity of the stored object, whichever links lead to it.
 * @throws {InvalidDataError} if there are too many chunks, or if they are too large to be decoded.
 */
export function createZarrArray(
  source: KeyValueSource,
  path: string,
  metadata: ArrayMetadata,
  id: string = path,
): StoredArray {
  const chunks = getInnerChunkShape(metadata);
  checkGrid(metadata.shape, chunks);
  checkChunkBytes(chunks, metadata.type);
  checkChunkUse(metadata.shape, chunks, metadata.type);
  return new ZarrArray(source, path, metadata, chunks, id);
}

class ZarrArray implements StoredArray {
  readonly kind = "array";
  readonly path: string;
  readonly id: string;
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  readonly type: StoredType;
  readonly shape: readonly number[];
  readonly chunks: readonly number[];
  readonly fillValue?: number | bigint;
  readonly dimensionNames?: readonly (string | null)[];
  readonly plan?: ArrayPlan;
  readonly readInto?: (start: number, end: number, target: Uint8Array, options?: ReadOptions) => Promise<void>;
  readonly capabilities?: Capabilities;
  readonly #source: KeyValueSource;
  readonly #metadata: ArrayMetadata;
  #reader: Promise<ChunkReader> | undefined;

  constructor(source: KeyValueSource, path: string, metadata: ArrayMetadata, chunks: readonly number[], id: string) {
    this.path = path;
    this.id = id;
    this.attributes = metadata.attributes;
    this.type = metadata.type.stored;
    this.shape = metadata.shape;
    this.chunks = chunks;
    if (metadata.fillValue !== undefined) this.fillValue = metadata.fillValue;
    if (metadata.dimensionNames !== undefined) this.dimensionNames = metadata.dimensionNames;
    this.#source = source;
    this.#metadata = metadata;
    if (isStoredAsValues(metadata.type)) {
      this.readInto = (start, end, target, options) => this.#readInto(start, end, target, options);
    }
    const kept = createZarrStoredChunks(source, path, metadata);
    if (kept !== null) this.capabilities = { storedChunks: kept };
    // A worker has its own registries, which lack the codecs that a program registered in this thread.
    if (source.plan !== undefined && areCodecsInWorkers(metadata.codecs)) {
      this.plan = {
        container: "zarr",
        source: source.plan,
        array: { path, metadata: { ...metadata, attributes: new Map() } },
      };
    }
  }

  async read(start: number, end: number, options?: ReadOptions): Promise<StoredValues> {
    try {
      const { type } = this.#metadata;
      const { box, count } = this.#range(start, end);
      // The reader is opened first, so that an unreadable array is reported before memory is allocated for it.
      const reader = await this.#openReader();
      const target = createValueTarget(type, count);
      if (count === 0) return target.finish(NOTHING);
      return target.finish(await this.#fill(reader, box, target.bytes, options));
    } catch (error) {
      throw locateError(error, { source: this.#source.name, element: this.path });
    }
  }

  async #readInto(start: number, end: number, target: Uint8Array, options?: ReadOptions): Promise<void> {
    try {
      const { box, count, bytes } = this.#range(start, end);
      if (target.length !== bytes) throw new InvalidInputError(`${target.length} bytes of memory for ${bytes}`);
      const reader = await this.#openReader();
      if (count > 0) await this.#fill(reader, box, target, options);
    } catch (error) {
      throw locateError(error, { source: this.#source.name, element: this.path });
    }
  }

  /** @param out memory for items of fixed size. */
  async #fill(reader: ChunkReader, box: Box, out: Uint8Array | undefined, options?: ReadOptions): Promise<ZarrChunk> {
    const { type, fill } = this.#metadata;
    const whole = createAssembler(box, getItemSize(type.layout), fill, out);
    await reader.read(box, countingUnwritten(whole, box, getItemSize(type.layout), options), options);
    return whole.finish();
  }

  #openReader(): Promise<ChunkReader> {
    this.#reader ??= openChunkReader(this.#source, this.path, this.#metadata);
    return this.#reader;
  }

  /** Returns the box that contains the rows [start, end), and the number of values in it and their size in bytes. */
  #range(start: number, end: number): { readonly box: Box; readonly count: number; readonly bytes: number } {
    const [rows = 1, ...rest] = this.shape;
    if (!(Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && end <= rows)) {
      throw new InvalidInputError(`rows [${start}, ${end}) of ${rows}`);
    }
    // A scalar has one row, and a box without dimensions.
    const isScalar = this.shape.length === 0;
    const shape = isScalar ? [] : [end - start, ...rest];
    const box = { start: isScalar ? [] : [start, ...rest.map(() => 0)], shape };
    const count = isScalar ? end - start : countElements(shape);
    const bytes = count * (getItemSize(this.#metadata.type.layout) ?? 4);
    if (bytes > MAX_READ_BYTES) {
      throw new InvalidInputError(`rows [${start}, ${end}) take ${bytes} bytes, at most ${MAX_READ_BYTES} at once`);
    }
    return { box, count, bytes };
  }
}

/** Assumed size in bytes of a text or byte sequence, equal to the size of a reference to it in HDF5. */
const VARIABLE_BYTES = 16;

/**
 * Counts the values in missing chunks if the caller asks for the share of unwritten values. Otherwise returns the
 * assembler itself.
 */
function countingUnwritten(whole: Assembler, target: Box, size: number | null, options?: ReadOptions): Assembler {
  const { onUnwritten } = options ?? {};
  if (onUnwritten === undefined) return whole;
  return {
    place: (chunk, box) => {
      if (chunk === undefined) onUnwritten(shared(target, box) * (size ?? VARIABLE_BYTES));
      whole.place(chunk, box);
    },
    slot: (box) => whole.slot(box),
    finish: () => whole.finish(),
  };
}

/** Returns the number of elements that two boxes share. */
function shared(one: Box, other: Box): number {
  const lengths = one.start.map((start, axis) => {
    const end = Math.min(start + one.shape[axis], other.start[axis] + other.shape[axis]);
    return Math.max(0, end - Math.max(start, other.start[axis]));
  });
  return countElements(lengths);
}

export interface ZarrArrayPlan {
  readonly path: string;
  readonly metadata: ArrayMetadata;
}

declare module "../tree/container.js" {
  interface ArrayPlans {
    readonly zarr: ZarrArrayPlan;
  }
}

/** Opens the array described by a plan, in the store for which the plan was made. */
export function openZarrArray({ path, metadata }: ZarrArrayPlan, source: KeyValueSource): StoredArray {
  return createZarrArray(source, path, metadata);
}
