/** Decompression of deflate, zlib and gzip streams by the WebAssembly kernel of assembly/inflate.ts. */

import { platform } from "#platform";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { ensureMemory, instantiateKernel, type Kernel } from "../../wasm/instantiate.js";
import { createSizeError, type OutputSize } from "../bounds/byte-codec.js";
import { createChecksumError, type DeflateFormat, getGzipBodyOffset, getZlibBodyOffset } from "./deflate-frame.js";

/**
 * A kernel whose memory has grown beyond this size is not used again, so that the memory is freed. A WebAssembly memory
 * never shrinks.
 */
const KEPT_BYTES = 64 * 2 ** 20;

/** The kernel that all callers share. Its calls are synchronous, so they cannot interfere with each other. */
const shared: { kernel: Promise<InflateKernel> | null } = { kernel: null };

/**
 * Decompresses a stream and verifies its checksums.
 * @param target memory of `size.bytes` bytes if the size is exact; the bytes are written to it, and it is returned.
 * @throws {InvalidDataError} if the stream is truncated, corrupt, or decodes to fewer or more bytes than `size` allows;
 * `target` is then unchanged.
 */
export async function inflate(
  bytes: Uint8Array,
  format: DeflateFormat,
  size: OutputSize,
  target?: Uint8Array,
): Promise<Uint8Array> {
  shared.kernel ??= openInflateKernel();
  const kernel = await shared.kernel;
  try {
    return kernel.inflate(bytes, format, size, target);
  } finally {
    if (kernel.memoryBytes > KEPT_BYTES) shared.kernel = null;
  }
}

const FUNCTIONS = ["start", "inflate", "outputLength", "inputLength", "adler32", "crc32"] as const;

/** Number of bytes that the kernel may read beyond its input and write beyond its output. */
export const IN_SLACK = 64;
export const OUT_SLACK = 320;

/** Maximum memory in bytes of a module with 32-bit addresses, less one page. */
const MAX_MEMORY = 0xffff0000;

/** Failure reasons by the kernel's numbers. The numbers 2 and 9 concern sizes. */
export const REASONS: ReadonlyMap<number, string> = new Map([
  [1, "it ends inside a block"],
  [3, "a block of unknown type"],
  [4, "a stored block whose length does not match its complement"],
  [5, "too many length or distance codes"],
  [6, "the code lengths of a block make no code"],
  [7, "a code that stands for nothing"],
  [8, "a distance that reaches back before the first byte"],
]);
const TOO_LONG = 2;
const NO_MEMORY = 9;

/**
 * A decoder with its own memory. It decodes one stream at a time. The memory never shrinks below the size needed for
 * the largest stream and output so far.
 */
export class InflateKernel {
  readonly #kernel: Kernel<(typeof FUNCTIONS)[number]>;
  readonly #start: number;
  #bytes: Uint8Array;

  constructor(kernel: Kernel<(typeof FUNCTIONS)[number]>) {
    this.#kernel = kernel;
    this.#start = kernel.functions.start();
    this.#bytes = new Uint8Array(kernel.memory.buffer);
  }

  get memoryBytes(): number {
    return this.#kernel.memory.buffer.byteLength;
  }

  /**
   * Returns the decompressed bytes, in `target` if given. Bytes after a zlib or raw stream are ignored.
   * @throws {InvalidDataError} if the stream is corrupt, or decodes to fewer or more bytes than `size` allows.
   */
  inflate(stored: Uint8Array, format: DeflateFormat, size: OutputSize, target?: Uint8Array): Uint8Array {
    const output = this.#decode(stored, format, size);
    if (target === undefined) return output.slice();
    target.set(output);
    return target;
  }

  /** Returns a view of the output, valid until the next call. */
  #decode(stored: Uint8Array, format: DeflateFormat, size: OutputSize): Uint8Array {
    const output = (this.#start + stored.length + IN_SLACK + 63) & ~63;
    if (stored.length > MAX_MEMORY / 2) throw new UnsupportedError(`a deflate stream of ${stored.length} bytes`);
    ensureMemory(this.#kernel.memory, output + OUT_SLACK);
    this.#view().set(stored, this.#start);
    const length = this.#members(stored, format, size, output);
    if (size.exact && length !== size.bytes) throw createSizeError(length, size);
    return this.#view().subarray(output, output + length);
  }

  #members(stored: Uint8Array, format: DeflateFormat, size: OutputSize, output: number): number {
    const { adler32, crc32 } = this.#kernel.functions;
    switch (format) {
      case "raw":
        return this.#block(stored, 0, size, output, 0).length;
      case "zlib": {
        const { length, end } = this.#block(stored, getZlibBodyOffset(stored), size, output, 0);
        const [checksum] = trailer(stored, end, 1);
        const sum = swapped(adler32(output, length));
        if (sum !== checksum) throw createChecksumError("Adler-32", swapped(sum), swapped(checksum));
        return length;
      }
      case "gzip": {
        let total = 0;
        let at = 0;
        do {
          const { length, end } = this.#block(stored, getGzipBodyOffset(stored, at), size, output, total);
          const found = this.#view().subarray(output + total, output + total + length);
          checkGzipTrailer(stored, end, length, platform.crc32?.(found) ?? crc32(output + total, length, 0) >>> 0);
          total += length;
          at = end + 8;
          // Zeros may pad the last member to the end of a disk block.
        } while (at < stored.length && stored[at] !== 0);
        return total;
      }
      default:
        return format satisfies never;
    }
  }

  /** Decodes the deflate stream at `start` of `stored`. Returns the length of its output and the offset of its end. */
  #block(stored: Uint8Array, start: number, size: OutputSize, output: number, before: number) {
    const { inflate, outputLength, inputLength } = this.#kernel.functions;
    const room = Math.min(size.bytes - before, MAX_MEMORY - OUT_SLACK - output - before);
    const status = inflate(this.#start + start, stored.length - start, output + before, room);
    if (status === NO_MEMORY || (status === TOO_LONG && room < size.bytes - before)) {
      throw new UnsupportedError(`a deflate stream that gives more than ${before + room} bytes`);
    }
    if (status === TOO_LONG) throw createSizeError("more", size);
    if (status !== 0) throw new InvalidDataError(`corrupt deflate stream: ${REASONS.get(status)}`);
    return { length: outputLength(), end: start + inputLength() };
  }

  /** Returns a view of the memory, which may have grown. */
  #view(): Uint8Array {
    const { buffer } = this.#kernel.memory;
    if (this.#bytes.buffer !== buffer) this.#bytes = new Uint8Array(buffer);
    return this.#bytes;
  }
}

/** Makes a decoder with separate memory. */
export async function openInflateKernel(): Promise<InflateKernel> {
  const { WASM } = await import("../../wasm/inflate.wasm.js");
  return new InflateKernel(await instantiateKernel(WASM, FUNCTIONS));
}

/**
 * Checks the CRC-32 and the length after the deflate stream of a gzip member.
 * @throws {InvalidDataError} if they are cut off, or do not match the output.
 */
export function checkGzipTrailer(stored: Uint8Array, end: number, length: number, sum: number): void {
  const [checksum, bytes] = trailer(stored, end, 2);
  if (sum !== checksum) throw createChecksumError("CRC-32", sum, checksum);
  if (length % 2 ** 32 !== bytes) {
    throw new InvalidDataError(`gzip stream gives ${length} bytes, and says that these are ${bytes}`);
  }
}

/** Reads the words after the stream. */
function trailer(stored: Uint8Array, end: number, words: number): number[] {
  if (end + 4 * words > stored.length) {
    throw new InvalidDataError(`corrupt deflate stream: its ${stored.length} bytes end before its checksum`);
  }
  const view = new DataView(stored.buffer, stored.byteOffset + end, 4 * words);
  return Array.from({ length: words }, (_, k) => view.getUint32(4 * k, true));
}

function swapped(word: number): number {
  return ((word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0;
}
