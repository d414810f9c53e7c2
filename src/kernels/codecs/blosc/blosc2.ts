/** Blosc 2 chunks. Source: README_CHUNK_FORMAT.rst of c-blosc2. */

import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { unbitshuffle } from "../shuffle/bitshuffle.js";
import { unshuffleInto } from "../shuffle/unshuffle.js";
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
 * @throws {InvalidDataError} if the chunk is truncated or corrupt, or has another size.
 * @throws {UnsupportedError} for filters and encodings that Blosc 2 does not use by default.
 */
export async function decodeBlosc2(bytes: Uint8Array, size: number): Promise<Uint8Array> {
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
