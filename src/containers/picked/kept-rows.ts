/**
 * The chunks of consecutive rows of a stored array. Chunks that hold picked rows alone are the stored ones; rows behind
 * the last of them are encoded anew, because a stored chunk would bring rows that were not picked.
 */

import { type ChunkEncoding, type EncodingStep, encodeChunk } from "../../kernels/codecs/encode-chunk.js";
import { bytesOf, product, type StoredType } from "../../model/stored.js";
import type { ReadOptions } from "../../sources/source.js";
import type { StoredArray } from "../tree/container.js";
import {
  type ChunkPiece,
  type FoundChunks,
  gridShape,
  type StoredChunks,
  type StoredCodec,
} from "../tree/stored-chunks.js";
import { type RowRuns, rowCount } from "./row-runs.js";

/** Makes the capability of the rows `runs` of an array; null where none of its chunks holds such rows alone. */
export function keptRows(
  { type, shape, capabilities }: StoredArray,
  { starts, ends }: RowRuns,
  read: StoredArray["read"],
): StoredChunks | null {
  const stored = capabilities?.storedChunks;
  const [height = 0, ...rest] = shape ?? [];
  if (stored === undefined || starts.length !== 1) return null;
  const { chunk } = stored;
  const [start, count] = [starts[0], rowCount({ ends })];
  if (start % chunk[0] !== 0) return null;
  const whole = start + count === height ? Math.ceil(count / chunk[0]) : Math.floor(count / chunk[0]);
  if (whole === 0) return null;
  const first = start / chunk[0];
  const places = product(gridShape(rest, chunk.slice(1)));
  const from = whole * chunk[0];
  const last = from < count ? encodingOf(stored, type) : [];
  if (last === null) return null;
  const rows = { from, count, rest, place: whole * places };
  return {
    ...stored,
    find: async (options) => {
      const found = await stored.find({ ...options, bands: [first, first + whole] });
      const pieces = (files: boolean, how?: ReadOptions) =>
        withLast(moved(found, first * places, files, how), from < count ? () => lastPiece(rows, how) : null);
      return { ...found, count: found.count + (from < count ? places : 0), pieces };
    },
  };

  async function lastPiece(rows: LastRows, options?: ReadOptions): Promise<ChunkPiece> {
    const values = await read(rows.from, rows.count, options);
    if (values.kind !== "fixed") throw new TypeError("numbers are fixed");
    return encodedRows(bytesOf(values.values), rows, chunk, last ?? []);
  }
}

/** The rows of a part behind its whole chunks. */
interface LastRows {
  readonly from: number;
  readonly count: number;
  /** The shape of a row. */
  readonly rest: readonly number[];
  /** The place of their first chunk. */
  readonly place: number;
}

async function* moved(
  found: FoundChunks,
  by: number,
  files: boolean,
  options?: ReadOptions,
): AsyncGenerator<ChunkPiece> {
  for await (const piece of found.pieces(files, options)) {
    if (piece.kind === "file") yield { ...piece, place: piece.place - by };
    else yield { ...piece, chunks: piece.chunks.map((one) => ({ ...one, place: one.place - by })) };
  }
}

async function* withLast(
  pieces: AsyncIterable<ChunkPiece>,
  last: (() => Promise<ChunkPiece>) | null,
): AsyncGenerator<ChunkPiece> {
  yield* pieces;
  if (last !== null) yield last();
}

/** Encodes rows as chunks side by side, filled up with zeros. */
async function encodedRows(
  values: Uint8Array,
  { from, count, rest, place }: LastRows,
  chunk: readonly number[],
  encoding: ChunkEncoding,
): Promise<ChunkPiece> {
  const shape = [count - from, ...rest];
  const itemBytes = values.length / product(shape);
  const grid = gridShape(rest, chunk.slice(1));
  const encoded: Uint8Array[] = [];
  for (let i = 0; i < product(grid); i++) {
    const bytes = new Uint8Array(product(chunk) * itemBytes);
    copyBox(values, shape, bytes, chunk, [0, ...cornerOf(i, grid, chunk.slice(1))], itemBytes);
    encoded.push(await encodeChunk(bytes, encoding));
  }
  const bytes = new Uint8Array(encoded.reduce((sum, { length }) => sum + length, 0));
  let start = 0;
  const chunks = encoded.map((one, i) => {
    bytes.set(one, start);
    start += one.length;
    return { place: place + i, start: start - one.length, length: one.length, skipped: 0 };
  });
  return { kind: "bytes", bytes, isOwn: true, chunks, release: () => undefined };
}

/** The first position of chunk `i` of a grid in C order. */
function cornerOf(i: number, grid: readonly number[], chunk: readonly number[]): number[] {
  const corner = grid.map(() => 0);
  for (let d = grid.length - 1, left = i; d >= 0; d--) {
    corner[d] = (left % grid[d]) * chunk[d];
    left = Math.floor(left / grid[d]);
  }
  return corner;
}

/** Copies the part of `from` that lies in the chunk at `corner`. */
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
    const [step, chunkStep] = [product(shape.slice(d + 1)) * itemBytes, product(chunk.slice(d + 1)) * itemBytes];
    const at = source + corner[d] * step;
    if (d === shape.length - 1) {
      to.set(from.subarray(at, at + length * step), target);
      return;
    }
    for (let i = 0; i < length; i++) visit(d + 1, at + i * step, target + i * chunkStep);
  };
  visit(0, 0, 0);
}

/** The steps that encode a chunk as the stored ones are; null where no encoder makes such chunks. */
function encodingOf({ behindValues }: StoredChunks, type: StoredType): ChunkEncoding | null {
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
      // A frame tells its shuffle itself.
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
