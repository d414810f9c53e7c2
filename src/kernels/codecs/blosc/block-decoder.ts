/** WebAssembly for blocks of Blosc frames that LZ4 or BloscLZ compressed: about four times as fast as the plain loops. */

import { once } from "../../values/once.js";
import { ensureMemory, instantiateKernel, type Kernel } from "../../wasm/instantiate.js";

const NAMES = ["base", "decode", "blosclz", "unshuffle"] as const;

/** The compressors that the kernels know. */
export type FastCompressor = "lz4" | "blosclz";

/** Bytes that the kernel may read behind its input and write behind its output. */
const SLACK = 64;

/** Larger frames are left to the plain loops, because this memory is never given back. */
const MAX_BYTES = 1 << 26;

/** The place of a block's stream in its frame. */
export interface Stream {
  readonly start: number;
  readonly length: number;
}

/** Decodes the blocks of one frame. */
export interface BlockDecoder {
  /**
   * Fills `out` with the block that `streams` give, and joins its byte planes to values of `valueSize` bytes (1: no
   * planes). Returns false where a stream is corrupt.
   */
  decode(streams: readonly Stream[], out: Uint8Array, valueSize: number): boolean;
}

export type LoadFrame = (frame: Uint8Array, blockSize: number, compressor: FastCompressor) => BlockDecoder | null;

/** Makes the decoder. Gives null where there is no WebAssembly with SIMD. */
export const blockDecoder = once(async (): Promise<LoadFrame | null> => {
  const { WASM } = await import("../../wasm/lz4.wasm.js");
  const kernel = await instantiateKernel(WASM, NAMES);
  return kernel === null ? null : (frame, blockSize, compressor) => loadFrame(kernel, frame, blockSize, compressor);
});

/** Tells whether `decode` joins the planes of values of this size. */
export function joinsPlanes(valueSize: number): boolean {
  return valueSize === 1 || valueSize === 2 || valueSize === 4 || valueSize === 8;
}

/** Copies a frame into the memory. The frame, the planes and the values of a block lie behind each other. */
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
