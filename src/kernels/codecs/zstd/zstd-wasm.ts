/** Decodes zstd frames with libzstd, compiled to WebAssembly in @hpcc-js/wasm-zstd. */

import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { openXxh64, type Xxh64 } from "../../checksums/xxh64.js";
import { copyToOwnMemory } from "../../values/copy-bytes.js";
import { once } from "../../values/once.js";
import { createWasmError, isWebAssemblyAllowed } from "../../wasm/instantiate.js";
import { createSizeError } from "../bounds/byte-codec.js";
import type { Libzstd } from "./libzstd.js";

/**
 * The level for data that only this library reads. Level 3 takes 1.7 times as long as level 1, but saves only one
 * hundredth of an encoded page's bytes.
 */
export const ZSTD_LEVEL = 1;

/** zstd's error messages by the numbers of zstd_errors.h. */
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
/** Upper bound of error numbers. An error is returned as the negative of its number; all other results are lengths. */
const ERRORS = 120;

/** Flag in a frame's fifth byte that announces a checksum after the content. */
const HAS_CHECKSUM = 4;

/**
 * A memory in which zstd processes one input at a time. The part for inputs and outputs never shrinks below the size of
 * the largest pair so far.
 */
class ZstdKernel {
  readonly #library: Libzstd;
  #checksum: Xxh64 | undefined;
  /** Address and size in bytes of the buffer for inputs and outputs. */
  #at = 0;
  #room = 0;

  constructor(library: Libzstd) {
    this.#library = library;
  }

  /**
   * Compresses bytes to one frame, with its content size.
   * @param level -131072 to 22, as zstd counts levels; 0 means 3.
   * @param checksum whether to append a checksum of the content.
   * @throws {UnsupportedError} if there is not enough memory.
   */
  compress(bytes: Uint8Array, level = ZSTD_LEVEL, checksum = false): Uint8Array<ArrayBuffer> {
    const { functions, memory } = this.#library;
    const room = functions.compressBound(bytes.length) >>> 0;
    const [from, to] = this.#place(bytes, room);
    const length = functions.compress(to, room, from, bytes.length, level) | 0;
    if (isError(length)) throw new UnsupportedError(`zstd compresses no ${bytes.length} bytes: error ${-length}`);
    const frame = copyToOwnMemory(memory().subarray(to, to + length + (checksum ? 4 : 0)));
    // The library's function for single frames writes no checksum.
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
   * Decompresses all frames in `stored`, to at most `room` bytes. Callers check `room` first, because it is allocated.
   * @throws {InvalidDataError} if zstd rejects a frame, or the frames contain more than `room` bytes.
   * @throws {UnsupportedError} if there is not enough memory.
   */
  decompress(stored: Uint8Array, room: number): Uint8Array {
    return this.#decompressed(stored, room).slice();
  }

  /**
   * Decompresses `stored` to `target`, which it must fill exactly.
   * @throws {InvalidDataError} like `decompress`, or if the frames contain fewer bytes; `target` is then unchanged.
   */
  decompressInto(stored: Uint8Array, target: Uint8Array): void {
    const output = this.#decompressed(stored, target.length);
    if (output.length !== target.length) throw createSizeError(output.length, { bytes: target.length, exact: true });
    target.set(output);
  }

  /** Returns a view of the output, valid until the next call. */
  #decompressed(stored: Uint8Array, room: number): Uint8Array {
    const [from, to] = this.#place(stored, room);
    const length = this.#library.functions.decompress(to, room, from, stored.length) | 0;
    if (isError(length)) throw new InvalidDataError(`corrupt zstd data: ${REASONS.get(-length) ?? `error ${-length}`}`);
    return this.#library.memory().subarray(to, to + (length >>> 0));
  }

  /** Copies `input` into the memory, followed by `room` bytes for the output. Returns the addresses of both. */
  #place(input: Uint8Array, room: number): [from: number, to: number] {
    const before = Math.ceil(input.length / 64) * 64;
    // The checksum adds 4 bytes to the output.
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

/** Maximum memory of the library in bytes. Addresses have 32 bits, of which the library uses 31. */
const MAX_BYTES = 2 ** 31 - 2 ** 24;

function isError(length: number): boolean {
  return length < 0 && length > -ERRORS;
}

function tooLarge(input: Uint8Array, room: number): UnsupportedError {
  return new UnsupportedError(`zstd finds no memory for ${input.length} bytes that give ${room}`);
}

/**
 * An input that, together with its output, is larger than this gets its own memory. This memory is freed afterwards,
 * because a WebAssembly memory never shrinks.
 */
const KEPT_BYTES = 64 * 2 ** 20;

/** Loads the shared kernel. The kernel's calls are synchronous, so callers never see each other's bytes. */
const loadZstdKernel = once(openZstdKernel);

/**
 * Makes a kernel with separate memory.
 * @throws {MissingDependencyError} if WebAssembly is unavailable.
 */
export async function openZstdKernel(): Promise<ZstdKernel> {
  if (!isWebAssemblyAllowed()) throw createWasmError();
  const { openLibzstd } = await import("./libzstd.js");
  return new ZstdKernel(await openLibzstd());
}

/**
 * Returns the kernel for an input and an output of `bytes` bytes together: the shared kernel, unless they are too large
 * for it.
 * @throws {MissingDependencyError} if WebAssembly is unavailable.
 */
export function pickZstdKernel(bytes: number): Promise<ZstdKernel> {
  return bytes <= KEPT_BYTES ? loadZstdKernel() : openZstdKernel();
}
