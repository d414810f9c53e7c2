/**
 * Blosc 1 frames. Source: README_CHUNK_FORMAT.rst of c-blosc. This code reads the frame itself, without c-blosc's
 * WebAssembly, so that the declared sizes bound every step and all formats share the same compressors.
 */

import { InvalidDataError } from "../../../model/errors.js";
import { checkSize, createCodecFactory, type OutputSize } from "../bounds/byte-codec.js";
import { unbitshuffle } from "../shuffle/bitshuffle.js";
import { unshuffleInto } from "../shuffle/shuffle.js";
import { canJoinPlanes, type FastCompressor, type LoadFrame, loadBlockDecoder, type Stream } from "./block-decoder.js";
import { BLOSC_COMPRESSORS, type DecodeStream } from "./compressors.js";

const HEADER = 16;
const FLAG = { shuffle: 1, stored: 2, bitshuffle: 4, unsplit: 16 } as const;

/** Within these limits, a block is split into one stream per byte of a value. Other blocks have one stream. */
const MAX_SPLITS = 16;
const MIN_SPLIT_BYTES = 128;

interface Frame {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly flags: number;
  readonly valueSize: number;
  readonly size: number;
  readonly blockSize: number;
}

export const blosc = createCodecFactory(decodeBlosc);

/**
 * Decodes a frame.
 * @param target memory for the decoded bytes, used if it has exactly the right size; otherwise new memory is allocated.
 * If this function throws, `target` may be partly written.
 * @throws {InvalidDataError} if the frame is truncated or corrupt, or its size does not match `size`.
 */
export async function decodeBlosc(bytes: Uint8Array, size: OutputSize, target?: Uint8Array): Promise<Uint8Array> {
  const frame = readHeader(bytes, size);
  if (frame.flags & FLAG.stored) {
    if (bytes.length !== HEADER + frame.size) {
      throw new InvalidDataError(`blosc frame of ${bytes.length} bytes stores ${frame.size}`);
    }
    const stored = bytes.subarray(HEADER);
    target?.set(stored);
    return target ?? stored;
  }
  const compressor = BLOSC_COMPRESSORS.at(frame.flags >> 5);
  if (compressor === undefined) throw new InvalidDataError(`blosc compressor ${frame.flags >> 5} does not exist`);
  const blocks = Math.ceil(frame.size / frame.blockSize);
  if (HEADER + 4 * blocks > bytes.length) {
    throw new InvalidDataError(`blosc frame of ${bytes.length} bytes has no room for ${blocks} blocks`);
  }
  if (frame.size > compressor.ratio * bytes.length) {
    throw new InvalidDataError(`${frame.size} bytes cannot come from a blosc frame of ${bytes.length}`);
  }
  const out = target ?? new Uint8Array(frame.size);
  const { kernel } = compressor;
  // If the fast decoder gives up, the JavaScript loops find the reason.
  if (kernel !== undefined && decodeFast(frame, await loadBlockDecoder(), kernel, out)) return out;
  let scratch: Uint8Array | undefined;
  for (const { part, streams } of blocksOf(frame, out)) {
    if (!isShuffled(frame)) {
      await decodeStreams(frame, streams, part, compressor.decode);
      continue;
    }
    scratch ??= new Uint8Array(frame.blockSize);
    const raw = scratch.subarray(0, part.length);
    await decodeStreams(frame, streams, raw, compressor.decode);
    undoShuffle(frame, raw, part);
  }
  return out;
}

function readHeader(bytes: Uint8Array, size: OutputSize): Frame {
  if (bytes.length < HEADER) throw new InvalidDataError(`${bytes.length} bytes are no blosc frame`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes[0] === 0 || bytes[0] > 2) throw new InvalidDataError(`blosc frame of version ${bytes[0]}`);
  const decoded = view.getUint32(4, true);
  const blockSize = view.getUint32(8, true);
  const encoded = view.getUint32(12, true);
  checkSize(decoded, size);
  if (encoded !== bytes.length) {
    throw new InvalidDataError(`the blosc frame says ${encoded} bytes, there are ${bytes.length}`);
  }
  if (decoded > 0 && (blockSize === 0 || blockSize > decoded)) {
    throw new InvalidDataError(`blosc blocks of ${blockSize} bytes for ${decoded} bytes`);
  }
  const valueSize = Math.max(bytes[3], 1);
  return { bytes, view, flags: bytes[2], valueSize, size: decoded, blockSize: Math.max(blockSize, 1) };
}

function isShuffled({ flags, valueSize }: Frame): boolean {
  return (flags & FLAG.bitshuffle) !== 0 || ((flags & FLAG.shuffle) !== 0 && valueSize > 1);
}

/** Decodes a frame in WebAssembly. Must not await, since all frames share one memory. */
function decodeFast(frame: Frame, load: LoadFrame, compressor: FastCompressor, out: Uint8Array): boolean {
  const decoder = load(frame.bytes, frame.blockSize, compressor);
  if (decoder === null) return false;
  // The kernel joins byte planes itself if values are words. Byte planes of wider values and bit planes are joined
  // afterwards.
  const joins = !(frame.flags & FLAG.bitshuffle) && canJoinPlanes(frame.valueSize);
  const scratch = isShuffled(frame) && !joins ? new Uint8Array(frame.blockSize) : null;
  const planeSize = joins && frame.flags & FLAG.shuffle ? frame.valueSize : 1;
  for (const { part, streams } of blocksOf(frame, out)) {
    const raw = scratch === null ? part : scratch.subarray(0, part.length);
    if (!decoder.decode(streams, raw, planeSize)) return false;
    if (scratch !== null) undoShuffle(frame, raw, part);
  }
  return true;
}

/** Yields the blocks of a frame, each with the part of `out` that it fills. */
function* blocksOf(frame: Frame, out: Uint8Array): Generator<{ part: Uint8Array; streams: readonly Stream[] }> {
  const { size, blockSize } = frame;
  for (let block = 0; block * blockSize < size; block++) {
    const part = out.subarray(block * blockSize, (block + 1) * blockSize);
    yield { part, streams: streamsOf(frame, block, part.length) };
  }
}

/** Finds the streams of a block of `size` decoded bytes. Each stream is preceded by its length (u32). */
function streamsOf(frame: Frame, block: number, size: number): Stream[] {
  const { bytes, view, valueSize, blockSize } = frame;
  const isSplit =
    !(frame.flags & FLAG.unsplit) &&
    valueSize <= MAX_SPLITS &&
    Math.floor(blockSize / valueSize) >= MIN_SPLIT_BYTES &&
    size === blockSize;
  const count = isSplit ? valueSize : 1;
  if (size % count !== 0) throw new InvalidDataError(`blosc block of ${size} bytes in ${count} streams`);
  const streams: Stream[] = [];
  let at = view.getUint32(HEADER + 4 * block, true);
  for (let i = 0; i < count; i++) {
    if (at + 4 > bytes.length) throw cutOff(frame, block);
    const length = view.getUint32(at, true);
    at += 4;
    if (length > bytes.length - at) throw cutOff(frame, block);
    streams.push({ start: at, length });
    at += length;
  }
  return streams;
}

/** Decodes the streams of a block. Incompressible streams are stored uncompressed. */
async function decodeStreams(
  { bytes }: Frame,
  streams: readonly Stream[],
  out: Uint8Array,
  decode: DecodeStream,
): Promise<void> {
  const size = out.length / streams.length;
  for (const [i, { start, length }] of streams.entries()) {
    const packed = bytes.subarray(start, start + length);
    const part = out.subarray(i * size, (i + 1) * size);
    if (length === size) part.set(packed);
    else await decode(packed, part);
  }
}

function cutOff({ bytes }: Frame, block: number): InvalidDataError {
  return new InvalidDataError(`blosc frame of ${bytes.length} bytes is cut off inside block ${block}`);
}

function undoShuffle({ flags, valueSize }: Frame, raw: Uint8Array, out: Uint8Array): void {
  if (!(flags & FLAG.bitshuffle)) {
    unshuffleInto(raw, out, valueSize);
    return;
  }
  const count = Math.floor(raw.length / valueSize);
  // c-blosc leaves a block unshuffled if its number of values is not a multiple of eight.
  const shuffled = count % 8 === 0 ? count * valueSize : 0;
  unbitshuffle(raw.subarray(0, shuffled), out.subarray(0, shuffled), valueSize);
  out.set(raw.subarray(shuffled), shuffled);
}
