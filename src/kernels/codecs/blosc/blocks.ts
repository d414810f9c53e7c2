/** Compressors for the blocks of Blosc frames. */

import { isWordSize } from "../../values/bytes-wasm.js";
import { once } from "../../values/once.js";
import { ensureMemory, instantiateKernel } from "../../wasm/instantiate.js";
import { shuffleInto } from "../shuffle/shuffle.js";
import { pickZstdKernel } from "../zstd/zstd-wasm.js";

/**
 * Splits a block of `valueSize`-byte values into byte planes (1: no planes), then into `streams` streams of equal
 * length, and compresses each stream. A stream that does not shrink is stored uncompressed. The streams are views,
 * valid until the next call.
 */
export type EncodeBlock = (block: Uint8Array, valueSize: number, streams: number) => Uint8Array[];

/**
 * @param blockSize maximum bytes of a block.
 * @throws {MissingDependencyError} if WebAssembly is unavailable.
 */
export async function createBlockEncoder(
  cname: "lz4" | "zstd",
  level: number,
  blockSize: number,
): Promise<EncodeBlock> {
  switch (cname) {
    case "lz4":
      return createLz4Encoder(blockSize);
    case "zstd": {
      const kernel = await pickZstdKernel(2 * blockSize);
      return streamByStream(blockSize, (bytes) => kernel.compress(bytes, level));
    }
    default:
      return cname satisfies never;
  }
}

function streamByStream(blockSize: number, compress: (bytes: Uint8Array) => Uint8Array): EncodeBlock {
  const scratch = new Uint8Array(blockSize);
  return (block, valueSize, streams) => {
    const planes = valueSize === 1 ? block : scratch.subarray(0, block.length);
    if (valueSize > 1) shuffleInto(block, planes, valueSize);
    const size = block.length / streams;
    return Array.from({ length: streams }, (_, i) => {
      const bytes = planes.subarray(i * size, (i + 1) * size);
      const compressed = compress(bytes);
      return compressed.length < size ? compressed : bytes;
    });
  };
}

/** Number of bytes that the kernel may read beyond its input and write beyond its output. */
const SLACK = 128;

const NAMES = ["base", "encode", "shuffle"] as const;

const loadKernel = once(async () => {
  const { WASM } = await import("../../wasm/lz4.wasm.js");
  return instantiateKernel(WASM, NAMES);
});

/** Returns the maximum size of an LZ4 block of `bytes` bytes. */
function getLz4Bound(bytes: number): number {
  return bytes + Math.floor(bytes / 255) + 16;
}

async function createLz4Encoder(blockSize: number): Promise<EncodeBlock> {
  const { memory, functions } = await loadKernel();
  const input = functions.base();
  const planes = aligned(input + blockSize + SLACK);
  const output = aligned(planes + blockSize + SLACK);
  ensureMemory(memory, output + getLz4Bound(blockSize) + 256 * 16 + SLACK);
  return (block, valueSize, streams) => {
    // Every block needs a new view, because the memory may grow if another output begins a frame in between.
    const bytes = new Uint8Array(memory.buffer);
    const from = valueSize === 1 ? input : planes;
    if (valueSize > 1 && !isWordSize(valueSize)) {
      shuffleInto(block, bytes.subarray(planes, planes + block.length), valueSize);
    } else bytes.set(block, input);
    if (isWordSize(valueSize)) {
      const count = Math.floor(block.length / valueSize);
      functions.shuffle(input, planes, count, valueSize);
      const whole = count * valueSize;
      bytes.copyWithin(planes + whole, input + whole, input + block.length);
    }
    const size = block.length / streams;
    let to = output;
    return Array.from({ length: streams }, (_, i) => {
      const at = from + i * size;
      const length = functions.encode(at, size, to);
      if (length >= size) return bytes.subarray(at, at + size);
      to += length;
      return bytes.subarray(to - length, to);
    });
  };
}

function aligned(address: number): number {
  return Math.ceil(address / 64) * 64;
}
