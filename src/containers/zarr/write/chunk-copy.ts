/** Arrays whose chunks are copied from another array without decoding. */

import { processConcurrently } from "../../../kernels/values/for-each-at-once.js";
import { InvalidDataError } from "../../../model/errors.js";
import { countElements } from "../../../model/stored.js";
import type { ChunkCopy } from "../../tree/container-writer.js";
import {
  computeChunkPosition,
  computeGridShape,
  type FoundChunks,
  type StoredChunkBatch,
  type StoredChunks,
  type StoredCodec,
} from "../../tree/stored-chunks.js";
import { getChunkKey, joinPath } from "../metadata/metadata.js";
import { createArrayDocumentsV2, createArrayDocumentsV3, type EncodingV2, getBytesCodec } from "./array-writer.js";
import { toZarrAttributesJson } from "./attribute-json.js";
import { KEYS } from "./chunk-store.js";
import type { JsonValue } from "./json-text.js";
import { runInStore, type Store, type StoreNode, setDocuments } from "./store.js";
import { getZarrType, type ZarrType } from "./zarr-type.js";

/** Chunks that can be stored without decoding, and their codecs for the metadata documents. */
interface KeptEncoding {
  readonly found: FoundChunks;
  readonly type: ZarrType;
  readonly encoding:
    | { readonly version: 2; readonly v2: EncodingV2 }
    | { readonly version: 3; readonly codecs: readonly JsonValue[] };
}

/** Finds the chunks to copy; null if Zarr cannot store them. */
export async function findCopiedEncoding(
  store: Store,
  { type, shape, chunks, signal }: ChunkCopy,
): Promise<KeptEncoding | null> {
  if (shape.length === 0 || countElements(shape) === 0) return null;
  const own = getZarrType(type, store.dialect);
  const encoding = encodingOf(store.dialect.version, own, chunks);
  if (encoding === null) return null;
  const found = await chunks.find({ signal });
  return found.skipsCodecs ? null : { found, type: own, encoding };
}

function encodingOf(version: 2 | 3, type: ZarrType, chunks: StoredChunks): KeptEncoding["encoding"] | null {
  switch (version) {
    case 2: {
      const v2 = encodingV2(chunks);
      return v2 === null ? null : { version, v2 };
    }
    case 3: {
      const codecs = codecsV3(type, chunks);
      return codecs === null ? null : { version, codecs };
    }
    default:
      return version satisfies never;
  }
}

/** Byte codecs that readers expect to find as the compressor, not among the filters. */
const COMPRESSORS = new Set(["zlib", "gzip", "bz2", "lzma", "blosc", "zstd", "lz4"]);

function encodingV2({ container, codecs, behindValues }: StoredChunks): EncodingV2 | null {
  let order: "C" | "F" = "C";
  let steps: readonly (Step | null)[] = [];
  if (container === "zarr2") {
    const [first] = codecs;
    if (first?.zarr?.name === "transpose") order = "F";
    steps = codecs.slice(order === "F" ? 1 : 0).flatMap(({ zarr }) => (zarr?.name === "bytes" ? [] : [zarr]));
  } else {
    if (behindValues === null) return null;
    steps = behindValues.map(container === "hdf5" ? ({ zarr }) => zarr : codecV2);
  }
  const known = steps.flatMap((step) => (step === null ? [] : [{ id: step.name, ...step.configuration }]));
  if (known.length < steps.length) return null;
  const last = known.at(-1);
  if (last !== undefined && COMPRESSORS.has(last.id)) return { order, filters: known.slice(0, -1), compressor: last };
  return { order, filters: known, compressor: null };
}

function codecsV3(type: ZarrType, { container, codecs, behindValues }: StoredChunks): readonly JsonValue[] | null {
  if (container === "zarr3") return codecs.flatMap(({ zarr }) => (zarr === null ? [] : [zarr]));
  if (behindValues === null) return null;
  const steps = behindValues.flatMap((codec) => codecV3(codec, type.itemSize ?? 1) ?? []);
  return steps.length < behindValues.length ? null : [getBytesCodec(type), ...steps];
}

type Step = NonNullable<StoredCodec["zarr"]>;

/** Returns the v2 equivalent of a v3 codec; null if the two versions have no common format. */
function codecV2({ zarr }: StoredCodec): Step | null {
  switch (zarr?.name) {
    case "gzip":
      return zarr;
    case "zstd":
      // numcodecs before 0.12 rejects `checksum`, which decoders detect on their own.
      return { name: "zstd", configuration: { level: zarr.configuration.level ?? 0 } };
    case "blosc": {
      const { cname, clevel, shuffle, blocksize } = zarr.configuration;
      const mode = BLOSC_SHUFFLES.indexOf(String(shuffle ?? "noshuffle"));
      if (cname === undefined || clevel === undefined || mode < 0) return null;
      return { name: "blosc", configuration: { cname, clevel, shuffle: mode, blocksize: blocksize ?? 0 } };
    }
    default:
      return null;
  }
}

/** Names of Blosc's shuffle modes in v3, indexed by their number in v2. */
const BLOSC_SHUFFLES = ["noshuffle", "shuffle", "bitshuffle"];

/** Returns the v3 equivalent of a v2 or HDF5 codec; null if the v3 specification has none. */
function codecV3({ zarr }: StoredCodec, itemSize: number): Step | null {
  switch (zarr?.name) {
    case "gzip":
      return zarr;
    case "zstd": {
      const { level } = zarr.configuration;
      return { name: "zstd", configuration: { level: level ?? 0, checksum: zarr.configuration.checksum === true } };
    }
    case "blosc": {
      const { cname, clevel, shuffle, blocksize } = zarr.configuration;
      // -1 lets Blosc choose the mode by item size.
      const mode = shuffle === -1 ? (itemSize === 1 ? 2 : 1) : Number(shuffle ?? 1);
      const name = BLOSC_SHUFFLES[mode];
      if (cname === undefined || clevel === undefined || name === undefined) return null;
      return {
        name: "blosc",
        configuration: { typesize: itemSize, cname, clevel, shuffle: name, blocksize: blocksize ?? 0 },
      };
    }
    default:
      return null;
  }
}

/**
 * Maximum number of pieces that are stored at once. A piece is a value (often a file), or a range in an HDF5 file with
 * many chunks.
 */
const VALUES_AT_ONCE = 16;
const STRETCHES_AT_ONCE = 4;

/** An array that is filled with the encoded chunks of another array. */
export class ZarrChunkCopy implements StoreNode {
  readonly path: string;
  readonly #store: Store;
  readonly #array: ChunkCopy;
  readonly #kept: KeptEncoding;
  readonly #attributes: ReadonlyMap<string, JsonValue>;
  #documents: ReadonlyMap<string, string> | null = null;

  constructor(store: Store, path: string, array: ChunkCopy, kept: KeptEncoding) {
    this.path = path;
    this.#store = store;
    this.#array = array;
    this.#kept = kept;
    this.#attributes = toZarrAttributesJson(array.attributes);
  }

  documents(): ReadonlyMap<string, string> | null {
    return this.#documents;
  }

  async copy(progress: (done: number, total: number) => void): Promise<void> {
    await runInStore(this.#store, this.path, async () => {
      const { found } = this.#kept;
      const { shape, chunks, signal } = this.#array;
      const grid = computeGridShape(shape, chunks.chunk);
      const keyOf = (place: number) => {
        const position = computeChunkPosition(place, grid);
        return joinPath(this.path, getChunkKey(KEYS[this.#store.dialect.version], position));
      };
      // A store's keys are written in a fixed order.
      await this.#store.queue.drain();
      const files = this.#store.target.copyFile !== undefined;
      const pieces = found.pieces(files, { signal });
      let done = 0;
      const store = async (piece: StoredChunkBatch) => {
        done += await this.#storePiece(piece, keyOf);
        progress(done, found.count);
      };
      const atOnce = chunks.container === "hdf5" ? STRETCHES_AT_ONCE : VALUES_AT_ONCE;
      await processConcurrently(pieces, atOnce, store);
      await found.checkUnchanged();
      const documents = this.#describe();
      await setDocuments(this.#store, this.path, documents);
      this.#documents = documents;
    });
  }

  /** @returns the number of chunks. */
  async #storePiece(piece: StoredChunkBatch, keyOf: (place: number) => string): Promise<number> {
    const { target } = this.#store;
    if (piece.kind === "file") {
      const file = await piece.locate();
      if (file === null) return 0;
      await target.copyFile?.(keyOf(piece.place), file.path, file.size);
      return 1;
    }
    const { bytes, chunks, release } = piece;
    await Promise.all(
      chunks.map(({ place, start, length, skipped }) => {
        if (skipped !== 0) throw new InvalidDataError("a chunk has skipped a codec", { code: "source-changed" });
        return target.set(keyOf(place), bytes.subarray(start, start + length));
      }),
    );
    release();
    return chunks.length;
  }

  #describe(): ReadonlyMap<string, string> {
    const { shape, chunks } = this.#array;
    const { type, encoding } = this.#kept;
    const layout = { shape, chunks: chunks.chunk, shards: null };
    if (encoding.version === 2) return createArrayDocumentsV2(type, layout, encoding.v2, this.#attributes);
    return createArrayDocumentsV3(type, layout, encoding.codecs, this.#attributes);
  }
}
