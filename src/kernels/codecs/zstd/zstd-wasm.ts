/** zstd frames by the WebAssembly module of assembly/zstd.c, which is the library itself. */

import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { once } from "../../values/once.js";
import { ownBytes } from "../../values/own-bytes.js";
import { ensureMemory, instantiateKernel, type Kernel } from "../../wasm/instantiate.js";
import { wrongSize } from "../bounds/output-size.js";

const FUNCTIONS = ["start", "prepare", "bound", "compress", "decompress"] as const;

/** That of what is not written for others to read: level 3 takes 1.7 times the time of level 1, for one hundredth of the bytes of an encoded page. */
export const ZSTD_LEVEL = 1;

/** The most that a module with 32-bit addresses can hold, less what no sum of an address and a length may reach. */
const MAX_MEMORY = 2 ** 32 - 2 ** 21;

/** What zstd refuses, by the numbers of its zstd_errors.h. */
const REASONS = new Map([
  [10, "no frame where one should begin"],
  [14, "a frame that uses a reserved bit"],
  [16, "a frame whose window is too large"],
  [20, "its blocks are damaged"],
  [22, "its checksum does not match"],
  [24, "the lengths of its literals are damaged"],
  [30, "a block refers to tables that none before it gave"],
  [32, "it needs a dictionary"],
  [70, "it gives more bytes than it may"],
  [72, "it is truncated, or bytes follow it"],
]);
/** Errors are the negatives of numbers below this; everything else is a length. */
const ERRORS = 120;

interface Prepared {
  readonly level: number;
  readonly bytes: number;
  readonly checksum: boolean;
  readonly end: number;
}

/** No input has so many bytes. */
const NOTHING: Prepared = { level: 0, bytes: -1, checksum: false, end: 0 };

/**
 * One memory with both contexts of zstd. It works on one input at a time, and its memory stays as large as the largest
 * input and its output needed.
 */
export class ZstdKernel {
  readonly #kernel: Kernel<(typeof FUNCTIONS)[number]>;
  readonly #start: number;
  #bytes: Uint8Array;
  /** What the encoder is prepared for, and where its memory ends. */
  #prepared: Prepared = NOTHING;

  constructor(kernel: Kernel<(typeof FUNCTIONS)[number]>) {
    this.#kernel = kernel;
    this.#start = kernel.functions.start();
    if (this.#start === 0) throw new UnsupportedError("zstd finds no memory");
    this.#bytes = new Uint8Array(kernel.memory.buffer);
  }

  /**
   * One frame, with its content size.
   * @param level -131072 to 22, as zstd counts them; 0 means 3, and those above 12 search no better than that.
   * @param checksum whether a checksum of the content follows it.
   * @throws {UnsupportedError} where there is no memory for so many bytes.
   */
  compress(bytes: Uint8Array, level = ZSTD_LEVEL, checksum = false): Uint8Array<ArrayBuffer> {
    const { bound, compress } = this.#kernel.functions;
    const start = this.#prepare(bytes.length, level, checksum);
    const most = bytes.length > MAX_MEMORY / 2 ? MAX_MEMORY : bound(bytes.length) >>> 0;
    const [from, to, room] = this.#place(start, bytes, most);
    const length = compress(to, room, from, bytes.length);
    if (isError(length)) throw new UnsupportedError(`zstd compresses no ${bytes.length} bytes: error ${-length}`);
    return ownBytes(this.#view().subarray(to, to + length));
  }

  /** Makes the encoder for so many bytes: where its memory ends. */
  #prepare(bytes: number, level: number, checksum: boolean): number {
    const before = this.#prepared;
    if (before.bytes === bytes && before.level === level && before.checksum === checksum) return before.end;
    this.#prepared = NOTHING;
    const end = this.#kernel.functions.prepare(level, bytes, checksum ? 1 : 0) >>> 0;
    if (end === 0) throw new UnsupportedError(`zstd finds no memory to compress ${bytes} bytes at level ${level}`);
    this.#prepared = { level, bytes, checksum, end };
    return end;
  }

  /**
   * What all frames of `stored` give together, at most `room` bytes. Callers check `room` first: it is allocated.
   * @throws {InvalidDataError} where zstd refuses a frame, or they give more.
   * @throws {UnsupportedError} where there is no memory for so many bytes.
   */
  decompress(stored: Uint8Array, room: number): Uint8Array {
    return this.#decompressed(stored, room).slice();
  }

  /**
   * Decompresses `stored` to `target`, which it must fill exactly.
   * @throws {InvalidDataError} as `decompress`, or where they give fewer; the target is then as it was.
   */
  decompressInto(stored: Uint8Array, target: Uint8Array): void {
    const output = this.#decompressed(stored, target.length);
    if (output.length !== target.length) throw wrongSize(output.length, { bytes: target.length, exact: true });
    target.set(output);
  }

  /** A view of the output, valid until the next call. */
  #decompressed(stored: Uint8Array, room: number): Uint8Array {
    // Where the encoder was.
    this.#prepared = NOTHING;
    const [from, to] = this.#place(this.#start, stored, room);
    const length = this.#kernel.functions.decompress(to, room, from, stored.length);
    if (isError(length)) throw new InvalidDataError(`corrupt zstd data: ${REASONS.get(-length) ?? `error ${-length}`}`);
    return this.#view().subarray(to, to + (length >>> 0));
  }

  /** Puts `input` into the memory at `from`, with room for so many bytes behind it: where both are. */
  #place(from: number, input: Uint8Array, room: number): [from: number, to: number, room: number] {
    const to = Math.ceil((from + input.length) / 64) * 64;
    const needed = to + room;
    if (needed > MAX_MEMORY) throw tooLarge(input, room);
    try {
      ensureMemory(this.#kernel.memory, needed);
    } catch (cause) {
      // The platform has no more.
      if (cause instanceof RangeError) throw tooLarge(input, room, cause);
      throw cause;
    }
    this.#view().set(input, from);
    return [from, to, room];
  }

  /** The memory, which may have grown. */
  #view(): Uint8Array {
    const { buffer } = this.#kernel.memory;
    if (this.#bytes.buffer !== buffer) this.#bytes = new Uint8Array(buffer);
    return this.#bytes;
  }
}

function isError(length: number): boolean {
  return length < 0 && length > -ERRORS;
}

function tooLarge(input: Uint8Array, room: number, cause?: RangeError): UnsupportedError {
  return new UnsupportedError(`zstd finds no memory for ${input.length} bytes that give ${room}`, { cause });
}

/** A memory never shrinks: inputs that with their output are larger get one of their own, dropped with them. */
const KEPT_BYTES = 64 * 2 ** 20;

/** The kernel that all share. Its calls are synchronous, so that none finds another's bytes; null as below. */
export const loadZstdKernel = once(openZstdKernel);

/** A kernel with a memory of its own; null where there is no WebAssembly with SIMD. */
export async function openZstdKernel(): Promise<ZstdKernel | null> {
  const { WASM } = await import("../../wasm/zstd.wasm.js");
  const kernel = await instantiateKernel(WASM, FUNCTIONS);
  return kernel && new ZstdKernel(kernel);
}

/**
 * The kernel for inputs and outputs of `bytes` bytes together: the shared one unless they are many.
 * @throws {UnsupportedError} where there is no WebAssembly with SIMD.
 */
export async function zstdKernelFor(bytes: number): Promise<ZstdKernel> {
  const kernel = await (bytes <= KEPT_BYTES ? loadZstdKernel() : openZstdKernel());
  if (kernel !== null) return kernel;
  throw new UnsupportedError(
    "zstd needs WebAssembly with SIMD here, which is missing or forbidden; " +
      "Node 22.15 and later need none, and pages allow it by the policy 'wasm-unsafe-eval'",
  );
}
