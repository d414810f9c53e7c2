/**
 * The contiguous frame of the HDF5 filter 32026, around one Blosc 2 chunk. Sources: README_CFRAME_FORMAT.rst and
 * README_B2ND_METALAYER.rst of c-blosc2. Numbers are encoded as in msgpack: big-endian, preceded by a byte for their
 * type.
 */

import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import {
  checkSize,
  createCodecFactory,
  createSizeError,
  MAX_CHUNK_BYTES,
  type OutputSize,
} from "../bounds/byte-codec.js";
import { decodeBlosc2 } from "./blosc2.js";

const MAGIC = "b2frame\0";
/** Offsets of the fields, each after its type byte. */
const FIELD = {
  magic: 2,
  headerSize: 11,
  frameSize: 16,
  size: 30,
  storedSize: 39,
  chunkSize: 58,
  metalayers: 88,
} as const;
const SHORTEST = 97;
const MAX_RANK = 8;
/** The mark in the list of chunks for a chunk of zeros that is not stored. */
const ZEROS = 0x81;

export const blosc2 = createCodecFactory(decodeBlosc2Frame);

/**
 * Decodes an HDF5 chunk.
 * @throws {InvalidDataError} if the frame is truncated or corrupt, or its size does not match `size`.
 * @throws {UnsupportedError} for frames with several chunks and for filters of other libraries.
 */
async function decodeBlosc2Frame(bytes: Uint8Array, size: OutputSize): Promise<Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < SHORTEST || new TextDecoder().decode(bytes.subarray(FIELD.magic, FIELD.magic + 8)) !== MAGIC) {
    throw new InvalidDataError(`${bytes.length} bytes are no blosc2 frame`);
  }
  const headerSize = view.getUint32(FIELD.headerSize);
  const frameSize = Number(view.getBigUint64(FIELD.frameSize));
  const total = Number(view.getBigUint64(FIELD.size));
  const stored = Number(view.getBigUint64(FIELD.storedSize));
  const chunkSize = view.getUint32(FIELD.chunkSize);
  if (frameSize !== bytes.length || headerSize < SHORTEST || headerSize + stored > bytes.length) {
    throw new InvalidDataError(
      `blosc2 frame of ${bytes.length} bytes says ${frameSize}, with ${stored} at ${headerSize} in it`,
    );
  }
  if (total !== chunkSize) throw new UnsupportedError(`blosc2 frame of ${total} bytes in chunks of ${chunkSize}`);
  const grid = readGrid(bytes, view, headerSize);
  const expected = grid === null ? total : volume(grid.chunk) * grid.valueBytes(total);
  checkSize(expected, size);
  if (total > MAX_CHUNK_BYTES)
    throw new UnsupportedError(`blosc2 chunk of ${total} bytes; at most ${MAX_CHUNK_BYTES} are read`);
  // The rows and columns that pad the last blocks at most double each side.
  if (total > expected * 2 ** (grid?.chunk.length ?? 0)) throw createSizeError(total, size);

  const chunk =
    stored === 0 ? await unstored(bytes.subarray(headerSize), total) : bytes.subarray(headerSize, headerSize + stored);
  const decoded = chunk === null ? new Uint8Array(total) : await decodeBlosc2(chunk, total);
  return grid === null ? decoded : fromBlocks(decoded, grid, grid.valueBytes(total));
}

/** Validates the list of chunks of a frame without stored chunks. Returns null, which represents zeros. */
async function unstored(rest: Uint8Array, total: number): Promise<null> {
  const end = rest.length < 16 ? 0 : new DataView(rest.buffer, rest.byteOffset, 16).getUint32(12, true);
  if (end > rest.length) throw new InvalidDataError(`blosc2 list of chunks of ${end} bytes in ${rest.length}`);
  const [entry] = (await decodeBlosc2(rest.subarray(0, end), 8)).subarray(7);
  if (entry === ZEROS) return null;
  throw new UnsupportedError(`blosc2 frame of ${total} bytes that stores none, of kind ${entry}`);
}

/**
 * The grid of an array of several dimensions. The chunk is divided into consecutive blocks; the last ones are padded.
 */
interface Grid {
  readonly chunk: readonly number[];
  readonly block: readonly number[];
  /** Number of blocks along each dimension. */
  readonly blocks: readonly number[];
  /** Returns the size of a value in bytes if all blocks together have `total` bytes. */
  valueBytes(total: number): number;
}

/** Reads the metalayer `b2nd`. Returns null if it is absent. */
function readGrid(bytes: Uint8Array, view: DataView, headerSize: number): Grid | null {
  const need = (end: number) => {
    if (end > headerSize || end > bytes.length) throw new InvalidDataError("blosc2 frame: cut off inside a metalayer");
  };
  // The list of metalayers: 0xcd u16, the size of the list; 0xde u16, the number of entries; then each entry, a short
  // name and 0xd2 i32, the offset of the metalayer.
  need(FIELD.metalayers + 6);
  const count = view.getUint16(FIELD.metalayers + 4);
  let at = FIELD.metalayers + 6;
  for (let i = 0; i < count; i++) {
    need(at + 1);
    const length = bytes[at] & 31;
    need(at + 1 + length + 5);
    const name = new TextDecoder().decode(bytes.subarray(at + 1, at + 1 + length));
    at += 1 + length + 5;
    if (name === "b2nd") return parseGrid(bytes, view, view.getUint32(at - 4), need);
  }
  return null;
}

/**
 * Reads the contents of `b2nd`: 0xc6 u32, the size; a list of version and rank; then three lists: shape (0xd3 i64
 * each), chunk and block (0xd2 i32 each).
 */
function parseGrid(bytes: Uint8Array, view: DataView, start: number, need: (end: number) => void): Grid {
  need(start + 8);
  const rank = bytes[start + 7];
  if (rank < 1 || rank > MAX_RANK) throw new InvalidDataError(`blosc2 array of rank ${rank}`);
  const chunkAt = start + 8 + 1 + 9 * rank;
  const blockAt = chunkAt + 1 + 5 * rank;
  need(blockAt + 1 + 5 * rank);
  const list = (from: number) => Array.from({ length: rank }, (_, axis) => view.getUint32(from + 2 + 5 * axis));
  const chunk = list(chunkAt);
  const block = list(blockAt);
  if (chunk.some((side, axis) => side === 0 || block[axis] === 0 || block[axis] > side)) {
    throw new InvalidDataError(`blosc2 blocks of [${block}] in chunks of [${chunk}]`);
  }
  const blocks = chunk.map((side, axis) => Math.ceil(side / block[axis]));
  const values = volume(blocks) * volume(block);
  return {
    chunk,
    block,
    blocks,
    valueBytes(total) {
      const size = total / values;
      if (!Number.isInteger(size)) throw new InvalidDataError(`blosc2 chunk of ${total} bytes holds ${values} values`);
      return size;
    },
  };
}

/** Rearranges blocks into the order of the chunk, row by row. */
function fromBlocks(bytes: Uint8Array, { chunk, block, blocks }: Grid, valueSize: number): Uint8Array {
  const out = new Uint8Array(volume(chunk) * valueSize);
  const last = chunk.length - 1;
  const rows = volume(block) / block[last];
  let from = 0;
  for (let b = 0; b < volume(blocks); b++) {
    const corner = positionIn(blocks, b).map((p, axis) => p * block[axis]);
    const width = Math.min(block[last], chunk[last] - corner[last]) * valueSize;
    for (let row = 0; row < rows; row++, from += block[last] * valueSize) {
      const position = positionIn(block, row * block[last]).map((p, axis) => corner[axis] + p);
      if (position.some((p, axis) => p >= chunk[axis])) continue;
      const to = position.reduce((sum, p, axis) => sum * chunk[axis] + p, 0) * valueSize;
      out.set(bytes.subarray(from, from + width), to);
    }
  }
  return out;
}

function positionIn(shape: readonly number[], index: number): number[] {
  const position = new Array<number>(shape.length);
  let rest = index;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    position[axis] = rest % shape[axis];
    rest = Math.floor(rest / shape[axis]);
  }
  return position;
}

function volume(shape: readonly number[]): number {
  return shape.reduce((a, b) => a * b, 1);
}
