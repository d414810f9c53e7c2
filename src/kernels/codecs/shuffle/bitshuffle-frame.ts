import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import type { MakeCodec, OutputSize } from "../bounds/byte-codec.js";
import { decodeLz4Block } from "../lz4/lz4.js";
import { getSizedBlock, readBlockHeader } from "../lz4/sized-blocks.js";
import { decodeZstd } from "../zstd/zstd.js";
import { unbitshuffle } from "./bitshuffle.js";

const HEADER = 12;
/** Number of values whose bits fill whole bytes. */
const GROUP = 8;
const [NONE, LZ4, ZSTD] = [0, 2, 3];
/** Maximum number of bytes that one compressed byte can decode to. */
const MAX_RATIO: Readonly<Record<number, number>> = { [LZ4]: 255, [ZSTD]: 1 << 16 };

/** Returns the block size in bytes if the filter's settings omit it: about 8192, at least 128 values. */
function defaultBlock(valueSize: number): number {
  return Math.max(128, Math.floor(8192 / valueSize / GROUP) * GROUP) * valueSize;
}

/** HDF5's filter 32008. */
export const bitshuffle: MakeCodec = ({ values, itemBytes }) => ({
  encodedSize: () => null,
  decode: (bytes, size) => decodeBitshuffle(bytes, values, size, itemBytes ?? 1),
});

/**
 * Decodes the HDF5 filter 32008. Without compression, the blocks are stored one after another. With compression, there
 * is a header (decoded size u64, bytes per block u32, big-endian) and for each block its stored size (u32, big-endian)
 * and data. Values after the last multiple of eight are stored unshuffled at the end.
 * @param values the filter's client data: version (2), size of a value, values per block (0: the default), compressor,
 * level.
 * @throws {InvalidDataError} if the data is truncated or corrupt, or its size does not match `size`.
 * @throws {UnsupportedError} if the compressor is unknown.
 */
async function decodeBitshuffle(
  bytes: Uint8Array,
  values: readonly number[],
  size: OutputSize,
  elementSize: number,
): Promise<Uint8Array> {
  const [, , valueSize = elementSize, blockValues = 0, compressor = NONE] = values;
  if (valueSize === 0) throw new InvalidDataError("bitshuffle of values of 0 bytes");
  if (compressor === NONE) {
    const blockSize = blockValues === 0 ? defaultBlock(valueSize) : blockValues * valueSize;
    return plain(bytes, valueSize, checkedBlock(blockSize, valueSize));
  }
  if (compressor !== LZ4 && compressor !== ZSTD) throw new UnsupportedError(`bitshuffle compressor ${compressor}`);

  const { total, blockSize } = readBlockHeader(bytes, size, "bitshuffle");
  if (total > MAX_RATIO[compressor] * bytes.length) {
    throw new InvalidDataError(`${total} bytes cannot come from a bitshuffle frame of ${bytes.length}`);
  }
  const out = new Uint8Array(total);
  if (total === 0) return out;
  let at = HEADER;
  const shuffled = eachBlock(total, valueSize, checkedBlock(blockSize, valueSize));
  for (const { start, end } of shuffled.blocks) {
    const stored = getSizedBlock(bytes, at, "bitshuffle");
    at += 4 + stored.length;
    const target = out.subarray(start, end);
    if (compressor === LZ4) {
      const planes = new Uint8Array(target.length);
      decodeLz4Block(stored, planes);
      unbitshuffle(planes, target, valueSize);
    } else {
      unbitshuffle(await decodeZstd(stored, { bytes: target.length, exact: true }), target, valueSize);
    }
  }
  const rest = total - shuffled.end;
  if (bytes.length - at !== rest) {
    throw new InvalidDataError(`bitshuffle frame has ${bytes.length - at} bytes behind its blocks, expected ${rest}`);
  }
  out.set(bytes.subarray(at), shuffled.end);
  return out;
}

function plain(bytes: Uint8Array, valueSize: number, blockSize: number): Uint8Array {
  const out = new Uint8Array(bytes.length);
  const { blocks, end } = eachBlock(bytes.length, valueSize, blockSize);
  for (const block of blocks) {
    unbitshuffle(bytes.subarray(block.start, block.end), out.subarray(block.start, block.end), valueSize);
  }
  out.set(bytes.subarray(end), end);
  return out;
}

function checkedBlock(blockSize: number, valueSize: number): number {
  if (blockSize % (GROUP * valueSize) === 0 && blockSize > 0) return blockSize;
  throw new InvalidDataError(`bitshuffle blocks of ${blockSize} bytes for values of ${valueSize}`);
}

interface Blocks {
  readonly blocks: readonly { readonly start: number; readonly end: number }[];
  /** Position of the remaining values, which are too few for a group. */
  readonly end: number;
}

/** Lists the whole blocks, then one block with the remaining groups of eight values. */
function eachBlock(total: number, valueSize: number, blockSize: number): Blocks {
  const end = total - (total % (GROUP * valueSize));
  const blocks: { start: number; end: number }[] = [];
  for (let start = 0; start < end; start += blockSize) blocks.push({ start, end: Math.min(start + blockSize, end) });
  return { blocks, end };
}
