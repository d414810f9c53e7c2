/** The decoder of gzip files that come piece by piece: the kernel beside node:zlib. */

import { constants, deflateRawSync, gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { computeCrc32 } from "../../../../src/kernels/checksums/checksums.js";
import { createGunzipReader, type GunzipReader } from "../../../../src/kernels/codecs/deflate/gunzip.js";
import { replacePlatform } from "../../../platform.js";
import "../../../seed.js";

afterEach(() => replacePlatform());

const invalid = expect.objectContaining({ tag: "InvalidDataError" });

/** Decodes a file that comes in pieces of `size` bytes. */
function pieces(stored: Uint8Array, size: number): GunzipReader {
  let at = 0;
  return createGunzipReader(async () => {
    const piece = stored.subarray(at, at + size);
    at += size;
    return piece.length === 0 ? null : piece;
  });
}

async function gunzipped(stored: Uint8Array, size = 2 ** 18): Promise<Uint8Array> {
  const { pull } = pieces(stored, size);
  const found: Uint8Array[] = [];
  for (let piece = await pull(); piece !== null; piece = await pull()) found.push(piece);
  return Buffer.concat(found);
}

const same = (found: Uint8Array, expected: Uint8Array) => expect(Buffer.compare(found, expected)).toBe(0);

/** A generator of numbers below 2^32 (xorshift), so that large data is the same in every run. */
function* noise(state = 1): Generator<number, never> {
  for (;;) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    yield state >>> 0;
  }
}

function bytesBy(length: number, value: (i: number, random: number) => number): Uint8Array {
  const random = noise();
  return Uint8Array.from({ length }, (_, i) => value(i, random.next().value));
}

const KINDS: Readonly<Record<string, (length: number) => Uint8Array>> = {
  noise: (length) => bytesBy(length, (_, random) => random),
  text: (length) => bytesBy(length, (_, random) => 97 + (random % 5)),
  zeros: (length) => new Uint8Array(length),
  // As R stores the values of counts: big-endian doubles.
  doubles: (length) => {
    const random = noise();
    const values = new DataView(new ArrayBuffer(8 * Math.ceil(length / 8)));
    for (let i = 0; i < values.byteLength; i += 8) values.setFloat64(i, random.next().value % 9);
    return new Uint8Array(values.buffer, 0, length);
  },
};
const FORMS = [
  { level: 0 },
  { level: 1 },
  { level: 6 },
  { level: 9, memLevel: 9 },
  { level: 6, memLevel: 1 },
  { strategy: constants.Z_FIXED },
  { strategy: constants.Z_HUFFMAN_ONLY },
  { strategy: constants.Z_RLE, windowBits: 9 },
];

describe.each(Object.entries(KINDS))("%s", (_, make) => {
  test.each(FORMS)("compressed by %o", async (form) => {
    for (const length of [0, 1, 40_000, 3_000_007]) {
      const bytes = make(length);
      const stored = gzipSync(bytes, form);
      for (const size of [1000, 2 ** 17 - 1, stored.length]) same(await gunzipped(stored, size), bytes);
      if (length < 2) same(await gunzipped(stored, 1), bytes);
    }
  });
});

test("a stream of one block that is larger than the decoder's memory", async () => {
  // Literals below 144 have the fixed codes 0x30 + literal, of 8 bits each, the highest bit first (RFC 1951, 3.2.6).
  const bytes = bytesBy(4_000_000, (_, random) => random % 144);
  const bits = (code: number) => Array.from({ length: 8 }, (_, k) => (code >> (7 - k)) & 1);
  const reversed = Uint8Array.from({ length: 144 }, (_, literal) =>
    bits(0x30 + literal).reduce((sum, bit, k) => sum | (bit << k), 0),
  );
  // Three bits before them: the last block, of type 1. Seven zeros behind them end it.
  const body = new Uint8Array(bytes.length + 2);
  body[0] = 3;
  bytes.forEach((literal, i) => {
    body[i] |= reversed[literal] << 3;
    body[i + 1] = reversed[literal] >> 5;
  });
  const stored = member(body, bytes);
  same(gunzipSync(stored), bytes);
  for (const size of [100_000, 2 ** 20, stored.length]) same(await gunzipped(stored, size), bytes);
});

/** A member of raw deflate, with its header and trailer. */
function member(body: Uint8Array, bytes: Uint8Array): Buffer {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(computeCrc32(bytes));
  trailer.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255), body, trailer]);
}

describe("members", () => {
  const [first, second] = [KINDS.text(300_000), KINDS.doubles(200_000)];
  const both = Buffer.concat([gzipSync(first), gzipSync(second)]);

  test.each([1, 7, 100_000])("are joined where pieces have %i bytes; zeros may follow", async (size) => {
    for (const padding of [0, 3]) {
      const stored = Buffer.concat([
        size === 1 ? both.subarray(0, gzipSync(first).length) : both,
        Buffer.alloc(padding),
      ]);
      same(await gunzipped(stored, size), size === 1 ? first : Buffer.concat([first, second]));
    }
  });

  test("are refused behind anything else, which the error counts", async () => {
    const end = gzipSync(first).length;
    const stored = Buffer.concat([both.subarray(0, end), Buffer.from("what is this")]);
    await expect(gunzipped(stored, 999)).rejects.toThrow(`no header at byte ${end}`);
    await expect(gunzipped(new Uint8Array(0))).rejects.toThrow(invalid);
  });

  test("cannot copy from the member before", async () => {
    const stream = deflateRawSync(first.subarray(0, 400), { dictionary: first.subarray(0, 400) });
    const stored = Buffer.concat([gzipSync(first), member(stream, first.subarray(0, 400))]);
    await expect(gunzipped(stored)).rejects.toThrow("a distance that reaches back before the first byte");
  });
});

test("files that are cut off anywhere are refused", async () => {
  const stored = gzipSync(KINDS.text(400_000));
  const ends = fc.sample(fc.integer({ min: 0, max: stored.length - 1 }), 60);
  for (const end of [...ends, stored.length - 1, stored.length - 8, stored.length - 9, 10, 9]) {
    await expect(gunzipped(stored.subarray(0, end), 50_000)).rejects.toThrow(invalid);
  }
});

/** The bytes, or null where the file is refused. */
const orNull = async (read: () => Uint8Array | Promise<Uint8Array>) => {
  try {
    return await read();
  } catch (error) {
    if (error instanceof TypeError) throw error;
    return null;
  }
};

test("damaged files are read or refused as by node:zlib", async () => {
  const stored = gzipSync(KINDS.doubles(150_000));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 10, max: stored.length - 1 }), fc.integer({ min: 1, max: 255 })), {
        minLength: 1,
        maxLength: 3,
      }),
      fc.integer({ min: 1000, max: 200_000 }),
      async (changes, size) => {
        const damaged = new Uint8Array(stored);
        for (const [at, mask] of changes) damaged[at] ^= mask;
        const expected = await orNull(() => gunzipSync(damaged));
        const found = await orNull(() => gunzipped(damaged, size));
        expect(found === null).toBe(expected === null);
        if (found !== null && expected !== null) same(found, expected);
      },
    ),
    { numRuns: 300 },
  );
});

describe.each([
  ["the kernel", () => undefined],
  ["the kernel, without a CRC of the platform", () => replacePlatform({ crc32: null })],
])("by %s", (_, prepare) => {
  const bytes = KINDS.doubles(2_500_000);
  const stored = gzipSync(bytes);

  test("bytes that are pulled keep their values", async () => {
    prepare();
    same(await gunzipped(stored, 70_000), bytes);
    const damaged = Buffer.from(stored);
    damaged[stored.length - 7] ^= 1;
    await expect(gunzipped(damaged)).rejects.toThrow(invalid);
  });

  test("memory is filled, between pulls", async () => {
    prepare();
    const { pull, fill } = pieces(stored, 2 ** 17);
    const found: Uint8Array[] = [];
    for (const length of [5, 300_000, 1, 1_048_576, 700_000]) {
      const target = new Uint8Array(length);
      expect(await fill(target)).toBe(length);
      found.push(target);
    }
    const pulled = await pull();
    found.push(pulled ?? new Uint8Array(0));
    const target = new Uint8Array(3_000_000);
    found.push(target.subarray(0, await fill(target)));
    same(Buffer.concat(found), bytes);
    expect(pulled?.length).toBeGreaterThan(0);
    expect(await fill(target)).toBe(0);
    expect(await pull()).toBe(null);
  });

  test("an error of the source is passed on", async () => {
    prepare();
    const lost = new Error("the connection is lost");
    await expect(createGunzipReader(() => Promise.reject(lost)).fill(new Uint8Array(9))).rejects.toBe(lost);
  });
});
