/** Encodes rows of an array again, in chunks next to stored chunks. */

import { type ChunkEncoding, type EncodingStep, encodeChunk } from "../../kernels/codecs/encode-chunk.js";
import { countElements, type StoredType } from "../../model/stored.js";
import type { ReadOptions } from "../../sources/source.js";
import {
  computeGridShape,
  type FoundChunks,
  type StoredChunkBatch,
  type StoredChunks,
  type StoredCodec,
} from "../tree/stored-chunks.js";

/** Rows [start, end) of an array, which begin at a chunk boundary, and fill at most one chunk. */
export interface EncodedRows {
  readonly start: number;
  readonly end: number;
  /** The shape of a row. */
  readonly rest: readonly number[];
  /** The position of the first chunk. */
  readonly place: number;
}

/** Returns the stored chunks, each moved by `by` positions in another grid. */
export async function* readShiftedChunks(
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

/** Encodes rows as one chunk along the first dimension, or several adjacent ones, padded with zeros. */
export async function encodeRowsAsChunk(
  values: Uint8Array,
  { start, end, rest, place }: EncodedRows,
  chunk: readonly number[],
  encoding: ChunkEncoding,
): Promise<StoredChunkBatch> {
  const shape = [end - start, ...rest];
  const itemBytes = values.length / countElements(shape);
  const grid = computeGridShape(rest, chunk.slice(1));
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

/** Returns the first position of chunk `i` of a grid in C order. */
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

/** Returns the encoding that produces the form of the stored chunks; null if no encoder supports it. */
export function findChunkEncoding({ behindValues }: StoredChunks, type: StoredType): ChunkEncoding | null {
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
      // A Blosc frame records its own shuffle.
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
