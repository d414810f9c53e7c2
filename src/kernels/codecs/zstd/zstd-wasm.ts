/** zstd frames by the library itself, as @hpcc-js/wasm-zstd has it compiled to WebAssembly. */

import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { openXxh64, type Xxh64 } from "../../checksums/xxh64.js";
import { once } from "../../values/once.js";
import { ownBytes } from "../../values/own-bytes.js";
import { isWebAssemblyAllowed } from "../../wasm/instantiate.js";
import { wrongSize } from "../bounds/byte-codec.js";
import type { Libzstd } from "./libzstd.js";

/** That of what is not written for others to read: level 3 takes 1.7 times the time of level 1, for one hundredth of the bytes of an encoded page. */
export const ZSTD_LEVEL = 1;

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

/** In the fifth byte of a frame: its content is followed by a checksum. */
const HAS_CHECKSUM = 4;

/**
 * One memory in which zstd works on one input at a time. The part of it that inputs and outputs take stays as large as
 * the largest of them.
 */
export class ZstdKernel {
  readonly #library: Libzstd;
  #checksum: Xxh64 | undefined;
  /** Where inputs and their outputs lie, and how many bytes there are. */
  #at = 0;
  #room = 0;

  constructor(library: Libzstd) {
    this.#library = library;
  }

  /**
   * One frame, with its content size.
   * @param level -131072 to 22, as zstd counts them; 0 means 3.
   * @param checksum whether a checksum of the content follows it.
   * @throws {UnsupportedError} where there is no memory for so many bytes.
   */
  compress(bytes: Uint8Array, level = ZSTD_LEVEL, checksum = false): Uint8Array<ArrayBuffer> {
    const { functions, memory } = this.#library;
    const room = functions.compressBound(bytes.length) >>> 0;
    const [from, to] = this.#place(bytes, room);
    const length = functions.compress(to, room, from, bytes.length, level) | 0;
    if (isError(length)) throw new UnsupportedError(`zstd compresses no ${bytes.length} bytes: error ${-length}`);
    const frame = ownBytes(memory().subarray(to, to + length + (checksum ? 4 : 0)));
    // The library's function for one frame leaves checksums out.
    if (checksum) this.#addChecksum(frame, bytes);
    return frame;
  }

  #addChecksum(frame: Uint8Array, content: Uint8Array): void {
    this.#checksum ??= openXxh64();
    frame[4] |= HAS_CHECKSUM;
    const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
    view.setUint32(frame.length - 4, this.#checksum(content), true);
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
    const [from, to] = this.#place(stored, room);
    const length = this.#library.functions.decompress(to, room, from, stored.length) | 0;
    if (isError(length)) throw new InvalidDataError(`corrupt zstd data: ${REASONS.get(-length) ?? `error ${-length}`}`);
    return this.#library.memory().subarray(to, to + (length >>> 0));
  }

  /** Puts `input` into the memory, with room for so many bytes behind it: where both are. */
  #place(input: Uint8Array, room: number): [from: number, to: number] {
    const before = Math.ceil(input.length / 64) * 64;
    // The output of a frame with its checksum is 4 bytes longer.
    const needed = before + room + 4;
    if (needed > this.#room) this.#reserve(needed, () => tooLarge(input, room));
    this.#library.memory().set(input, this.#at);
    return [this.#at, this.#at + before];
  }

  #reserve(bytes: number, refuse: () => UnsupportedError): void {
    const { functions } = this.#library;
    if (this.#room > 0) functions.free(this.#at);
    this.#room = 0;
    if (bytes > MAX_BYTES) throw refuse();
    const at = functions.malloc(bytes) >>> 0;
    if (at === 0) throw refuse();
    this.#at = at;
    this.#room = bytes;
  }
}

/** More than the library's memory can hold: an address has 32 bits, of which it leaves one alone. */
const MAX_BYTES = 2 ** 31 - 2 ** 24;

function isError(length: number): boolean {
  return length < 0 && length > -ERRORS;
}

function tooLarge(input: Uint8Array, room: number): UnsupportedError {
  return new UnsupportedError(`zstd finds no memory for ${input.length} bytes that give ${room}`);
}

/** A memory never shrinks: inputs that with their output are larger get one of their own, dropped with them. */
const KEPT_BYTES = 64 * 2 ** 20;

/** The kernel that all share. Its calls are synchronous, so that none finds another's bytes; null as below. */
export const loadZstdKernel = once(openZstdKernel);

/** A kernel with a memory of its own; null where there is no WebAssembly. */
export async function openZstdKernel(): Promise<ZstdKernel | null> {
  if (!isWebAssemblyAllowed()) return null;
  const { openLibzstd } = await import("./libzstd.js");
  return new ZstdKernel(await openLibzstd());
}

/**
 * The kernel for inputs and outputs of `bytes` bytes together: the shared one unless they are many.
 * @throws {UnsupportedError} where there is no WebAssembly.
 */
export async function zstdKernelFor(bytes: number): Promise<ZstdKernel> {
  const kernel = await (bytes <= KEPT_BYTES ? loadZstdKernel() : openZstdKernel());
  if (kernel !== null) return kernel;
  throw new UnsupportedError(
    "zstd needs WebAssembly here, which is missing or forbidden; " +
      "Node 22.15 and later need none, and pages allow it by the policy 'wasm-unsafe-eval'",
  );
}
