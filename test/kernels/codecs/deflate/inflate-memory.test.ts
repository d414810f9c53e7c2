import { deflateRawSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { computeAdler32, computeCrc32 } from "../../../../src/kernels/checksums/checksums.js";
import { WASM } from "../../../../src/kernels/wasm/inflate.wasm.js";
import { instantiateKernel, type Kernel } from "../../../../src/kernels/wasm/instantiate.js";

const FUNCTIONS = ["start", "inflate", "outputLength", "inputLength", "adler32", "crc32"] as const;
let kernel: Kernel<(typeof FUNCTIONS)[number]>;
beforeAll(async () => {
  kernel = await instantiateKernel(WASM, FUNCTIONS);
  kernel.memory.grow(16);
});

test("nothing is written beyond the output and its slack, before it, or into the input", () => {
  const { start, inflate, outputLength } = kernel.functions;
  const memory = new Uint8Array(kernel.memory.buffer);
  const bytes = Uint8Array.from({ length: 30_000 }, (_, i) => (i * i) >> (i % 13));
  let state = 1;
  const next = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
  const canary = new Uint8Array(4096).fill(0xa5);
  const IN = start() + 1000;
  for (let k = 0; k < 600; k++) {
    const stream = new Uint8Array(deflateRawSync(bytes.subarray(0, 1 + next(30_000)), { level: k % 10 }));
    for (let n = k % 4; n > 0; n--) stream[next(Math.min(stream.length, 4000))] = next(256);
    const room = k % 3 === 0 ? next(300) : next(40_000);
    const output = IN + stream.length + 64 + 512;
    const outer = memory.subarray(start(), output + room + 4096);
    outer.fill(0xa5);
    memory.set(stream, IN);
    inflate(IN, stream.length, output, room);
    expect(outputLength()).toBeLessThanOrEqual(room);
    expect(Buffer.compare(memory.subarray(IN, IN + stream.length), stream)).toBe(0);
    const untouched = [
      memory.subarray(start(), IN),
      memory.subarray(IN + stream.length + 64, output),
      memory.subarray(output + room + 320, output + room + 4096),
    ];
    for (const part of untouched) expect(Buffer.compare(part, canary.subarray(0, part.length))).toBe(0);
  }
});

describe("checksums are those of the slow twins", () => {
  test.each([0, 1, 7, 8, 15, 16, 17, 5551, 5552, 5553, 5568, 11_104, 100_003])("%i bytes", (size) => {
    const memory = new Uint8Array(kernel.memory.buffer);
    const start = kernel.functions.start();
    for (const make of [() => 255, () => 0, (_: unknown, i: number) => (i * 7919) >> 3]) {
      const bytes = Uint8Array.from({ length: size }, make);
      memory.set(bytes, start);
      expect(kernel.functions.adler32(start, size) >>> 0).toBe(computeAdler32(bytes));
      expect(kernel.functions.crc32(start, size) >>> 0).toBe(computeCrc32(bytes));
    }
  });
});
