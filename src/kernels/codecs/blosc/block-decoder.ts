/** WebAssembly decoder for Blosc blocks compressed by LZ4 or BloscLZ, about four times as fast as JavaScript. */

import { once } from "../../values/once.js";
import { ensureMemory, instantiateKernel, type Kernel } from "../../wasm/instantiate.js";

const NAMES = ["base", "decode", "blosclz", "unshuffle"] as const;

/** The compressors that the kernels support. */
export type FastCompressor = "lz4" | "blosclz";

/** Number of bytes that the kernel may read beyond its input and write beyond its output. */
const SLACK = 64;

/** Maximum size of a frame in bytes. Larger frames use JavaScript, since this memory is never freed. */
const MAX_BYTES = 1 << 26;

/** The location of a block's stream in its frame. */
export interface Stream {
  readonly start: number;
  readonly length: number;
}

export interface BlockDecoder {
  /**
   * Decodes the block in `streams` into `out`, and joins its byte planes to values of `valueSize` bytes (1: no planes).
   * Returns false if a stream is corrupt.
   */
  decode(streams: readonly Stream[], out: Uint8Array, valueSize: number): boolean;
}

export type LoadFrame = (frame: Uint8Array, blockSize: number, compressor: FastCompressor) => BlockDecoder | null;

/** Makes the decoder. */
export const loadBlockDecoder = once(async (): Promise<LoadFrame> => {
  const { WASM } = await import("../../wasm/lz4.wasm.js");
  const kernel = await instantiateKernel(WASM, NAMES);
  return (frame, blockSize, compressor) => loadFrame(kernel, frame, blockSize, compressor);
});

/** Returns whether `decode` joins the planes of values of this size. */
export function canJoinPlanes(valueSize: number): boolean {
  return valueSize === 1 || valueSize === 2 || valueSize === 4 || valueSize === 8;
}

/** Copies a frame into the memory. The frame, the planes and the values of a block are stored consecutively. */
function loadFrame(
  { memory, functions }: Kernel<(typeof NAMES)[number]>,
  frame: Uint8Array,
  blockSize: number,
  compressor: FastCompressor,
): BlockDecoder | null {
  const needed = frame.length + 2 * blockSize;
  if (needed > MAX_BYTES) return null;
  const at = functions.base();
  const planes = aligned(at + frame.length + SLACK);
  const values = aligned(planes + blockSize + SLACK);
  ensureMemory(memory, values + blockSize + SLACK);
  const bytes = new Uint8Array(memory.buffer);
  bytes.set(frame, at);
  const decodeStream = compressor === "lz4" ? functions.decode : functions.blosclz;
  return {
    decode(streams, out, valueSize) {
      const streamSize = out.length / streams.length;
      for (let i = 0, to = planes; i < streams.length; i++, to += streamSize) {
        const { start, length } = streams[i];
        const from = at + start;
        if (length === streamSize) bytes.copyWithin(to, from, from + length);
        else if (!decodeStream(from, length, to, streamSize)) return false;
      }
      const count = valueSize === 1 ? 0 : Math.floor(out.length / valueSize);
      if (count > 0) functions.unshuffle(planes, values, count, valueSize);
      const joined = count * valueSize;
      if (joined > 0) out.set(bytes.subarray(values, values + joined));
      out.set(bytes.subarray(planes + joined, planes + out.length), joined);
      return true;
    },
  };
}

function aligned(at: number): number {
  return (at + SLACK - 1) & -SLACK;
}
