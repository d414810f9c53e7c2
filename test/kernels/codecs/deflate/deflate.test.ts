import { gunzipSync, inflateSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { deflate, deflateWithStream } from "../../../../src/kernels/codecs/deflate/deflate.js";
import { inflate } from "../../../../src/kernels/codecs/deflate/inflate.js";
import { platform as node } from "../../../../src/platform/platform.node.js";
import { replacePlatform } from "../../../platform.js";

const FORMS = { zlib: inflateSync, gzip: gunzipSync } as const;
const forms = fc.constantFrom<keyof typeof FORMS>("zlib", "gzip");
const levels = fc.integer({ min: 0, max: 9 });
const runs = fc
  .array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 3000 })))
  .map((parts) => Buffer.concat(parts.map(([bytes, count]) => Buffer.alloc(bytes.length * count, bytes))));

/** Bytes of which some repeat near, some far away, and some never. */
function mixed(length: number, seed: number): Uint8Array {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 16;
  };
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const count = Math.min(1 + (next() % 700), length - at);
    const back = 1 + (next() % 50_000);
    const kind = next() % 3;
    for (let i = 0; i < count; i++, at++) bytes[at] = kind === 0 || back > at ? next() >> (kind * 4) : bytes[at - back];
  }
  return bytes;
}

afterEach(() => replacePlatform());

describe.each([
  ["in Node", () => replacePlatform()],
  ["in pages", () => replacePlatform({ deflate: null })],
] as const)("%s, node:zlib and our own decoder give the bytes back", (_, choose) => {
  beforeEach(choose);

  test("of anything, at all levels", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 100 }), runs), forms, levels, async (bytes, form, level) => {
        const stream = await deflate(bytes, form, level);
        expect(Buffer.compare(FORMS[form](stream), bytes)).toBe(0);
        const again = await inflate(stream, form, { bytes: bytes.length, exact: true });
        expect(Buffer.compare(again, bytes)).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])("of much, at level %d", async (level) => {
    for (const length of [65_535, 65_536, 300_001, 1_500_000]) {
      const bytes = mixed(length, length + level);
      const stream = await deflate(bytes, "zlib", level);
      expect(Buffer.compare(inflateSync(stream), bytes)).toBe(0);
    }
  });

  test("of more than libdeflate is given", async () => {
    const bytes = new Uint8Array(65 * 2 ** 20).map((_, i) => (i >> 10) ^ i);
    const stream = await deflate(bytes, "gzip", 1);
    expect(Buffer.compare(gunzipSync(stream), bytes)).toBe(0);
  });
});

test("noise grows by little more than its frame", async () => {
  let state = 1;
  const bytes = new Uint8Array(200_000).map(() => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
  for (const [deflateOf, block] of [
    [null, 5000],
    // node:zlib cuts stored blocks shorter where it has more memory for matches.
    [node.deflate, 4096],
  ] as const) {
    replacePlatform({ deflate: deflateOf });
    for (const level of [0, 1, 4, 9]) {
      const most = bytes.length + 6 + 5 * Math.ceil(bytes.length / block);
      expect((await deflate(bytes, "zlib", level)).length).toBeLessThan(most);
    }
  }
});

test("the result is a copy, and what is given stays as it is", async () => {
  const bytes = new Uint8Array(3000).fill(7);
  const first = await deflate(bytes, "zlib", 4);
  const copy = first.slice();
  await deflate(
    bytes.map((_, i) => i),
    "zlib",
    4,
  );
  expect(first).toEqual(copy);
  expect(first.buffer.byteLength).toBeLessThanOrEqual(first.length + 8);
  expect(bytes.every((byte) => byte === 7)).toBe(true);
});

test("a gzip member does not tell the system that it was written on", async () => {
  for (const deflateOf of [node.deflate, null]) {
    replacePlatform({ deflate: deflateOf });
    // RFC 1952: magic, deflate, no flags, no time, extra flags, an unknown system.
    expect([...(await deflate(mixed(1000, 1), "gzip", 4)).subarray(0, 10)]).toEqual([
      31, 139, 8, 0, 0, 0, 0, 0, 0, 255,
    ]);
  }
});

test.each([-1, 10, 1.5])("there is no level %d", async (level) => {
  await expect(deflate(new Uint8Array(3), "zlib", level)).rejects.toThrow(TypeError);
});

test("the platform's stream gives the bytes back", async () => {
  const bytes = mixed(100_000, 5);
  expect(Buffer.compare(inflateSync(await deflateWithStream(bytes, "zlib")), bytes)).toBe(0);
  expect(Buffer.compare(gunzipSync(await deflateWithStream(bytes, "gzip")), bytes)).toBe(0);
});

describe("without WebAssembly", () => {
  afterEach(() => void vi.unstubAllGlobals());

  test("the platform's stream takes its place", async () => {
    replacePlatform({ deflate: null });
    vi.stubGlobal("WebAssembly", undefined);
    const { deflate: plain } = await import("../../../../src/kernels/codecs/deflate/deflate.js");
    const bytes = mixed(50_000, 9);
    expect(Buffer.compare(inflateSync(await plain(bytes, "zlib", 9)), bytes)).toBe(0);
  });
});
