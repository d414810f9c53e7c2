/**
 * The contiguous frame that HDF5 filter 32026 puts around one Blosc 2 chunk. Sources: README_CHUNK_FORMAT.rst,
 * README_CFRAME_FORMAT.rst and README_B2ND_METALAYER.rst of c-blosc2. Numbers in a frame are encoded as in msgpack:
 * big-endian, preceded by a byte for the type.
 */

import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import {
  checkSize,
  createCodecFactory,
  createSizeError,
  MAX_CHUNK_BYTES,
  type OutputSize,
} from "../bounds/byte-codec.js";
import { unbitshuffle } from "../shuffle/bitshuffle.js";
import { unshuffleInto } from "../shuffle/shuffle.js";
import { BLOSC_COMPRESSORS, type BloscCompressor } from "./compressors.js";

const HEADER = 32;
/** The oldest and the newest format version with this header. */
const [OLDEST, NEWEST] = [3, 5];
/** Both bits together indicate the longer header. Its list of filters replaces these flags. */
const EXTENDED = 5;
const FLAG = { stored: 2, unsplit: 16 } as const;
const FILTER = { none: 0, shuffle: 1, bitshuffle: 2, truncate: 4 } as const;
const FILTERS_AT = 16;
const FILTER_COUNT = 6;
const FLAGS_AT = 31;
const DICTIONARY = 1;
const SPECIAL = { none: 0, zeros: 1, repeated: 3 } as const;

interface Chunk {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly valueSize: number;
  readonly size: number;
  readonly blockSize: number;
  readonly isSplit: boolean;
  readonly compressor: BloscCompressor;
  /** The filters in decoding order. */
  readonly filters: readonly number[];
}

/**
 * Decodes a chunk.
 * @param size the expected number of decoded bytes.
 * @throws {InvalidDataError} if the chunk is truncated or corrupt, or its size is not `size`.
 * @throws {UnsupportedError} if the chunk uses a filter or encoding that Blosc 2 does not use by default.
 */
async function decodeBlosc2(bytes: Uint8Array, size: number): Promise<Uint8Array> {
  if (bytes.length < HEADER) throw new InvalidDataError(`${bytes.length} bytes are no blosc2 chunk`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const flags = bytes[2];
  if (bytes[0] < OLDEST || bytes[0] > NEWEST || (flags & EXTENDED) !== EXTENDED) {
    throw new UnsupportedError(`blosc2 chunk of version ${bytes[0]} with flags ${flags}`);
  }
  const declared = view.getUint32(4, true);
  const blockSize = view.getUint32(8, true);
  const encoded = view.getUint32(12, true);
  if (declared !== size) throw new InvalidDataError(`the blosc2 chunk gives ${declared} bytes, expected ${size}`);
  if (encoded !== bytes.length) {
    throw new InvalidDataError(`the blosc2 chunk says ${encoded} bytes, there are ${bytes.length}`);
  }
  if (size > 0 && (blockSize === 0 || blockSize > size)) {
    throw new InvalidDataError(`blosc2 blocks of ${blockSize} bytes for ${size} bytes`);
  }
  const valueSize = Math.max(bytes[3], 1);
  const special = specialOf(bytes, size, valueSize);
  if (special !== null) return special;
  if (flags & FLAG.stored) {
    if (bytes.length !== HEADER + size) {
      throw new InvalidDataError(`blosc2 chunk of ${bytes.length} bytes stores ${size}`);
    }
    return bytes.slice(HEADER);
  }
  if (bytes[FLAGS_AT] & DICTIONARY) throw new UnsupportedError("blosc2 chunk with a dictionary");
  const compressor = BLOSC_COMPRESSORS.at(flags >> 5);
  if (compressor === undefined) throw new UnsupportedError(`blosc2 compressor ${bytes[22]}`);
  const filters = [...bytes.subarray(FILTERS_AT, FILTERS_AT + FILTER_COUNT)].reverse();
  const isSplit = !(flags & FLAG.unsplit);
  return decodeBlocks({ bytes, view, valueSize, size, blockSize, isSplit, compressor, filters });
}

/** Returns the bytes of a chunk without blocks: zeros, or one value repeated. Returns null for other chunks. */
function specialOf(bytes: Uint8Array, size: number, valueSize: number): Uint8Array | null {
  const special = (bytes[FLAGS_AT] >> 4) & 7;
  switch (special) {
    case SPECIAL.none:
      return null;
    case SPECIAL.zeros:
      return new Uint8Array(size);
    case SPECIAL.repeated: {
      if (bytes.length !== HEADER + valueSize || size % valueSize !== 0) {
        throw new InvalidDataError(`blosc2 chunk of ${bytes.length} bytes repeats a value of ${valueSize}`);
      }
      const out = new Uint8Array(size);
      for (let at = 0; at < size; at += valueSize) out.set(bytes.subarray(HEADER), at);
      return out;
    }
    default:
      throw new UnsupportedError(`blosc2 chunk of special kind ${special}`);
  }
}

async function decodeBlocks(chunk: Chunk): Promise<Uint8Array> {
  const { bytes, view, size, blockSize, isSplit, valueSize } = chunk;
  const blocks = Math.ceil(size / blockSize);
  if (HEADER + 4 * blocks > bytes.length) {
    throw new InvalidDataError(`blosc2 chunk of ${bytes.length} bytes has no room for ${blocks} blocks`);
  }
  const out = new Uint8Array(size);
  for (let block = 0; block < blocks; block++) {
    const target = out.subarray(block * blockSize, (block + 1) * blockSize);
    const streams = isSplit && target.length === blockSize ? valueSize : 1;
    if (target.length % streams !== 0) {
      throw new InvalidDataError(`blosc2 block of ${target.length} bytes in ${streams} streams`);
    }
    const streamSize = target.length / streams;
    let at = view.getUint32(HEADER + 4 * block, true);
    for (let i = 0; i < streams; i++) {
      at = await decodeStream(chunk, at, target.subarray(i * streamSize, (i + 1) * streamSize));
    }
    undoFilters(chunk, target);
  }
  return out;
}

/**
 * Decodes one stream: its length (i32), then this number of bytes, which are stored uncompressed if they did not
 * shrink. A length of 0 means zeros. A negative length, followed by a byte with bit 0 set, means one byte repeated.
 * @returns the offset of the next stream.
 */
async function decodeStream({ bytes, view, compressor }: Chunk, at: number, out: Uint8Array): Promise<number> {
  const cutOff = () => new InvalidDataError(`blosc2 chunk of ${bytes.length} bytes is cut off inside a stream`);
  if (at + 4 > bytes.length) throw cutOff();
  const length = view.getInt32(at, true);
  const start = at + 4;
  if (length === 0) {
    out.fill(0);
    return start;
  }
  if (length < 0) {
    if (start >= bytes.length) throw cutOff();
    if (length < -255 || !(bytes[start] & 1)) throw new InvalidDataError(`blosc2 stream of length ${length}`);
    out.fill(-length);
    return start + 1;
  }
  const end = start + length;
  if (end > bytes.length) throw cutOff();
  const packed = bytes.subarray(start, end);
  if (length === out.length) out.set(packed);
  else await compressor.decode(packed, out);
  return end;
}

function undoFilters({ filters, valueSize, bytes }: Chunk, block: Uint8Array): void {
  for (const filter of filters) {
    switch (filter) {
      case FILTER.none:
      // Truncated bits cannot be restored.
      case FILTER.truncate:
        break;
      case FILTER.shuffle:
        unshuffleInto(block.slice(), block, valueSize);
        break;
      case FILTER.bitshuffle: {
        const count = Math.floor(block.length / valueSize);
        const whole = (count - (count % 8)) * valueSize;
        // Blosc before version 3 left such a block unshuffled, but chunks with this header are newer.
        unbitshuffle(block.slice(0, whole), block.subarray(0, whole), valueSize);
        break;
      }
      default:
        throw new UnsupportedError(`blosc2 filter ${filter} in a chunk of ${bytes.length} bytes`);
    }
  }
}

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
/** Marks a chunk of zeros that is not stored, in the list of chunks. */
const ZEROS = 0x81;

export const blosc2 = createCodecFactory(decodeBlosc2Frame);

/**
 * Decodes an HDF5 chunk.
 * @throws {InvalidDataError} if the frame is truncated or corrupt, or its size does not match `size`.
 * @throws {UnsupportedError} if the frame has several chunks or uses filters from other libraries.
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

/** The grid of a multidimensional array. The chunk is divided into consecutive blocks; the last blocks are padded. */
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
