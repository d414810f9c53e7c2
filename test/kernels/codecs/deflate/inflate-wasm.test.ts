import { constants, deflateRawSync, deflateSync, inflateRawSync, inflateSync, type ZlibOptions } from "node:zlib";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { type InflateKernel, openInflateKernel } from "../../../../src/kernels/codecs/deflate/inflate.js";
import { InvalidDataError } from "../../../../src/model/errors.js";
import { draws } from "../../../draws.js";
import { BitWriter } from "../../bit-writer.js";

let kernel: InflateKernel;
beforeAll(async () => {
  kernel = await openInflateKernel();
});

/** Decompresses a zlib stream to `target`, which it must fill exactly. */
function inflateInto(stream: Uint8Array, target: Uint8Array): void {
  kernel.inflate(stream, "zlib", { bytes: target.length, exact: true }, target);
}

/** Numbers that are the same in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const KINDS: Readonly<Record<string, (size: number) => Uint8Array>> = {
  zeros: (size) => new Uint8Array(size),
  noise: (size) => Uint8Array.from({ length: size }, bytesOf(random(size + 1), 256)),
  "few values": (size) => Uint8Array.from({ length: size }, bytesOf(random(size + 2), 4)),
  "rare values": (size) => Uint8Array.from({ length: size }, skewed(random(size + 3))),
  indices: (size) => new Uint8Array(Uint32Array.from({ length: (size + 3) >> 2 }, ascending(size)).buffer, 0, size),
  floats: (size) => new Uint8Array(Float32Array.from({ length: (size + 3) >> 2 }, random(size)).buffer, 0, size),
  "far repeats": (size) => Uint8Array.from({ length: size }, repeating(random(size + 4), 32768)),
};

function bytesOf(next: () => number, below: number): () => number {
  return () => next() * below;
}

/** Code lengths up to 15 bits: values that are ever rarer. */
function skewed(next: () => number): () => number {
  return () => Math.min(255, -Math.log2(next() + 1e-9) * 12);
}

function ascending(seed: number): () => number {
  const next = random(seed);
  let value = 0;
  return () => {
    value = next() < 0.002 ? 0 : value + Math.ceil(next() * 40);
    return value;
  };
}

function repeating(next: () => number, period: number): (_: unknown, i: number) => number {
  const first = Uint8Array.from({ length: period }, bytesOf(next, 256));
  return (_, i) => first[i % period];
}

const SIZES = [0, 1, 2, 3, 15, 16, 17, 255, 300, 4095, 32767, 32768, 32769, 65535, 65536, 100_001, 200_000];

describe.each(Object.keys(KINDS))("%s", (kind) => {
  test.each(SIZES)("%i bytes of every level and strategy", (size) => {
    const bytes = KINDS[kind](size);
    const target = new Uint8Array(size);
    const options: ZlibOptions[] = [
      ...[0, 1, 2, 4, 6, 9].map((level) => ({ level })),
      ...[constants.Z_HUFFMAN_ONLY, constants.Z_RLE, constants.Z_FIXED, constants.Z_FILTERED].map((strategy) => ({
        strategy,
      })),
      { memLevel: 1 },
      { windowBits: 9, memLevel: 9 },
    ];
    for (const option of options) {
      target.fill(0x5a);
      inflateInto(deflateSync(bytes, option), target);
      expect(Buffer.compare(target, bytes)).toBe(0);
      const raw = kernel.inflate(deflateRawSync(bytes, option), "raw", { bytes: size + 10, exact: false });
      expect(Buffer.compare(raw, bytes)).toBe(0);
    }
  });
});

test("blocks of all types in one stream, and streams flushed between", () => {
  const next = random(7);
  const bytes = Uint8Array.from({ length: 50_000 }, bytesOf(next, 30));
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += 5000) {
    const part = deflateRawSync(bytes.subarray(at, at + 5000), {
      finishFlush: constants.Z_FULL_FLUSH,
      level: at % 3 === 0 ? 0 : 6,
      strategy: at % 10_000 === 0 ? constants.Z_FIXED : constants.Z_DEFAULT_STRATEGY,
    });
    parts.push(part);
  }
  const stream = Buffer.concat([...parts, deflateRawSync(new Uint8Array(0))]);
  expect(Buffer.compare(kernel.inflate(stream, "raw", { bytes: bytes.length, exact: true }), bytes)).toBe(0);
});

test("every distance up to 40 with every length", () => {
  const prefix = Uint8Array.from({ length: 40 }, (_, i) => i + 1);
  for (let distance = 1; distance <= 40; distance++) {
    const writer = new BitWriter().bits(1, 1).bits(1, 2);
    for (const byte of prefix) writer.fixed(byte);
    const expected = [...prefix];
    for (let length = 3; length <= 258; length++) {
      writeLength(writer, length);
      writeDistance(writer, distance);
      for (let k = 0; k < length; k++) expected.push(expected[expected.length - distance]);
    }
    const stream = writer.fixed(256).bytes();
    const decoded = kernel.inflate(stream, "raw", { bytes: expected.length, exact: true });
    expect(Buffer.compare(decoded, Uint8Array.from(expected))).toBe(0);
  }
});

const LENGTH_BASES = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131];
LENGTH_BASES.push(163, 195, 227, 258);
const DISTANCE_BASES = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537];
DISTANCE_BASES.push(2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577);

function writeLength(writer: BitWriter, length: number): void {
  const code = LENGTH_BASES.findLastIndex((base) => base <= length);
  writer.fixed(257 + code).bits(length - LENGTH_BASES[code], code < 8 || code === 28 ? 0 : (code >> 2) - 1);
}

function writeDistance(writer: BitWriter, distance: number): void {
  const code = DISTANCE_BASES.findLastIndex((base) => base <= distance);
  writer.code(code, 5).bits(distance - DISTANCE_BASES[code], code < 4 ? 0 : (code >> 1) - 1);
}

/** What node:zlib and the kernel make of a stream: its bytes, or that it is an error. */
function expectSameVerdict(stream: Uint8Array, format: "raw" | "zlib", most = 1 << 20): void {
  const decode = format === "raw" ? inflateRawSync : inflateSync;
  let expected: Uint8Array | null = null;
  try {
    expected = decode(stream, { maxOutputLength: most });
  } catch {}
  if (expected === null) {
    expect(() => kernel.inflate(stream, format, { bytes: most, exact: false })).toThrow(InvalidDataError);
    return;
  }
  const found = kernel.inflate(stream, format, { bytes: most, exact: false });
  expect(Buffer.compare(found, expected)).toBe(0);
}

/** As many codes as there are lengths: one of n bits for each n. */
function zerosBut(count: number, lengths: Readonly<Record<number, number>>): number[] {
  return Array.from({ length: count }, (_, symbol) => lengths[symbol] ?? 0);
}

describe("codes", () => {
  const whole = zerosBut(257, { 65: 1, 256: 1 });
  test.each([
    ["whole", whole, [1, 1]],
    ["only the end of the block", zerosBut(257, { 256: 1 }), [1]],
    ["no end of the block", zerosBut(257, { 65: 1, 66: 1 }), [1]],
    ["too many", zerosBut(257, { 65: 1, 66: 1, 256: 1 }), [1]],
    ["too few", zerosBut(257, { 65: 2, 256: 1 }), [1]],
    ["one of two bits", zerosBut(257, { 256: 2 }), [1]],
    ["no distances", zerosBut(258, { 65: 1, 256: 2, 257: 2 }), [0]],
    ["one distance", zerosBut(258, { 65: 1, 256: 2, 257: 2 }), [1]],
    ["one distance of two bits", zerosBut(258, { 65: 1, 256: 2, 257: 2 }), [2]],
    ["too few distances", zerosBut(258, { 65: 1, 256: 2, 257: 2 }), [2, 2, 2]],
    ["too many distances", zerosBut(258, { 65: 1, 256: 2, 257: 2 }), [1, 1, 1]],
    [
      "15 bits",
      zerosBut(
        270,
        Object.fromEntries(
          [...Array(14).keys()]
            .map((k) => [256 + k - 4, k + 1])
            .concat([
              [1, 15],
              [2, 15],
            ]),
        ),
      ),
      [1, 1],
    ],
    ["287 literals and lengths", zerosBut(287, { 65: 1, 256: 1 }), [1, 1]],
    ["31 distances", whole, zerosBut(31, { 0: 1, 1: 1 })],
    ["30 distances of five bits and less", whole, Array.from({ length: 30 }, (_, k) => (k < 2 ? 4 : 5))],
  ])("%s: as zlib", (_, litlen, distance) => {
    const next = random(11);
    for (let k = 0; k < 300; k++) {
      const writer = new BitWriter().dynamic(litlen, distance);
      // A code of one bit, the end of the block or not, then what comes.
      for (let bit = 0; bit < 5 + next() * 100; bit++) writer.bits(next() * 2, 1);
      expectSameVerdict(writer.bits(0, 24).bytes(), "raw", 100_000);
      expectSameVerdict(writer.bits(0xffffff, 24).bits(0xffffff, 24).bytes(), "raw", 100_000);
    }
  });

  test.each([286, 287])("length symbol %i stands for nothing", (symbol) => {
    const stream = new BitWriter().bits(1, 1).bits(1, 2).fixed(65).fixed(symbol).code(0, 5).fixed(256).bytes();
    expectSameVerdict(stream, "raw");
    expect(() => kernel.inflate(stream, "raw", { bytes: 9, exact: false })).toThrow("stands for nothing");
  });

  test.each([30, 31])("distance symbol %i stands for nothing", (symbol) => {
    const stream = new BitWriter().bits(1, 1).bits(1, 2).fixed(65).fixed(257).code(symbol, 5).bits(0, 13).fixed(256);
    expectSameVerdict(stream.bytes(), "raw");
    expect(() => kernel.inflate(stream.bytes(), "raw", { bytes: 9, exact: false })).toThrow("stands for nothing");
  });

  test("a distance before the first byte", () => {
    for (const distance of [2, 15, 16, 17, 32768]) {
      const writer = new BitWriter().bits(1, 1).bits(1, 2).fixed(65).fixed(257);
      writeDistance(writer, distance);
      const stream = writer.fixed(256).bytes();
      expectSameVerdict(stream, "raw");
      expect(() => kernel.inflate(stream, "raw", { bytes: 9, exact: false })).toThrow("before the first byte");
    }
  });

  test("a block of type 3, and a stored block with the wrong complement", () => {
    expect(() => kernel.inflate(Uint8Array.of(7), "raw", { bytes: 9, exact: false })).toThrow("unknown type");
    const stored = Uint8Array.of(1, 1, 0, 0xff, 0xff, 65);
    expect(() => kernel.inflate(stored, "raw", { bytes: 9, exact: false })).toThrow("complement");
  });
});

const SMALL = [
  ...Object.values(KINDS).map((make) => make(700)),
  KINDS.indices(6000),
  KINDS["rare values"](6000),
  new Uint8Array(100_000),
];

describe("broken streams", () => {
  test("cut anywhere", () => {
    for (const bytes of SMALL) {
      for (const level of [0, 1, 6]) {
        const stream = deflateSync(bytes, { level });
        for (let end = 0; end < stream.length; end += end < 200 ? 1 : 37) {
          expect(() => inflateInto(stream.subarray(0, end), new Uint8Array(bytes.length))).toThrow(InvalidDataError);
        }
      }
    }
  });

  test("one bit changed", { timeout: 60_000 }, () => {
    for (const bytes of SMALL) {
      for (const level of [0, 6]) {
        const stream = deflateRawSync(bytes, { level });
        const zlib = deflateSync(bytes, { level });
        for (let bit = 0; bit < 8 * stream.length; bit += bit < 240 ? 1 : 211) {
          expectSameVerdict(flipped(stream, bit), "raw");
          expectSameVerdict(flipped(zlib, bit), "zlib");
        }
      }
    }
  });

  test("bytes changed, taken out and put in", { timeout: 60_000 }, () => {
    const next = random(5);
    for (let k = 0; k < 3000; k++) {
      const bytes = SMALL[k % SMALL.length];
      const stream = Array.from(deflateRawSync(bytes, { level: k % 10 }));
      for (let n = 1 + next() * 3; n > 0; n--) {
        const at = Math.floor(next() * stream.length);
        const kind = next();
        if (kind < 0.5) stream[at] = Math.floor(next() * 256);
        else if (kind < 0.75) stream.splice(at, 1 + Math.floor(next() * 4));
        else stream.splice(at, 0, Math.floor(next() * 256));
      }
      expectSameVerdict(Uint8Array.from(stream), "raw");
    }
  });

  test("noise", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 7), (bytes, header) => {
        const stream = bytes.slice();
        if (stream.length > 0) stream[0] = (stream[0] & ~7) | header;
        expectSameVerdict(stream, "raw");
      }),
      draws(3000),
    );
  });
});

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = new Uint8Array(bytes);
  copy[bit >> 3] ^= 1 << (bit & 7);
  return copy;
}

describe("sizes", () => {
  test("other than the target's are errors with both numbers, and leave it alone", () => {
    const stream = deflateSync(KINDS.indices(1000));
    for (const [size, message] of [
      [1001, "gives 1000 bytes, expected 1001"],
      [5000, "gives 1000 bytes, expected 5000"],
      [999, "gives more bytes, expected 999"],
      [1, "gives more bytes, expected 1"],
      [0, "gives more bytes, expected 0"],
    ] as const) {
      const target = new Uint8Array(size).fill(7);
      expect(() => inflateInto(stream, target)).toThrow(message);
      expect(target.every((byte) => byte === 7)).toBe(true);
    }
  });

  test("far beyond the bound are noticed at the bound", async () => {
    const own = await openInflateKernel();
    const bomb = deflateSync(new Uint8Array(50_000_000));
    expect(() => own?.inflate(bomb, "zlib", { bytes: 2800, exact: true })).toThrow("more bytes, expected 2800");
    expect(() => own?.inflate(bomb, "zlib", { bytes: 2e6, exact: false })).toThrow(
      "more bytes, expected at most 2000000",
    );
    const all = own?.inflate(bomb, "zlib", { bytes: 2 ** 40, exact: false });
    expect(all?.length).toBe(50_000_000);
    expect(all?.every((byte) => byte === 0)).toBe(true);
  });

  test("of stored blocks too", () => {
    const bytes = KINDS.noise(200_000);
    const stream = deflateSync(bytes, { level: 0 });
    expect(() => inflateInto(stream, new Uint8Array(199_999))).toThrow("more bytes");
    expect(() => inflateInto(stream, new Uint8Array(200_001))).toThrow("gives 200000 bytes");
  });
});

describe("zlib's frame", () => {
  const bytes = KINDS.indices(3000);
  const stream = deflateSync(bytes);
  const into = (changed: Uint8Array) => () => inflateInto(changed, new Uint8Array(bytes.length));

  test("has an Adler-32 that must match", () => {
    for (let k = 1; k <= 4; k++) {
      const changed = new Uint8Array(stream);
      changed[changed.length - k] ^= 0x10;
      expect(into(changed)).toThrow(/^Adler-32 is [0-9a-f]+, the stream says [0-9a-f]+$/);
    }
  });

  test("has a header that must be one", () => {
    for (const header of [[0x78, 0x00], [0x79, 0x9c], [0x88, 0x1c], [0x77, 0x9c], []]) {
      expect(into(Uint8Array.from([...header, ...stream.subarray(2)]))).toThrow("not a zlib stream");
    }
  });

  test("may not ask for a dictionary", () => {
    expect(into(deflateSync(bytes, { dictionary: Buffer.from("dictionary") }))).toThrow("preset dictionary");
  });

  test("may be followed by other bytes", () => {
    const target = new Uint8Array(bytes.length);
    inflateInto(Buffer.concat([stream, Buffer.from("behind it")]), target);
    expect(Buffer.compare(target, bytes)).toBe(0);
  });
});
