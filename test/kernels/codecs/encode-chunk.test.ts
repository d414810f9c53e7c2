import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { computeFletcher32, crc32c } from "../../../src/kernels/checksums/checksums.js";
import { decodeBlosc } from "../../../src/kernels/codecs/blosc/blosc.js";
import { inflate } from "../../../src/kernels/codecs/deflate/inflate.js";
import type { ChunkEncoding, EncodingStep } from "../../../src/kernels/codecs/encode-chunk.js";
import { encodeChunk } from "../../../src/kernels/codecs/encode-chunk.js";
import { unshuffle } from "../../../src/kernels/codecs/shuffle/shuffle.js";
import { decodeZstd } from "../../../src/kernels/codecs/zstd/zstd.js";

/** Undoes one step by the decoders of the reading side; `size` is what must come out. */
async function undo(bytes: Uint8Array, step: EncodingStep, size: number): Promise<Uint8Array> {
  const exactly = { bytes: size, exact: true };
  switch (step.kind) {
    case "shuffle":
      return unshuffle(bytes, step.elementBytes);
    case "deflate":
      return inflate(bytes, step.form, exactly);
    case "gzip-part":
      throw new TypeError("a part is no stream of its own");
    case "zstd":
      return decodeZstd(bytes, exactly);
    case "blosc":
      return decodeBlosc(bytes, exactly);
    case "fletcher32":
    case "crc32c": {
      const data = bytes.subarray(0, size);
      const sum = step.kind === "crc32c" ? crc32c(data) : computeFletcher32(data);
      expect(new DataView(bytes.buffer, bytes.byteOffset).getUint32(size, true)).toBe(sum);
      return data;
    }
    default:
      return step satisfies never;
  }
}

async function decoded(bytes: Uint8Array, encoding: ChunkEncoding, size: number): Promise<Uint8Array> {
  // What goes in and out of every step; all but the compressors say it.
  const added = encoding.map(({ kind }) => (kind === "fletcher32" || kind === "crc32c" ? 4 : 0));
  const sizes = encoding.map((_, i) => size + added.slice(0, i).reduce<number>((sum, bytes) => sum + bytes, 0));
  const compressor = encoding.findIndex(({ kind }) => ["deflate", "zstd", "blosc"].includes(kind));
  let result = bytes;
  for (let i = encoding.length - 1; i >= 0; i--) {
    const before = compressor >= 0 && i > compressor ? result.length - added[i] : sizes[i];
    result = await undo(result, encoding[i], before);
  }
  return result;
}

const elementBytes = fc.constantFrom(1, 2, 3, 4, 8, 16, 40, 300);
const shuffles = fc.record({ kind: fc.constant("shuffle" as const), elementBytes });
const compressors: fc.Arbitrary<EncodingStep> = fc.oneof(
  fc.record({
    kind: fc.constant("deflate" as const),
    level: fc.integer({ min: 0, max: 9 }),
    form: fc.constantFrom("zlib" as const, "gzip" as const),
  }),
  fc.record({ kind: fc.constant("zstd" as const), level: fc.integer({ min: -7, max: 22 }), checksum: fc.boolean() }),
  fc.record({
    kind: fc.constant("blosc" as const),
    cname: fc.constantFrom("lz4" as const, "zstd" as const),
    clevel: fc.integer({ min: 0, max: 9 }),
    shuffle: fc.constantFrom("none" as const, "byte" as const),
    elementBytes,
  }),
);
const checksums: fc.Arbitrary<EncodingStep> = fc.constantFrom({ kind: "fletcher32" }, { kind: "crc32c" });
const encodings = fc
  .tuple(...[shuffles, compressors, checksums].map((step) => fc.option<EncodingStep>(step)))
  .map((steps) => steps.filter((step) => step !== null));

/** Sorted 32-bit numbers, as indices are, from a seed. */
function numbers(length: number, seed: number): Uint8Array<ArrayBuffer> {
  let state = seed;
  let value = 0;
  const values = Uint32Array.from({ length: Math.ceil(length / 4) }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    value = (value + (state >>> 28)) % 20_000;
    return value;
  });
  return new Uint8Array(values.buffer.slice(0, length));
}

describe("the decoders give the chunk back", () => {
  test("of few bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300, max: 20 }), encodings, async (bytes, encoding) => {
        const chunk = new Uint8Array(bytes);
        expect(await decoded(await encodeChunk(chunk, encoding), encoding, chunk.length)).toEqual(bytes);
        expect(chunk).toEqual(bytes);
      }),
      { numRuns: 1000 },
    );
  });

  test("of many", async () => {
    const lengths = fc.oneof(fc.integer({ min: 0, max: 700_000 }), fc.constantFrom(2 ** 18, 2 ** 18 + 4, 2 ** 19 - 1));
    await fc.assert(
      fc.asyncProperty(lengths, fc.nat(), encodings, async (length, seed, encoding) => {
        const chunk = numbers(length, seed);
        const found = await decoded(await encodeChunk(chunk, encoding), encoding, length);
        expect(Buffer.compare(found, chunk)).toBe(0);
      }),
      { numRuns: 50 },
    );
  });
});

test("no steps change nothing", async () => {
  const chunk = numbers(100, 1);
  expect(await encodeChunk(chunk, [])).toBe(chunk);
});

describe("blosc", () => {
  const options = { kind: "blosc", cname: "lz4", clevel: 5, shuffle: "byte", elementBytes: 4 } as const;
  const headerOf = (frame: Uint8Array) => {
    const view = new DataView(frame.buffer, frame.byteOffset);
    return { head: [...frame.subarray(0, 4)], words: [4, 8, 12].map((at) => view.getUint32(at, true)) };
  };

  // README_CHUNK_FORMAT.rst: version, version of the compressor's format, flags, size of a value; bytes, block, frame.
  test("a frame of LZ4: shuffled, split into planes", async () => {
    const frame = await encodeChunk(numbers(300_002, 1), [options]);
    expect(headerOf(frame)).toEqual({ head: [2, 1, 0x21, 4], words: [300_002, 2 ** 18, frame.length] });
  });

  test("a frame of zstd: not split", async () => {
    const frame = await encodeChunk(numbers(1001, 1), [{ ...options, cname: "zstd" }]);
    expect(headerOf(frame)).toEqual({ head: [2, 1, 0x91, 4], words: [1001, 1000, frame.length] });
  });

  test("bytes that do not shrink are stored", async () => {
    let state = 1;
    const noise = Uint8Array.from({ length: 5000 }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state >>> 24;
    });
    for (const cname of ["lz4", "zstd"] as const) {
      const frame = await encodeChunk(noise, [{ ...options, cname }]);
      expect(frame.length).toBe(16 + noise.length);
      expect(frame[2] & 2).toBe(2);
      expect(Buffer.compare(frame.subarray(16), noise)).toBe(0);
    }
  });

  test("nothing is a frame of its header", async () => {
    const frame = await encodeChunk(new Uint8Array(0), [options]);
    expect(headerOf(frame)).toEqual({ head: [2, 1, 0x33, 4], words: [0, 0, 16] });
  });
});

test("a frame of zstd says how many bytes it gives, and has a checksum where that is asked for", async () => {
  const chunk = numbers(100_000, 3);
  const [plain, checked] = await Promise.all(
    [false, true].map((checksum) => encodeChunk(chunk, [{ kind: "zstd", level: 3, checksum }])),
  );
  expect(checked.length).toBe(plain.length + 4);
  // RFC 8878, 3.1.1.1.1: the checksum is bit 2 of the descriptor, a content size of four bytes 2 in its upper two bits.
  expect([plain[4] & 4, checked[4] & 4]).toEqual([0, 4]);
  expect(plain[4] >> 6).toBe(2);
});

test("Blosc frames may be encoded at once, of which a later one needs more memory", async () => {
  // A kernel whose memory has not grown yet.
  vi.resetModules();
  const { encodeBlosc } = await import("../../../src/kernels/codecs/blosc/encoder.js");
  const chunks = [1 << 10, 1 << 20].map((bytes) => Uint8Array.from({ length: bytes }, (_, i) => i % 7));
  const options = { cname: "lz4", clevel: 5, shuffle: "byte", elementBytes: 4 } as const;
  const frames = await Promise.all(chunks.map((bytes) => encodeBlosc(bytes, options)));
  for (const [i, bytes] of chunks.entries()) {
    const back = await decodeBlosc(frames[i], { bytes: bytes.length, exact: true });
    expect(Buffer.compare(back, bytes)).toBe(0);
  }
});
