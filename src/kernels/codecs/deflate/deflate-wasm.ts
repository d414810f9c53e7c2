/** zlib and gzip streams by the WebAssembly module of assembly/deflate.c, which is libdeflate. */

import { UnsupportedError } from "../../../model/errors.js";
import { once } from "../../values/once.js";
import { ownBytes } from "../../values/own-bytes.js";
import { ensureMemory, instantiateKernel, type Kernel } from "../../wasm/instantiate.js";

const FUNCTIONS = ["start", "setLevel", "bound", "zlib", "gzip"] as const;

/** The most that a module with 32-bit addresses can hold, less what no sum of an address and a length may reach. */
const MAX_MEMORY = 2 ** 32 - 2 ** 21;

/** One memory with a compressor. It works on one input at a time, and its memory stays as large as the largest needed. */
export class DeflateKernel {
  readonly #kernel: Kernel<(typeof FUNCTIONS)[number]>;
  readonly #start: number;
  #bytes: Uint8Array;
  #level = -1;

  constructor(kernel: Kernel<(typeof FUNCTIONS)[number]>) {
    this.#kernel = kernel;
    this.#start = kernel.functions.start();
    this.#bytes = new Uint8Array(kernel.memory.buffer);
  }

  /**
   * One stream.
   * @param level 0 to 9: about the bytes that zlib needs at that level, in less time.
   * @throws {UnsupportedError} where there is no memory for so many bytes.
   * @throws {TypeError} for another level.
   */
  compress(bytes: Uint8Array, form: "zlib" | "gzip", level: number): Uint8Array<ArrayBuffer> {
    const { functions, memory } = this.#kernel;
    if (!Number.isInteger(level) || level < 0 || level > 9) throw new TypeError(`deflate has no level ${level}`);
    if (bytes.length > MAX_MEMORY / 2) throw tooLarge(bytes);
    if (level !== this.#level) functions.setLevel(level);
    this.#level = level;
    const to = Math.ceil((this.#start + bytes.length) / 64) * 64;
    const room = functions.bound(bytes.length) >>> 0;
    if (to + room > MAX_MEMORY) throw tooLarge(bytes);
    try {
      ensureMemory(memory, to + room);
    } catch (cause) {
      // The platform has no more.
      if (cause instanceof RangeError) throw tooLarge(bytes, cause);
      throw cause;
    }
    if (this.#bytes.buffer !== memory.buffer) this.#bytes = new Uint8Array(memory.buffer);
    this.#bytes.set(bytes, this.#start);
    const length = functions[form](to, room, this.#start, bytes.length);
    if (length === 0) throw new TypeError(`${bytes.length} bytes deflated need more than ${room}`);
    return ownBytes(this.#bytes.subarray(to, to + length));
  }
}

function tooLarge(bytes: Uint8Array, cause?: RangeError): UnsupportedError {
  return new UnsupportedError(`deflate finds no memory for ${bytes.length} bytes`, { cause });
}

/** A memory never shrinks: inputs that are larger get one of their own, dropped with them. */
const KEPT_BYTES = 32 * 2 ** 20;

/** Its calls are synchronous, so that none finds another's bytes. */
const sharedKernel = once(openDeflateKernel);

/** The kernel for an input of so many bytes: the shared one unless they are many. Null where there is no WebAssembly with SIMD. */
export function deflateKernelFor(bytes: number): Promise<DeflateKernel | null> {
  return bytes > KEPT_BYTES ? openDeflateKernel() : sharedKernel();
}

async function openDeflateKernel(): Promise<DeflateKernel | null> {
  const { WASM } = await import("../../wasm/deflate.wasm.js");
  const kernel = await instantiateKernel(WASM, FUNCTIONS);
  return kernel && new DeflateKernel(kernel);
}
