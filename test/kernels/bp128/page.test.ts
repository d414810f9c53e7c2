import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CHUNK, countChunks, hasStarts, PAGE_CHUNKS, PAGE_VALUES } from "../../../src/kernels/bp128/page.js";
import { createBp128Pages } from "../../../src/kernels/bp128/pages.js";
import { unpackPage } from "../../../src/kernels/bp128/unpack-page.js";
import { chunkValues, KINDS } from "./chunk-values.js";
import { slowPackChunk, slowUnpackChunk } from "./slow-bp128.js";

const [page, other] = await createBp128Pages(2);

test("pages share a memory", async () => {
  const pages = await createBp128Pages(3);
  expect(pages.length).toBe(3);
  expect(new Set(pages.map((page) => page.data.buffer)).size).toBe(1);
});

describe("a page", () => {
  const fill = (values: Uint32Array) => {
    const whole = CHUNK * countChunks(values.length);
    page.values.set(values);
    page.values.fill(values.at(-1) ?? 0, values.length, whole);
    return whole / CHUNK;
  };

  test("packs and unpacks as one bit at a time does", () => {
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), chunkValues(3 * CHUNK), fc.nat(2 ** 32 - 1), (kind, values, position) => {
        const slow = Array.from({ length: countChunks(values.length) }, (_, chunk) =>
          slowPackChunk(kind, Array.from(values.subarray(CHUNK * chunk, CHUNK * (chunk + 1)))),
        );
        const chunks = fill(values);
        page.data.fill(0xdeadbeef);
        const words = page.pack(kind, chunks, position);
        expect(Array.from(page.data.subarray(0, words))).toEqual(slow.flatMap((chunk) => chunk.words));
        let at = position;
        const positions = [at, ...slow.map((chunk) => (at += chunk.words.length))];
        expect(Array.from(page.idx.subarray(0, chunks + 1))).toEqual(positions.map((place) => place % 2 ** 32));
        if (hasStarts(kind)) expect(Array.from(page.starts.subarray(0, chunks))).toEqual(slow.map((c) => c.start));

        page.values.fill(0xdeadbeef);
        unpackPage(page, kind, chunks, words);
        expect(Array.from(page.values.subarray(0, values.length))).toEqual(Array.from(values));
        const unpacked = Array.from(page.values.subarray(0, CHUNK * chunks));
        expect(unpacked).toEqual(slow.flatMap((chunk) => slowUnpackChunk(kind, chunk)));
      }),
      { numRuns: 150 },
    );
  });

  test.each(KINDS)("unpacks %s from any place of the page", (kind) => {
    for (const width of [0, 1, 7, 31, 32]) {
      const words = Array.from({ length: 4 * width }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 0);
      const place = { data: page.data.length - 4 * width, idx: page.idx.length - 2, starts: page.starts.length - 1 };
      page.data.set(words, place.data);
      page.idx.set([5, 5 + 4 * width], place.idx);
      page.starts.set([9], place.starts);
      unpackPage(page, kind, 1, 4 * width, 0, place);
      expect(Array.from(page.values.subarray(0, CHUNK))).toEqual(slowUnpackChunk(kind, { start: 9, words }));
    }
  });

  test.each(KINDS)("undoes %s at every width", (kind) => {
    for (let width = 0; width <= 32; width++) {
      const words = Array.from({ length: 4 * width }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 0);
      const expected = slowUnpackChunk(kind, { start: 2 ** 32 - 7, words });
      // Behind another chunk, with words of no meaning after it.
      page.data.fill(0xffffffff);
      page.data.set(words, 4);
      page.idx.set([2 ** 32 - 4, 0, 4 * width]);
      page.starts.set([1, 2 ** 32 - 7]);
      unpackPage(page, kind, 2, 4 + 4 * width);
      expect(Array.from(page.values.subarray(CHUNK, 2 * CHUNK))).toEqual(expected);
    }
  });

  test.each(KINDS)("takes a full page of %s at its greatest width", (kind) => {
    for (let i = 0; i < PAGE_VALUES; i++) page.values[i] = Math.imul(i, 0x9e3779b1);
    const values = page.values.slice();
    expect(page.pack(kind, PAGE_CHUNKS, 0)).toBe(PAGE_VALUES);
    expect(page.idx[PAGE_CHUNKS]).toBe(PAGE_VALUES);
    page.values.fill(0);
    unpackPage(page, kind, PAGE_CHUNKS, PAGE_VALUES);
    expect(
      Buffer.compare(
        Buffer.from(page.values.buffer, page.values.byteOffset, 4 * PAGE_VALUES),
        Buffer.from(values.buffer),
      ),
    ).toBe(0);
  });

  test("refuses chunks of impossible widths", () => {
    const message = "chunk 1001 has %d words instead of a multiple of 4 up to 128";
    for (const size of [1, 2, 3, 129, 130, 132, 2 ** 31, 2 ** 32 - 4]) {
      page.idx.set([100, 104, 104 + size, 108 + size]);
      expect(() => unpackPage(page, "d1z", 3, 8 + size, 1000)).toThrow(message.replace("%d", `${size}`));
    }
  });

  test("refuses other words than were read", () => {
    page.idx.set([0, 4, 12]);
    expect(() => unpackPage(page, "m1", 2, 8)).toThrow("chunks 0 to 2 have 12 words, 8 were read");
    expect(() => unpackPage(page, "m1", PAGE_CHUNKS + 1, 0)).toThrow("a page has at most 2048 chunks, there are 2049");
    expect(() => unpackPage(page, "m1", -1, 0)).toThrow("there are -1");
    expect(() => unpackPage(page, "m1", 0, 0)).not.toThrow();
  });

  test("surveys values from any place on", () => {
    const values = fc.array(fc.oneof(fc.nat(9), fc.constantFrom(2 ** 31, 2 ** 32 - 1)), { maxLength: 60 });
    const limit = fc.oneof(fc.nat(12), fc.constantFrom(2 ** 31, 2 ** 31 + 1, 2 ** 32 - 1));
    fc.assert(
      fc.property(values, fc.nat(9), limit, (values, from, limit) => {
        page.values.fill(0xffffffff);
        page.values.set(values, from);
        const decreases = values.filter((value, i) => i > 0 && value < values[i - 1]).length;
        const expected = values.some((value) => value >= limit) ? -1 : decreases;
        expect(page.survey(from, values.length, limit)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  test("adds and compares values", () => {
    fc.assert(
      fc.property(fc.uint32Array({ maxLength: 300 }), fc.uint32Array({ minLength: 300, maxLength: 300 }), (a, b) => {
        page.values.fill(0xffffffff);
        page.values.set(a);
        expect(page.greatest(a.length)).toBe(a.reduce((greatest, value) => Math.max(greatest, value), 0));
        other.values.set(b);
        page.add(other, a.length);
        expect(Array.from(page.values.subarray(0, a.length))).toEqual(
          Array.from(a, (value, i) => (value + b[i]) % 2 ** 32),
        );
      }),
    );
  });
});

describe("a page of floats", () => {
  const special = [
    0,
    -0,
    1,
    1.5,
    2 ** 24,
    2 ** 31,
    2 ** 32 - 256,
    2 ** 32,
    -1,
    1e-40,
    1e38,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ];
  const float = fc.oneof(
    { arbitrary: fc.nat(2 ** 24), weight: 200 },
    { arbitrary: fc.constantFrom(...special.slice(0, 3), ...special.slice(4, 7)), weight: 20 },
    { arbitrary: fc.constantFrom(...special), weight: 1 },
  );

  test("turns floats into whole numbers, up to the first that is none", () => {
    fc.assert(
      fc.property(fc.array(float, { maxLength: 60 }), fc.nat(9), (numbers, from) => {
        const floats = Float32Array.from(numbers);
        page.values.fill(7, 0, 80);
        page.values.set(new Uint32Array(floats.buffer), from);
        const wrong = floats.findIndex((value) => !(Number.isInteger(value) && value >= 0 && value < 2 ** 32));
        expect(page.wholeFloats(from, floats.length)).toBe(wrong);
        const end = wrong < 0 ? floats.length : wrong;
        const whole = Array.from(floats.subarray(0, end), (value) => value + 0);
        expect(Array.from(page.values.subarray(from, from + end))).toEqual(whole);
        expect(page.values[from + floats.length]).toBe(7);
        expect(Array.from(page.values.subarray(0, from))).toEqual(Array.from({ length: from }, () => 7));
      }),
    );
  });
});

test("whatever words and positions there are, they are unpacked as one bit at a time", () => {
  const step = fc.oneof(
    { arbitrary: fc.nat(32).map((width) => 4 * width), weight: 30 },
    fc.nat(140),
    fc.nat(2 ** 32 - 1),
  );
  const steps = fc.array(step, { minLength: 1, maxLength: 6 });
  const bits = fc.uint32Array({ minLength: 6 * CHUNK + 4, maxLength: 6 * CHUNK + 4 });
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), steps, fc.nat(2 ** 32 - 1), bits, (kind, sizes, position, words) => {
      let at = position;
      const idx = Uint32Array.from([position, ...sizes.map((size) => (at += size))], (place) => place % 2 ** 32);
      page.data.set(words);
      page.idx.set(idx);
      page.starts.set(words.subarray(0, sizes.length));
      const wrong = sizes.findIndex((size) => size % 4 !== 0 || size > CHUNK);
      expect(page.unpack(kind, sizes.length)).toBe(wrong);
      let from = 0;
      const unpacked = sizes.slice(0, wrong < 0 ? sizes.length : wrong).flatMap((size, chunk) => {
        from += size;
        return slowUnpackChunk(kind, { start: words[chunk], words: Array.from(words.subarray(from - size, from)) });
      });
      expect(Array.from(page.values.subarray(0, unpacked.length))).toEqual(unpacked);
    }),
  );
});

test("pages of different memories are added too", async () => {
  const [far] = await createBp128Pages(1);
  page.values.set([1, 2 ** 32 - 1, 3]);
  far.values.set([10, 20, 30]);
  page.add(far, 3);
  expect(Array.from(page.values.subarray(0, 3))).toEqual([11, 19, 33]);
});
