/** Blosc 1 frames. Source: README_CHUNK_FORMAT.rst of c-blosc. */

import { UnsupportedError } from "../../../model/errors.js";
import { copyToOwnMemory } from "../../values/copy-bytes.js";
import { createBlockEncoder, type EncodeBlock } from "./blocks.js";

export interface BloscOptions {
  readonly cname: "lz4" | "zstd";
  /** 0 to 9; 0 stores without compression. For zstd, this is its compression level. */
  readonly clevel: number;
  readonly shuffle: "none" | "byte";
  /** Size of a value in bytes. Sizes above 255 count as 1. */
  readonly elementBytes: number;
}

const VERSION = 2;
const HEADER = 16;
const FLAG = { shuffle: 1, stored: 2, unsplit: 16 } as const;
/** The numbers of the compressors, for the upper three bits of the flags, and the version of their format. */
const COMPRESSOR = { lz4: 1, zstd: 4 } as const;
const COMPRESSOR_VERSION = 1;

/** c-blosc accepts at most `MAX_BYTES`, and stores fewer than `FEWEST_BYTES` uncompressed. */
const MAX_BYTES = 2 ** 31 - 1 - HEADER;
const FEWEST_BYTES = 128;
const BLOCK_BYTES = 2 ** 18;
/** Within these limits, a block is split into one stream per byte of a value. zstd blocks are never split. */
const MAX_SPLITS = 16;
const MIN_SPLIT_BYTES = 128;

interface Layout {
  readonly flags: number;
  readonly valueSize: number;
  readonly blockSize: number;
}

/**
 * Creates a frame of all `bytes`. Bytes that do not shrink are stored uncompressed.
 * @throws {UnsupportedError} if there are too many bytes.
 */
export async function encodeBlosc(bytes: Uint8Array, options: BloscOptions): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes.length > MAX_BYTES) throw new UnsupportedError(`a blosc frame holds no ${bytes.length} bytes`);
  const layout = layoutOf(bytes.length, options);
  const frame = new Uint8Array(HEADER + bytes.length);
  const view = new DataView(frame.buffer);
  frame.set([VERSION, COMPRESSOR_VERSION, layout.flags, layout.valueSize]);
  view.setUint32(4, bytes.length, true);
  view.setUint32(8, layout.blockSize, true);
  if (options.clevel > 0 && bytes.length >= FEWEST_BYTES) {
    const { blockSize } = layout;
    const encode = await createBlockEncoder(options.cname, options.clevel, blockSize);
    const length = writeBlocks(bytes, frame, layout, encode);
    if (length !== null) {
      view.setUint32(12, length, true);
      return copyToOwnMemory(frame.subarray(0, length));
    }
  }
  frame[2] |= FLAG.stored;
  view.setUint32(12, frame.length, true);
  frame.set(bytes, HEADER);
  return frame;
}

function layoutOf(size: number, { cname, shuffle, elementBytes }: BloscOptions): Layout {
  const valueSize = elementBytes > 255 ? 1 : elementBytes;
  const most = Math.min(size, BLOCK_BYTES);
  // A block has whole values, so that only the last block may end inside a value.
  const blockSize = most > valueSize ? most - (most % valueSize) : most;
  const isShuffled = shuffle === "byte" && valueSize > 1;
  const isSplit = cname !== "zstd" && valueSize <= MAX_SPLITS && Math.floor(blockSize / valueSize) >= MIN_SPLIT_BYTES;
  const flags = (isShuffled ? FLAG.shuffle : 0) | (isSplit ? 0 : FLAG.unsplit) | (COMPRESSOR[cname] << 5);
  return { flags, valueSize, blockSize };
}

/**
 * Writes the blocks, preceded by the list of their starts; each stream is preceded by its length (u32).
 * @returns the end of the blocks; null if the frame is too small for them.
 */
function writeBlocks(bytes: Uint8Array, frame: Uint8Array, layout: Layout, encode: EncodeBlock): number | null {
  const { flags, valueSize, blockSize } = layout;
  const view = new DataView(frame.buffer);
  const planeSize = flags & FLAG.shuffle ? valueSize : 1;
  const blocks = Math.ceil(bytes.length / blockSize);
  let at = HEADER + 4 * blocks;
  for (let block = 0; block < blocks; block++) {
    const part = bytes.subarray(block * blockSize, (block + 1) * blockSize);
    // An incomplete last block has one stream.
    const streams = flags & FLAG.unsplit || part.length < blockSize ? 1 : valueSize;
    if (at > frame.length) return null;
    view.setUint32(HEADER + 4 * block, at, true);
    for (const stream of encode(part, planeSize, streams)) {
      if (at + 4 + stream.length > frame.length) return null;
      view.setUint32(at, stream.length, true);
      frame.set(stream, at + 4);
      at += 4 + stream.length;
    }
  }
  return at;
}
