/** LZF, shuffle, unshuffle and byte order, by means of the WebAssembly kernels in assembly/bytes.ts. */

import { WASM } from "../wasm/bytes.wasm.js";
import { ensureMemory, instantiateSmallKernel } from "../wasm/instantiate.js";
import { once } from "./once.js";

export interface ByteKernels {
  /** Decodes a stream to `target`. Returns true if its decoded size is exactly the size of `target`. */
  lzf(stored: Uint8Array, target: Uint8Array): boolean;
  /** Joins `count` values of 2, 4 or 8 bytes from their planes. */
  unshuffle(planes: Uint8Array, target: Uint8Array, valueSize: WordSize, count: number): void;
  /** Splits `count` values of 2, 4 or 8 bytes into their planes. */
  shuffle(values: Uint8Array, planes: Uint8Array, valueSize: WordSize, count: number): void;
  /** Reverses the bytes of every value of 2, 4 or 8 bytes in place. The last value must be complete. */
  swap(bytes: Uint8Array, valueSize: WordSize): void;
}

export type WordSize = 2 | 4 | 8;

export function isWordSize(valueSize: number): valueSize is WordSize {
  return valueSize === 2 || valueSize === 4 || valueSize === 8;
}

/** Number of bytes that `lzf` may read beyond its input and write beyond its output. */
const SLACK = 64;
/** Maximum stream size in bytes. Longer streams use JavaScript, since a WebAssembly memory never shrinks. */
const MAX_BYTES = 32 * 2 ** 20;
/** Number of values that are rearranged at a time, few enough to stay in the innermost CPU cache. */
const PART = 2048;

/**
 * Minimum number of bytes for which the kernels are used. Starting them takes as long as rearranging fewer bytes in
 * JavaScript.
 */
const FEWEST_BYTES = 16 * 1024;

/** Returns the kernels for work on `length` bytes; null for few bytes. */
export function getByteKernels(length: number): ByteKernels | null {
  return length < FEWEST_BYTES ? null : startedKernels();
}

const startedKernels = once(startKernels);

const FUNCTIONS = [
  ...(["start", "lzf", "swap", "unshuffle2", "unshuffle4", "unshuffle8"] as const),
  ...(["shuffle2", "shuffle4", "shuffle8"] as const),
];

function startKernels(): ByteKernels {
  const { memory, functions } = instantiateSmallKernel(WASM, FUNCTIONS);
  const start = functions.start();
  const unshuffle = { 2: functions.unshuffle2, 4: functions.unshuffle4, 8: functions.unshuffle8 };
  const shuffle = { 2: functions.shuffle2, 4: functions.shuffle4, 8: functions.shuffle8 };
  ensureMemory(memory, start + 16 * PART);
  let bytes = new Uint8Array(memory.buffer);
  return {
    lzf(stored, target) {
      if (stored.length + target.length > MAX_BYTES) return false;
      const output = (start + stored.length + SLACK + 63) & ~63;
      ensureMemory(memory, output + target.length + SLACK);
      if (bytes.buffer !== memory.buffer) bytes = new Uint8Array(memory.buffer);
      bytes.set(stored, start);
      if (functions.lzf(start, stored.length, output, target.length) === 0) return false;
      target.set(bytes.subarray(output, output + target.length));
      return true;
    },
    unshuffle(planes, target, valueSize, count) {
      for (let from = 0; from < count; from += PART) {
        const part = Math.min(PART, count - from);
        // The planes are padded to a whole number of vectors. Values from the padding are not copied out.
        const padded = (part + 15) & ~15;
        for (let plane = 0; plane < valueSize; plane++) {
          const at = plane * count + from;
          bytes.set(planes.subarray(at, at + part), start + plane * padded);
        }
        const output = start + valueSize * PART;
        unshuffle[valueSize](start, output, padded);
        target.set(bytes.subarray(output, output + part * valueSize), from * valueSize);
      }
    },
    shuffle(values, planes, valueSize, count) {
      for (let from = 0; from < count; from += PART) {
        const part = Math.min(PART, count - from);
        const padded = (part + 15) & ~15;
        bytes.set(values.subarray(from * valueSize, (from + part) * valueSize), start);
        const output = start + valueSize * PART;
        shuffle[valueSize](start, output, padded);
        for (let plane = 0; plane < valueSize; plane++) {
          const at = output + plane * padded;
          planes.set(bytes.subarray(at, at + part), plane * count + from);
        }
      }
    },
    swap(values, valueSize) {
      for (let from = 0; from < values.length; from += 8 * PART) {
        const part = values.subarray(from, from + 8 * PART);
        bytes.set(part, start);
        functions.swap(start, (part.length + 15) & ~15, valueSize);
        part.set(bytes.subarray(start, start + part.length));
      }
    },
  };
}
