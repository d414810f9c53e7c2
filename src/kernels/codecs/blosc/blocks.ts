/** Compressors for the blocks of Blosc frames. */

import { once } from "../../values/once.js";
import { ensureMemory, instantiateKernel } from "../../wasm/instantiate.js";
import { encodeLz4Block, getLz4Bound } from "../lz4/encoder.js";
import { shuffleInto } from "../shuffle/shuffle.js";
import { pickZstdKernel } from "../zstd/zstd-wasm.js";

/**
 * Splits a block into byte planes of its values of `valueSize` bytes (1: no planes), then into `streams` streams of
 * equal length, and compresses each stream. A stream that does not shrink is stored uncompressed. The streams are
 * views, valid until the next call.
 */
export type EncodeBlock = (block: Uint8Array, valueSize: number, streams: number) => Uint8Array[];

/**
 * @param blockSize maximum bytes of a block.
 * @throws {UnsupportedError} if zstd cannot run here.
 */
export async function createBlockEncoder(
  cname: "lz4" | "zstd",
  level: number,
  blockSize: number,
  valueSize: number,
): Promise<EncodeBlock> {
  switch (cname) {
    case "lz4":
      return (
        ((valueSize === 1 || isWordSize(valueSize)) && (await lz4Kernel(blockSize))) || createFallbackLz4(blockSize)
      );
    case "zstd": {
      const kernel = await pickZstdKernel(2 * blockSize);
      return streamByStream(blockSize, (bytes) => kernel.compress(bytes, level));
    }
    default:
      return cname satisfies never;
  }
}

/** LZ4 without WebAssembly. The output is identical but takes four times as long. */
export function createFallbackLz4(blockSize: number): EncodeBlock {
  const out = new Uint8Array(getLz4Bound(blockSize));
  return streamByStream(blockSize, (bytes) => out.slice(0, encodeLz4Block(bytes, out)));
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
/** Maximum size of a block in bytes. Larger blocks use JavaScript, since a WebAssembly memory never shrinks. */
const MAX_BYTES = 2 ** 24;

const NAMES = ["base", "encode", "shuffle"] as const;

const loadKernel = once(async () => {
  const { WASM } = await import("../../wasm/lz4.wasm.js");
  return instantiateKernel(WASM, NAMES);
});

/** Returns null without WebAssembly SIMD. */
async function lz4Kernel(blockSize: number): Promise<EncodeBlock | null> {
  if (blockSize > MAX_BYTES) return null;
  const kernel = await loadKernel();
  if (kernel === null) return null;
  const { memory, functions } = kernel;
  const input = functions.base();
  const planes = aligned(input + blockSize + SLACK);
  const output = aligned(planes + blockSize + SLACK);
  ensureMemory(memory, output + getLz4Bound(blockSize) + 256 * 16 + SLACK);
  return (block, valueSize, streams) => {
    // A new view for every block, because a frame that another output begins in between may grow the memory.
    const bytes = new Uint8Array(memory.buffer);
    bytes.set(block, input);
    let from = input;
    if (valueSize > 1) {
      const count = Math.floor(block.length / valueSize);
      functions.shuffle(input, planes, count, valueSize);
      const whole = count * valueSize;
      bytes.copyWithin(planes + whole, input + whole, input + block.length);
      from = planes;
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

function isWordSize(valueSize: number): boolean {
  return valueSize === 2 || valueSize === 4 || valueSize === 8;
}
