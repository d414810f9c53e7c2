import { UnsupportedError } from "../../../model/errors.js";
import { countElements, type StoredType, type StoredValues } from "../../../model/stored.js";
import type { ArrayDescription, ArrayWriter } from "../../tree/container-writer.js";
import { toZarrAttributesJson } from "./attribute-json.js";
import { type ArrayShape, computeArrayShape, computeShardChunkRows, getFullTextBytes } from "./chunk-shape.js";
import { type ChunkStore, ShardedChunks, SingleChunks } from "./chunk-store.js";
import {
  type ChunkCompression,
  createCheckedCompression,
  createChunkCompression,
  type ZarrCompression,
} from "./compression.js";
import { encodeJsonText, type JsonValue } from "./json-text.js";
import { countGridChunks, FixedRowBuffer, type RowBuffer, VariableRowBuffer } from "./row-buffer.js";
import { runInStore, type Store, type StoreNode, setDocuments } from "./store.js";
import { getZarrType, type ZarrType } from "./zarr-type.js";

const SCALAR: ArrayShape = { rows: 1, rest: [], chunkRows: 1, chunkRest: [], flexible: false };

const NO_COMPRESSION: ZarrCompression = { kind: "none" };

/** The type of anndata's null element in Zarr: a scalar of this type without a chunk. */
const NULL_TYPE = { kind: "bool" } as const;

/**
 * Writes an array row by row. Chunks are encoded and stored while the array is being filled. The metadata documents,
 * which contain the shape and the chunk shape, are stored when the array is closed.
 */
export class ZarrArrayWriter implements ArrayWriter, StoreNode {
  readonly path: string;
  readonly #store: Store;
  readonly #type: ZarrType;
  /** Returns the shape of the array and its chunks, given the number of open arrays. */
  readonly #shapeFor: (open: number) => ArrayShape;
  /** The number of rows; null if it is not known until the end. */
  readonly #allRows: number | null;
  /** The form of the array; `none` is an array without a value (null). */
  readonly #form: "array" | "scalar" | "none";
  readonly #sharded: boolean;
  readonly #compression: ChunkCompression;
  readonly #attributes: Map<string, JsonValue>;
  readonly #dimensionNames: readonly (string | null)[] | null = null;
  /** Undefined until the first row arrives. By then, all arrays that are filled together are open. */
  #begun: { readonly shape: ArrayShape; readonly band: RowBuffer } | undefined;
  /** Undefined until the chunk shape is final. */
  #chunks: ChunkStore | undefined;
  #rows = 0;
  #isClosed = false;
  #documents: ReadonlyMap<string, string> | null = null;

  /**
   * @throws {UnsupportedError} for a type that Zarr cannot represent.
   * @throws {InvalidInputError} if the requested chunks do not fit the shape.
   */
  constructor(store: Store, path: string, description: ArrayDescription) {
    const { type, shape, attributes, chunks, compressed, along = 0 } = description;
    if (along !== 0) throw new UnsupportedError("a matrix that comes by columns: Zarr is written by rows");
    this.path = path;
    this.#store = store;
    this.#form = shape === null ? "none" : isArray(shape) ? "array" : "scalar";
    this.#type = getZarrType(shape === null ? NULL_TYPE : type, store.dialect);
    const { itemSize, stored } = this.#type;
    // Scalars and records are never sharded, as in anndata.
    this.#sharded = store.sharding && this.#form === "array" && stored.kind !== "record";
    const dimensions = shape !== null && isArray(shape) ? shape : null;
    this.#shapeFor = (open) =>
      dimensions === null ? SCALAR : computeArrayShape(dimensions, chunks, itemSize, this.#sharded, open);
    this.#allRows = shape === null ? 0 : this.#shapeFor(1).rows;
    const compression = compressed === false || this.#form !== "array" ? NO_COMPRESSION : store.compression;
    this.#compression = (this.#sharded ? createCheckedCompression : createChunkCompression)(compression, itemSize);
    this.#attributes = toZarrAttributesJson(attributes);
    const { dimensionNames } = description;
    if (store.dialect.version === 3) this.#dimensionNames = dimensionNames ?? null;
    else if (dimensionNames?.every((name) => name !== null) && !this.#attributes.has(ARRAY_DIMENSIONS)) {
      this.#attributes.set(ARRAY_DIMENSIONS, dimensionNames);
      // xarray would treat such an array's fill value as a missing value.
      this.#type = { ...this.#type, fill: null };
    }
    store.open++;
  }

  #begin(): { readonly shape: ArrayShape; readonly band: RowBuffer } {
    if (this.#begun !== undefined) return this.#begun;
    const store = this.#store;
    const { itemSize, stored } = this.#type;
    const shape = this.#shapeFor(store.open);
    const options = {
      ...shape,
      keepsEmpty: this.#form === "scalar" || (store.dialect.version === 2 && isInteger64(stored)),
      memory: (bytes: number) => store.memory.take(bytes, this.#compression.encoding),
    };
    const band =
      itemSize === null
        ? new VariableRowBuffer({ ...options, isText: stored.kind === "text", fullBytes: getFullTextBytes(store.open) })
        : new FixedRowBuffer({ ...options, type: stored, itemSize });
    this.#begun = { shape, band };
    return this.#begun;
  }

  async write(values: StoredValues, rows: number): Promise<void> {
    await runInStore(this.#store, this.path, async () => {
      if (this.#isClosed) throw new TypeError(`${this.path} is closed`);
      if (values.kind === "sequence") throw new TypeError(`${this.path} has no sequences`);
      const most = this.#allRows;
      if (most !== null && this.#rows + rows > most) {
        throw new TypeError(`${this.path} has ${most} rows, ${this.#rows} and ${rows} more are written`);
      }
      const { band } = this.#begin();
      const copy = band.source(values, rows);
      this.#rows += rows;
      for (let at = 0; at < rows; ) {
        at += copy(at);
        if (band.isFull) await this.#flush(false);
      }
    });
  }

  async close(): Promise<void> {
    await runInStore(this.#store, this.path, async () => {
      if (this.#isClosed) throw new TypeError(`${this.path} is closed`);
      const rows = this.#allRows;
      if (rows !== null && this.#rows < rows) {
        throw new TypeError(`${this.path} has ${rows} rows, ${this.#rows} are written`);
      }
      this.#isClosed = true;
      if (this.#begin().band.rows > 0) await this.#flush(true);
      const chunks = this.#settled(true);
      await chunks.end();
      const documents = this.#describe(chunks);
      this.#documents = documents;
      this.#store.open--;
      await this.#store.queue.add(
        () => Promise.resolve(),
        () => runInStore(this.#store, this.path, () => setDocuments(this.#store, this.path, documents)),
      );
    });
  }

  documents(): ReadonlyMap<string, string> | null {
    return this.#documents;
  }

  async #flush(isLast: boolean): Promise<void> {
    await this.#settled(isLast).add(this.#begin().band.take());
  }

  /** Finalizes the chunk and shard shapes when the first chunks are about to be stored. */
  #settled(isLast: boolean): ChunkStore {
    if (this.#chunks !== undefined) return this.#chunks;
    const { band, shape } = this.#begin();
    const rows = this.#allRows;
    band.settle(isLast);
    const grid = countGridChunks(shape.rest, shape.chunkRest);
    if (this.#sharded) {
      const count = rows !== null ? Math.ceil(rows / band.chunkRows) : isLast ? 1 : null;
      const bands = computeShardChunkRows(count, band.bytes, countElements(grid), this.#store.open);
      const layout = { bands, bandBytes: band.bytes, isOpen: rows === null };
      this.#chunks = new ShardedChunks(this.#store, this.path, grid, this.#compression, layout);
    } else {
      const position = this.#form === "array" ? grid : null;
      this.#chunks = new SingleChunks(this.#store, this.path, position, this.#compression);
    }
    return this.#chunks;
  }

  #describe(chunks: ChunkStore): ReadonlyMap<string, string> {
    const layout = this.#layout(chunks);
    if (this.#store.dialect.version === 3) {
      const codecs = [getBytesCodec(this.#type), ...this.#compression.codecs];
      const outer = layout.shards === null ? codecs : [sharding(layout.chunks, codecs)];
      return createArrayDocumentsV3(this.#type, layout, outer, this.#attributes, this.#dimensionNames);
    }
    const filters = this.#type.maker === "bytes" ? [] : [{ id: this.#type.maker }];
    const encoding = { filters, compressor: this.#compression.compressor, order: "C" } as const;
    return createArrayDocumentsV2(this.#type, layout, encoding, this.#attributes);
  }

  #layout(chunks: ChunkStore): ArrayLayout {
    if (this.#form !== "array") return { shape: [], chunks: [], shards: null };
    const { band, shape: planned } = this.#begin();
    const { rest, chunkRest } = planned;
    const { chunkRows } = band;
    const shape = [this.#rows, ...rest];
    if (!(chunks instanceof ShardedChunks)) return { shape, chunks: [chunkRows, ...chunkRest], shards: null };
    const across = rest.map((size, axis) => Math.max(1, Math.ceil(size / chunkRest[axis])) * chunkRest[axis]);
    return { shape, chunks: [chunkRows, ...chunkRest], shards: [chunks.shardBands * chunkRows, ...across] };
  }
}

/**
 * Returns whether a type is a 64-bit integer. zarrita before 0.6.2, on which viewers depend, fails on missing chunks of
 * these types in v2 stores.
 */
function isInteger64(type: StoredType): boolean {
  return type.kind === "int" && type.bits === 64;
}

type Dimensions = readonly [number | null, ...number[]];

function isArray(shape: Dimensions | readonly []): shape is Dimensions {
  return shape.length > 0;
}

export interface ArrayLayout {
  readonly shape: readonly number[];
  readonly chunks: readonly number[];
  /** The shard shape; null if each chunk has its own key. */
  readonly shards: readonly number[] | null;
}

/** The encoding of chunks in documents of version 2. */
export interface EncodingV2 {
  readonly filters: readonly JsonValue[];
  readonly compressor: JsonValue;
  readonly order: "C" | "F";
}

/** Creates `.zarray`, and `.zattrs` if there are attributes. */
export function createArrayDocumentsV2(
  type: ZarrType,
  { shape, chunks }: ArrayLayout,
  { filters, compressor, order }: EncodingV2,
  attributes: ReadonlyMap<string, JsonValue>,
): ReadonlyMap<string, string> {
  const array = encodeJsonText({
    zarr_format: 2,
    shape,
    chunks,
    dtype: type.name,
    fill_value: type.fill,
    order,
    filters: filters.length === 0 ? null : filters,
    dimension_separator: ".",
    compressor,
  });
  const documents = new Map([[".zarray", array]]);
  if (attributes.size > 0) documents.set(".zattrs", encodeJsonText(attributes));
  return documents;
}

const LITTLE_ENDIAN = { name: "bytes", configuration: { endian: "little" } };

/** The attribute in which xarray stores dimension names in Zarr v2, which has no field for them. */
const ARRAY_DIMENSIONS = "_ARRAY_DIMENSIONS";

/** Creates an array's `zarr.json`. @param codecs all codecs, in encoding order. */
export function createArrayDocumentsV3(
  type: ZarrType,
  { shape, chunks, shards }: ArrayLayout,
  codecs: readonly JsonValue[],
  attributes: JsonValue,
  dimensionNames: readonly (string | null)[] | null = null,
): ReadonlyMap<string, string> {
  const array = encodeJsonText({
    shape,
    data_type: type.name,
    chunk_grid: { name: "regular", configuration: { chunk_shape: shards ?? chunks } },
    chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
    fill_value: type.fill,
    codecs,
    attributes,
    ...(dimensionNames === null ? {} : { dimension_names: dimensionNames }),
    zarr_format: 3,
    node_type: "array",
    storage_transformers: [],
  });
  return new Map([["zarr.json", array]]);
}

/** Returns the codec that converts items to bytes. */
export function getBytesCodec(type: ZarrType): JsonValue {
  if (type.maker !== "bytes") return { name: type.maker, configuration: {} };
  return type.multiByte ? LITTLE_ENDIAN : { name: "bytes" };
}

function sharding(chunks: readonly number[], codecs: readonly JsonValue[]): JsonValue {
  return {
    name: "sharding_indexed",
    configuration: {
      chunk_shape: chunks,
      codecs,
      index_codecs: [LITTLE_ENDIAN, { name: "crc32c" }],
      index_location: "end",
    },
  };
}
