import fc from "fast-check";
import Zstd from "numcodecs/zstd";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { decodeZstd } from "../../../../src/kernels/codecs/zstd/zstd.js";
import { openZstdKernel } from "../../../../src/kernels/codecs/zstd/zstd-wasm.js";
import { replacePlatform } from "../../../platform.js";
import { STREAMS, type Stream, sha256, storedOf } from "./zstd-streams.js";

const kernel = await openZstdKernel();
const other = Zstd.fromConfig({ id: "zstd" });

beforeAll(() => replacePlatform({ zstd: null }));
afterAll(() => replacePlatform());

const decode = async (stored: Uint8Array, bytes: number, exact = true) => decodeZstd(stored, { bytes, exact });
const outcome = (stored: Uint8Array, bytes: number) => decode(stored, bytes).catch((error: unknown) => error);
const invalid = expect.objectContaining({ tag: "InvalidDataError" });

const readable = STREAMS.filter(({ refused }) => !refused);
const small = readable.filter(({ bytes }) => bytes < 2 ** 20);

describe("streams of the reference library", () => {
  test.each(readable)("$name", async (stream) => {
    const stored = storedOf(stream);
    expect(sha256(await decode(stored, stream.bytes))).toBe(stream.sha256);
    expect(sha256(await decode(stored, stream.bytes + 1000, false))).toBe(stream.sha256);
  });

  test.each(small)("$name, into memory of the right size", (stream) => {
    const around = new Uint8Array(stream.bytes + 32).fill(0xee);
    kernel.decompressInto(storedOf(stream), around.subarray(16, 16 + stream.bytes));
    expect(sha256(around.subarray(16, 16 + stream.bytes))).toBe(stream.sha256);
    expect([...around.subarray(0, 16), ...around.subarray(16 + stream.bytes)].every((byte) => byte === 0xee)).toBe(
      true,
    );
  });

  test.each(small)("$name, into memory of another size, which stays as it was", (stream) => {
    for (const size of [0, stream.bytes - 1, stream.bytes + 1]) {
      if (size < 0 || size === stream.bytes) continue;
      const target = new Uint8Array(size).fill(0xee);
      expect(() => kernel.decompressInto(storedOf(stream), target)).toThrow(invalid);
      expect(target.every((byte) => byte === 0xee)).toBe(true);
    }
  });

  test.each(STREAMS.filter(({ refused }) => refused))("$name is refused", async (stream) => {
    await expect(decode(storedOf(stream), stream.bytes)).rejects.toThrow("it needs a dictionary");
  });
});

describe("damaged streams", () => {
  test.each(small)("$name, cut off", async (stream) => {
    const stored = storedOf(stream);
    const step = Math.max(1, Math.floor(stored.length / 40));
    for (let end = 0; end < stored.length; end += end < 30 ? 1 : step) {
      const result = await outcome(stored.subarray(0, end), stream.bytes);
      // A cut may take away nothing but what is to be skipped.
      if (result instanceof Uint8Array) expect(sha256(result)).toBe(stream.sha256);
      else expect(result).toEqual(invalid);
    }
  });

  test.each(small)("$name, a bit flipped", async (stream) => {
    const stored = storedOf(stream);
    const step = Math.max(1, Math.floor(stored.length / 60));
    for (let at = 0; at < stored.length; at += at < 20 ? 1 : step) {
      const damaged = stored.slice();
      damaged[at] ^= 1 << ((at * 5) % 8);
      const result = await outcome(damaged, stream.bytes);
      if (!(result instanceof Uint8Array)) expect(result).toEqual(invalid);
      else if (stream.checksums) expect(sha256(result)).toBe(stream.sha256);
      else expect(result).toHaveLength(stream.bytes);
    }
    // What went wrong before leaves nothing behind.
    expect(sha256(kernel.decompress(stored, stream.bytes))).toBe(stream.sha256);
  });

  test("bytes of any kind behind the kernel's own checks", () => {
    const streams = small.map(storedOf).filter(({ length }) => length > 0);
    const damage = fc.record({
      stream: fc.constantFrom(...streams),
      at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      removed: fc.nat(20),
      inserted: fc.uint8Array({ maxLength: 20 }),
      room: fc.nat(100_000),
    });
    fc.assert(
      fc.property(damage, ({ stream, at, removed, inserted, room }) => {
        const start = Math.floor(at * stream.length);
        const bytes = [...stream.subarray(0, start), ...inserted, ...stream.subarray(start + removed)];
        try {
          expect(kernel.decompress(Uint8Array.from(bytes), room).length).toBeLessThanOrEqual(room);
        } catch (error) {
          expect(error).toEqual(invalid);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("streams that give more than they should", () => {
  test.each(STREAMS.filter(({ name }) => name.startsWith("bomb")))("$name", async (stream) => {
    const stored = storedOf(stream);
    const before = process.memoryUsage().arrayBuffers;
    await expect(decode(stored, 1000)).rejects.toThrow(invalid);
    await expect(decode(stored, 1000, false)).rejects.toThrow(invalid);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 24);
    expect(() => kernel.decompress(stored, 1000)).toThrow("gives more bytes than it may");
  });

  test("a size beyond what the module can hold", () => {
    const unsupported = expect.objectContaining({ tag: "UnsupportedError" });
    expect(() => kernel.decompress(storedOf(STREAMS[0]), 2 ** 32)).toThrow(unsupported);
  });
});

describe("compression", () => {
  test.each(STREAMS.filter(({ reference }) => reference))("$name: the reference library's bytes", (stream: Stream) => {
    const stored = storedOf(stream);
    const plain = kernel.decompress(stored, stream.bytes);
    expect(Buffer.compare(kernel.compress(plain), stored)).toBe(0);
  });

  test("another decoder gives the bytes back", async () => {
    const runs = fc.array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 3000 })));
    await fc.assert(
      fc.asyncProperty(runs, async (runs) => {
        const plain = Buffer.concat(runs.map(([bytes, count]) => Buffer.alloc(bytes.length * count, bytes)));
        const compressed = kernel.compress(plain);
        expect(Buffer.compare(await other.decode(compressed), plain)).toBe(0);
        expect(Buffer.compare(await decode(compressed, plain.length), plain)).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  test.each([2 ** 17 - 1, 2 ** 17, 2 ** 17 + 1, 2 ** 19, 5_000_011])(
    "%d bytes in bits of all widths",
    async (length) => {
      const plain = new Uint8Array(length).map(
        (_, i) => (Math.imul(i, 0x9e3779b1) >>> 16) & ((1 << ((i >> 14) % 9)) - 1),
      );
      const compressed = kernel.compress(plain);
      expect(Buffer.compare(await other.decode(compressed), plain)).toBe(0);
      expect(Buffer.compare(await decode(compressed, length), plain)).toBe(0);
    },
  );

  test.each([0, 1, 3, 4, 7, 8, 31, 32, 33, 63, 64, 100, 65_535, 65_536, 65_537, 200_003])(
    "the checksum of %d bytes is the one that the library finds",
    async (length) => {
      const plain = new Uint8Array(length).map((_, i) => Math.imul(i, 0x9e3779b1) >>> 24);
      const frame = kernel.compress(plain, 3, true);
      expect(frame.length).toBe(kernel.compress(plain, 3).length + 4);
      expect(Buffer.compare(await other.decode(frame), plain)).toBe(0);
      expect(Buffer.compare(await decode(frame, length), plain)).toBe(0);
      frame[frame.length - 1] ^= 1;
      expect(() => kernel.decompress(frame, length)).toThrow("its checksum does not match");
    },
  );

  test("kernels that are opened one by one do not share their memory", async () => {
    const [one, two] = [await openZstdKernel(), await openZstdKernel()];
    const plain = new Uint8Array(100_000).map((_, i) => i >> 3);
    const frames = [one.compress(plain), two.compress(plain), kernel.compress(plain)];
    for (const frame of frames) expect(Buffer.compare(one.decompress(frame, plain.length), plain)).toBe(0);
  });

  test("the result is a copy, and what is given stays as it is", () => {
    const plain = new Uint8Array(3000).fill(7);
    const first = kernel.compress(plain);
    const copy = first.slice();
    kernel.compress(plain.map((_, i) => i));
    expect(first).toEqual(copy);
    expect(plain.every((byte) => byte === 7)).toBe(true);
  });
});

describe("without WebAssembly", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  test("an error says what helps", async () => {
    vi.stubGlobal("WebAssembly", undefined);
    vi.resetModules();
    (await import("../../../platform.js")).replacePlatform({ zstd: null });
    const { decodeZstd } = await import("../../../../src/kernels/codecs/zstd/zstd.js");
    const { loadCompressor } = await import("../../../../src/kernels/codecs/compress.js");
    const stored = kernel.compress(new Uint8Array(10));
    const refused = expect.objectContaining({
      tag: "MissingDependencyError",
      problem: expect.stringContaining("'wasm-unsafe-eval'"),
    });
    await expect(async () => decodeZstd(stored, { bytes: 10, exact: true })).rejects.toThrow(refused);
    await expect(loadCompressor("zstd")).rejects.toThrow(refused);
  });
});
