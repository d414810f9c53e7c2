/** Decodes gzip files that arrive in pieces, with the WebAssembly kernel of assembly/inflate.ts. */

import { platform } from "#platform";
import { InvalidDataError } from "../../../model/errors.js";
import { ensureMemory, instantiateKernel, type Kernel } from "../../wasm/instantiate.js";
import { getGzipBodyOffset } from "./deflate-frame.js";
import { checkGzipTrailer, IN_SLACK, OUT_SLACK, REASONS } from "./inflate.js";

export interface GunzipReader {
  /**
   * Returns the next bytes, in separate memory; null at the end, after the checksum has been verified.
   * @throws {InvalidDataError} if the file is corrupt. Errors from the source of the pieces are passed on.
   */
  pull(): Promise<Uint8Array | null>;
  /**
   * Fills `target` with the next bytes, without allocating memory for them.
   * @returns the number of bytes, which is less than the length of `target` only at the end.
   * @throws {InvalidDataError} like `pull`.
   */
  fill(target: Uint8Array): Promise<number>;
}

/** @param next returns the next piece of the file, null after the last piece. */
export function createGunzipReader(next: () => Promise<Uint8Array | null>): GunzipReader {
  let opened: Promise<GunzipKernel> | null = null;
  /** The rest of a piece that `fill` has not consumed. */
  let rest: Uint8Array | null = null;
  /** Returns at least one byte, in memory that the next call overwrites; null at the end. */
  async function some(): Promise<Uint8Array | null> {
    opened ??= openGunzipKernel();
    const kernel = await opened;
    for (;;) {
      if (rest === null && kernel.wants) kernel.feed(await next());
      const bytes = rest ?? kernel.next();
      rest = null;
      if (bytes === null || bytes.length > 0) return bytes;
    }
  }
  return {
    pull: async () => (await some())?.slice() ?? null,
    async fill(target) {
      let filled = 0;
      while (filled < target.length) {
        const bytes = await some();
        if (bytes === null) break;
        const fitting = bytes.subarray(0, target.length - filled);
        target.set(fitting, filled);
        filled += fitting.length;
        if (fitting.length < bytes.length) rest = bytes.subarray(fitting.length);
      }
      return filled;
    },
  };
}

const FUNCTIONS = ["start", "begin", "inflatePart", "outputLength", "inputLength", "crc32"] as const;

/** Status of a successful part; other numbers are failure reasons. */
const OK = 0;
const MORE_INPUT = 10;
const MORE_ROOM = 11;

/** Maximum number of input bytes in memory, and the minimum number for starting a part before the end of the file. */
const INPUT = 2 ** 19;
const LEAST = 2 ** 17;

/** Size in bytes of a part of the output, and of the preceding window that matches may refer to. */
const PART = 2 ** 20;
const HISTORY = 2 ** 15;

/** Size in bytes of the CRC-32 and the length after a member. */
const TRAILER = 8;

/**
 * A decoder of one gzip file with any number of members. Its memory does not grow.
 *
 * ```ts
 * while (decoder.wants) decoder.feed(await nextPiece());   // null at the end of the file
 * const bytes = decoder.next();                            // null at the end, once the checksums are verified
 * ```
 */
class GunzipKernel {
  readonly #kernel: Kernel<(typeof FUNCTIONS)[number]>;
  readonly #bytes: Uint8Array;
  readonly #input: number;
  readonly #window: number;
  /** The remainder of a piece that does not fit into the input yet. */
  #left: Uint8Array | null = null;
  #isEnd = false;
  /** Position of the next input byte, end of the input, and number of file bytes before the input. */
  #at = 0;
  #end = 0;
  #before = 0;
  #state: "header" | "body" | "trailer" | "done" = "header";
  #members = 0;
  /** Number of window bytes that are output, their CRC, and the length of the member so far. */
  #filled = 0;
  #crc = 0;
  #length = 0;

  constructor(kernel: Kernel<(typeof FUNCTIONS)[number]>) {
    this.#kernel = kernel;
    this.#input = kernel.functions.start();
    this.#window = this.#input + INPUT + IN_SLACK;
    ensureMemory(kernel.memory, this.#window + HISTORY + PART + OUT_SLACK);
    this.#bytes = new Uint8Array(kernel.memory.buffer);
  }

  /** Whether `next` needs more of the file. */
  get wants(): boolean {
    return this.#state !== "done" && !this.#isEnd && this.#left === null && this.#isShort;
  }

  get #isShort(): boolean {
    return this.#end - this.#at < LEAST;
  }

  /**
   * Adds the next piece of the file, or null after the last piece. Must be called only when `wants` is true. The
   * piece's memory is read until `wants` is true again.
   */
  feed(piece: Uint8Array | null): void {
    this.#left = piece;
    this.#isEnd = piece === null;
  }

  /** Moves bytes of the piece into the input, after the remaining bytes. */
  #take(piece: Uint8Array): void {
    const { length } = this.#stored();
    this.#bytes.copyWithin(this.#input, this.#input + this.#at, this.#input + this.#end);
    this.#before += this.#at;
    this.#at = 0;
    const some = piece.subarray(0, INPUT - length);
    this.#bytes.set(some, this.#input + length);
    this.#end = length + some.length;
    this.#left = some.length < piece.length ? piece.subarray(some.length) : null;
  }

  /** Returns the input bytes that have not been decoded. */
  #stored(): Uint8Array {
    return this.#bytes.subarray(this.#input + this.#at, this.#input + this.#end);
  }

  /**
   * Returns the next bytes, which are valid until the next call. Returns an empty array if more input is needed, and
   * null at the end.
   * @throws {InvalidDataError} if the file is corrupt.
   */
  next(): Uint8Array | null {
    for (;;) {
      if (this.#left !== null && this.#isShort) this.#take(this.#left);
      if (this.wants) return this.#bytes.subarray(0, 0);
      switch (this.#state) {
        case "header":
          this.#open();
          break;
        case "body": {
          const bytes = this.#part();
          if (bytes.length > 0) return bytes;
          break;
        }
        case "trailer":
          this.#close();
          break;
        case "done":
          return null;
        default:
          return this.#state satisfies never;
      }
    }
  }

  #open(): void {
    const stored = this.#stored();
    // Zeros may pad the last member to the end of a disk block.
    if (this.#members > 0 && (stored.length === 0 || stored[0] === 0)) {
      this.#state = "done";
      return;
    }
    this.#at += getGzipBodyOffset(stored, 0, this.#before + this.#at);
    this.#kernel.functions.begin();
    this.#members++;
    this.#filled = 0;
    this.#crc = 0;
    this.#length = 0;
    this.#state = "body";
  }

  #part(): Uint8Array {
    const { inflatePart, outputLength, inputLength, crc32 } = this.#kernel.functions;
    const history = Math.min(this.#filled, HISTORY);
    const filled = this.#window + this.#filled;
    this.#bytes.copyWithin(this.#window, filled - history, filled);
    const output = this.#window + history;
    const [at, size, isEnd] = [this.#input + this.#at, this.#end - this.#at, this.#isEnd ? 1 : 0];
    const status = inflatePart(at, size, this.#window, output, PART, isEnd);
    if (status !== OK && status !== MORE_INPUT && status !== MORE_ROOM) {
      throw new InvalidDataError(`corrupt gzip stream: ${REASONS.get(status)}`);
    }
    this.#at += inputLength();
    const bytes = this.#bytes.subarray(output, output + outputLength());
    this.#filled = history + bytes.length;
    this.#crc = platform.crc32?.(bytes, this.#crc) ?? crc32(output, bytes.length, this.#crc) >>> 0;
    this.#length += bytes.length;
    if (status === OK) this.#state = "trailer";
    return bytes;
  }

  #close(): void {
    checkGzipTrailer(this.#stored(), 0, this.#length, this.#crc);
    this.#at += TRAILER;
    this.#state = "header";
  }
}

async function openGunzipKernel(): Promise<GunzipKernel> {
  const { WASM } = await import("../../wasm/inflate.wasm.js");
  return new GunzipKernel(await instantiateKernel(WASM, FUNCTIONS));
}
