/**
 * The chunks of an array derived from other arrays. A stored chunk stays as it is if it contains exactly the derived
 * array's rows; all other chunks are encoded again.
 */

import type { ReadOptions } from "../../io/sources/source.js";
import { type ChunkEncoding, type EncodingStep, encodeChunk } from "../../kernels/codecs/encode-chunk.js";
import { countElements, type StoredType, viewAsBytes } from "../../model/stored.js";
import type { StoredArray } from "../tree/container.js";
import {
  computeGridShape,
  type FoundChunks,
  type StoredChunkBatch,
  type StoredChunks,
  type StoredCodec,
} from "../tree/stored-chunks.js";

/** Consecutive chunks along the first dimension. `start` and `end` are positions in the grid of the derived array. */
export interface ChunkRun {
  readonly start: number;
  readonly end: number;
  /**
   * The array that contains the chunks, and the position of the first chunk in that array's grid; null for chunks to be
   * encoded again.
   */
  readonly stored: { readonly chunks: StoredChunks; readonly first: number } | null;
}

/** The chunks at the positions [`start`, `end`). */
interface FoundRun {
  readonly start: number;
  readonly end: number;
  /** The stored chunks, and the number of positions by which they are shifted; null for chunks to be encoded again. */
  readonly found: FoundChunks | null;
  readonly by: number;
}

/**
 * Returns an object that copies the chunks of a derived array made up of `runs`. Returns null if chunks must be encoded
 * again in a form that no encoder supports.
 * @param pattern the chunks whose form all chunks share.
 */
export function composeStoredChunks(
  array: Pick<StoredArray, "type" | "shape" | "read">,
  pattern: StoredChunks,
  runs: readonly ChunkRun[],
): StoredChunks | null {
  const [height = 0, ...rest] = array.shape ?? [];
  const { chunk } = pattern;
  const encoding = runs.some(({ stored }) => stored === null) ? findChunkEncoding(pattern, array.type) : [];
  if (encoding === null) return null;
  const across = countElements(computeGridShape(rest, chunk.slice(1)));

  async function encoded(band: number, options?: ReadOptions): Promise<StoredChunkBatch> {
    const [start, end] = [band * chunk[0], Math.min(height, (band + 1) * chunk[0])];
    const values = await array.read(start, end, options);
    if (values.kind !== "fixed") throw new TypeError("numbers are fixed");
    const rows = { shape: [end - start, ...rest], place: band * across };
    return encodeRowsAsChunk(viewAsBytes(values.values), rows, chunk, encoding ?? []);
  }

  async function* pieces(all: readonly FoundRun[], files: boolean, options?: ReadOptions) {
    for (const { start, end, by, found } of all) {
      if (found !== null) yield* readShiftedChunks(found, by, files, options);
      else for (let band = start; band < end; band++) yield await encoded(band, options);
    }
  }

  return {
    ...pattern,
    async find(options = {}) {
      const [first, last] = options.bands ?? [0, Number.POSITIVE_INFINITY];
      const all: FoundRun[] = [];
      for (const { stored, ...run } of runs) {
        const [start, end] = [Math.max(first, run.start), Math.min(last, run.end)];
        if (start >= end) continue;
        const moved = run.start - (stored?.first ?? 0);
        const bands = [start - moved, end - moved] as const;
        const found = stored === null ? null : await stored.chunks.find({ ...options, bands });
        all.push({ start, end, by: moved * across, found });
      }
      return {
        count: all.reduce((sum, { start, end, found }) => sum + (found?.count ?? (end - start) * across), 0),
        skipsCodecs: all.some(({ found }) => found?.skipsCodecs ?? false),
        pieces: (files, how) => pieces(all, files, how),
        checkUnchanged: async () => {
          for (const { found } of all) await found?.checkUnchanged();
        },
      };
    },
  };
}

/** Returns the stored chunks, each shifted by `by` positions in another grid. */
async function* readShiftedChunks(
  found: FoundChunks,
  by: number,
  files: boolean,
  options?: ReadOptions,
): AsyncGenerator<StoredChunkBatch> {
  for await (const piece of found.pieces(files, options)) {
    if (piece.kind === "file") yield { ...piece, place: piece.place + by };
    else yield { ...piece, chunks: piece.chunks.map((one) => ({ ...one, place: one.place + by })) };
  }
}

/**
 * Encodes rows as one chunk, or as several adjacent chunks, along the first dimension, padded with zeros.
 * @param rows the rows' shape, and the position of their first chunk.
 */
async function encodeRowsAsChunk(
  values: Uint8Array,
  { shape, place }: { readonly shape: readonly number[]; readonly place: number },
  chunk: readonly number[],
  encoding: ChunkEncoding,
): Promise<StoredChunkBatch> {
  const itemBytes = values.length / countElements(shape);
  const grid = computeGridShape(shape.slice(1), chunk.slice(1));
  const encoded: Uint8Array[] = [];
  for (let i = 0; i < countElements(grid); i++) {
    const bytes = new Uint8Array(countElements(chunk) * itemBytes);
    copyBox(values, shape, bytes, chunk, [0, ...cornerOf(i, grid, chunk.slice(1))], itemBytes);
    encoded.push(await encodeChunk(bytes, encoding));
  }
  const bytes = new Uint8Array(encoded.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  const chunks = encoded.map((one, i) => {
    bytes.set(one, at);
    at += one.length;
    return { place: place + i, start: at - one.length, length: one.length, skipped: 0 };
  });
  return { kind: "bytes", bytes, isOwn: true, chunks, release: () => undefined };
}

/** Returns the position of the first element of chunk `i`, in a grid in C order. */
function cornerOf(i: number, grid: readonly number[], chunk: readonly number[]): number[] {
  const corner = grid.map(() => 0);
  for (let d = grid.length - 1, left = i; d >= 0; d--) {
    corner[d] = (left % grid[d]) * chunk[d];
    left = Math.floor(left / grid[d]);
  }
  return corner;
}

/** Copies the part of `from` that belongs to the chunk at `corner`. */
function copyBox(
  from: Uint8Array,
  shape: readonly number[],
  to: Uint8Array,
  chunk: readonly number[],
  corner: readonly number[],
  itemBytes: number,
): void {
  const visit = (d: number, source: number, target: number): void => {
    const length = Math.min(chunk[d], shape[d] - corner[d]);
    const [step, chunkStep] = [
      countElements(shape.slice(d + 1)) * itemBytes,
      countElements(chunk.slice(d + 1)) * itemBytes,
    ];
    const at = source + corner[d] * step;
    if (d === shape.length - 1) {
      to.set(from.subarray(at, at + length * step), target);
      return;
    }
    for (let i = 0; i < length; i++) visit(d + 1, at + i * step, target + i * chunkStep);
  };
  visit(0, 0, 0);
}

/** Returns the encoding that produces chunks in the form of the stored ones; null if no encoder supports it. */
function findChunkEncoding({ behindValues }: StoredChunks, type: StoredType): ChunkEncoding | null {
  const steps = behindValues?.flatMap((codec) => stepOf(codec, type) ?? []);
  return steps === undefined || steps.length < (behindValues?.length ?? 0) ? null : steps;
}

function stepOf({ zarr }: StoredCodec, type: StoredType): EncodingStep | null {
  if (zarr === null) return null;
  const { name, configuration } = zarr;
  const number = (key: string, usual: number) => {
    const value = configuration[key];
    return typeof value === "number" && Number.isInteger(value) ? value : usual;
  };
  const level = Math.min(9, Math.max(0, number("level", 1)));
  switch (name.replace(/^numcodecs\./, "")) {
    case "zlib":
      return { kind: "deflate", level, form: "zlib" };
    case "gzip":
      return { kind: "deflate", level, form: "gzip" };
    case "zstd":
      return { kind: "zstd", level: number("level", 0), checksum: configuration.checksum === true };
    case "blosc": {
      const { cname, shuffle } = configuration;
      if (cname !== "lz4" && cname !== "zstd") return null;
      const elementBytes = "bits" in type ? type.bits / 8 : 1;
      // A Blosc frame records which shuffle it uses.
      const isPlain = shuffle === 0 || shuffle === "noshuffle" || elementBytes === 1;
      const clevel = Math.min(9, Math.max(0, number("clevel", 5)));
      return { kind: "blosc", cname, clevel, shuffle: isPlain ? "none" : "byte", elementBytes };
    }
    case "shuffle":
      return { kind: "shuffle", elementBytes: number("elementsize", 4) };
    case "fletcher32":
      return { kind: "fletcher32" };
    case "crc32c":
      return { kind: "crc32c" };
    default:
      return null;
  }
}
