/** The WebAssembly kernels give the bytes of loops in JavaScript, which their own tests compare with slow ones. */

import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type EncodedPage,
  MAX_PAGE_VALUES,
  type ParquetKernels,
} from "../../../src/kernels/parquet/parquet-kernels.js";
import { encodeStatistic, type ValueRange, type WordOrder } from "../../../src/kernels/parquet/statistics.js";
import { createParquetKernels } from "../../../src/kernels/parquet/wasm-kernels.js";
import { expandPointers } from "../../../src/kernels/sparse/indptr.js";
import { instantiateKernel } from "../../../src/kernels/wasm/instantiate.js";
import { WASM } from "../../../src/kernels/wasm/parquet.wasm.js";
import { InvalidInputError } from "../../../src/model/errors.js";
import { createLoopKernels } from "./loops/kernels.js";

const plain = createLoopKernels();
let wasm: ParquetKernels;

beforeAll(async () => {
  wasm = await createParquetKernels();
});

const wordsOf = (array: ArrayBufferView) => new Int32Array(array.buffer, array.byteOffset, array.byteLength / 4);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
/** As in the footer, which has its own rule for zeros. */
const bounds = (range: ValueRange | null, order: WordOrder) =>
  range && [hex(encodeStatistic(range.least, order, "least")), hex(encodeStatistic(range.greatest, order, "greatest"))];
const page = ({ body, range }: EncodedPage) => ({ body: hex(body), range });

const LENGTHS = [0, 1, 2, 7, 8, 9, 31, 32, 33, 34, 127, 128, 129, 130, 160, 161, 256, 257, 1000].concat(
  [-129, -128, -127, -1, 0].map((less) => MAX_PAGE_VALUES + less),
);
const INTEGERS = ["int32", "uint32", "int64", "uint64"] as const;
const wide = (order: WordOrder) => order.endsWith("64");

function sameDelta(words: Int32Array, order: (typeof INTEGERS)[number]): void {
  expect(page(wasm.delta(words, order))).toEqual(page(plain.delta(words, order)));
}

describe("delta", () => {
  for (const order of INTEGERS) {
    test.each(LENGTHS)(`of %i values of ${order}`, (length) => {
      sameDelta(
        Int32Array.from({ length: wide(order) ? 2 * length : length }, (_, i) => (i * i * 7919) % 4093),
        order,
      );
      // The same differences, from a view that does not begin at a multiple of 8 or 16 bytes.
      sameDelta(Int32Array.from({ length: (wide(order) ? 2 : 1) * length + 1 }, (_, i) => i >> 9).subarray(1), order);
    });

    test(`of anything, as ${order}`, () => {
      fc.assert(
        fc.property(fc.int32Array({ maxLength: 700 }), (words) => {
          sameDelta(words.subarray(0, words.length & ~1), order);
        }),
        { numRuns: 200 },
      );
    });
  }

  test.each(Array.from({ length: 33 }, (_, width) => width))("differences of %i bits", (width) => {
    const top = width === 0 ? 0 : 2 ** (width - 1);
    for (const length of [33, 129, 400, 999]) {
      // Each miniblock has at least one of the most bits, the others fewer.
      sameDelta(
        Int32Array.from({ length }, (_, i) => (i % 29 === 3 ? top + (i % 2) * (top - 1) : i % (width + 1))),
        "int32",
      );
    }
  });

  test.each(Array.from({ length: 65 }, (_, width) => width))("differences of %i bits, of 64", (width) => {
    const top = width === 0 ? 0n : 1n << BigInt(width - 1);
    for (const length of [33, 129, 400]) {
      const values = BigInt64Array.from({ length }, (_, i) =>
        BigInt.asIntN(64, i % 29 === 3 ? top * 2n - 1n : BigInt(i % (width + 1))),
      );
      sameDelta(wordsOf(values), "int64");
    }
  });

  test("that wrap", () => {
    const words = Int32Array.from({ length: 1000 }, (_, i) => (i % 2 === 0 ? 2 ** 31 - 1 : -(2 ** 31)));
    for (const order of INTEGERS) sameDelta(words, order);
    const most = BigInt64Array.from({ length: 1000 }, (_, i) => (i % 2 === 0 ? 2n ** 63n - 1n : -(2n ** 63n)));
    for (const order of INTEGERS) sameDelta(wordsOf(most), order);
  });

  test("the range takes the sign into account", () => {
    const words = Int32Array.of(5, -1, 0, 7, 2 ** 31 - 1, -(2 ** 31));
    expect(wasm.delta(words, "int32").range).toEqual({ least: -(2 ** 31), greatest: 2 ** 31 - 1 });
    expect(wasm.delta(words, "uint32").range).toEqual({ least: 0, greatest: 2 ** 32 - 1 });
    expect(wasm.delta(Int32Array.of(0, 1, -1, -1), "int64").range).toEqual({ least: -1n, greatest: 2n ** 32n });
    expect(wasm.delta(Int32Array.of(0, 1, -1, -1), "uint64").range).toEqual({
      least: 2n ** 32n,
      greatest: 2n ** 64n - 1n,
    });
    expect(wasm.delta(new Int32Array(0), "int32").range).toBeNull();
  });
});

describe("deltaRows", () => {
  /** Numbers of entries of the rows, from none to many blocks. */
  const counts = fc.array(fc.constantFrom(0, 0, 1, 2, 5, 31, 127, 128, 129, 130, 500, 1000), { maxLength: 40 });
  const pointersOf = (rows: readonly number[], start: number) => {
    const pointers = new Float64Array(rows.length + 1).fill(start);
    rows.forEach((count, i) => {
      pointers[i + 1] = pointers[i] + count;
    });
    return pointers;
  };

  test("gives the bytes of the expanded column", () => {
    fc.assert(
      fc.property(
        counts,
        fc.nat(2 ** 40),
        fc.nat(2 ** 31 - 100),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (rows, start, first, a, b) => {
          const pointers = pointersOf(rows, start);
          const size = pointers[rows.length] - start;
          const [low, high] = [Math.floor(Math.min(a, b) * size), Math.ceil(Math.max(a, b) * size)];
          const expanded = new Int32Array(high - low);
          expandPointers(pointers, first, start + low, start + high, expanded);
          const expected = page(plain.delta(expanded, "int32"));
          for (const kernels of [plain, wasm]) {
            expect(page(kernels.deltaRows(pointers, first, start + low, start + high))).toEqual(expected);
            const near = Int32Array.from(pointers, (pointer) => pointer - start);
            expect(page(kernels.deltaRows(near, first, low, high))).toEqual(expected);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test.each([
    ["one row", [MAX_PAGE_VALUES]],
    ["rows of one entry", Array<number>(MAX_PAGE_VALUES).fill(1)],
    ["many empty rows", [3, ...Array<number>(300_000).fill(0), 200]],
    ["rows that end with a block", [1, 128, 128, 127, 1, 129]],
  ])("of %s", (_, rows) => {
    const pointers = pointersOf(rows, 0);
    const expanded = new Int32Array(pointers[rows.length]);
    expandPointers(pointers, 7, 0, expanded.length, expanded);
    const expected = page(plain.delta(expanded, "int32"));
    for (const kernels of [plain, wasm]) {
      expect(page(kernels.deltaRows(pointers, 7, 0, expanded.length))).toEqual(expected);
    }
  });
});

/** Enters page after page; the bodies, or where it ended. */
function byDictionary({ dictionary }: ParquetKernels, pages: readonly Int32Array[], perValue: 1 | 2, values: number) {
  dictionary.reset(perValue, values);
  const bodies: string[] = [];
  for (const words of pages) {
    if (!dictionary.index(words)) return { refused: bodies.length };
    bodies.push(hex(dictionary.page()));
  }
  return { bodies, size: dictionary.size, words: hex(new Uint8Array(dictionary.words().buffer)) };
}

function sameDictionary(pages: readonly Int32Array[], perValue: 1 | 2, values = 2 ** 20): void {
  expect(byDictionary(wasm, pages, perValue, values)).toEqual(byDictionary(plain, pages, perValue, values));
}

describe("dictionary", () => {
  test("of anything that repeats", () => {
    fc.assert(
      fc.property(
        fc.constantFrom<1 | 2>(1, 2),
        fc.array(fc.oneof(fc.integer(), fc.constantFrom(0, 1, -1, -(2 ** 31))), { minLength: 1, maxLength: 60 }),
        fc.array(fc.array(fc.nat(1000), { maxLength: 200 }), { minLength: 1, maxLength: 4 }),
        (perValue, pool, picks) => {
          const pages = picks.map((pick) => Int32Array.from(pick.concat(pick), (i) => pool[i % pool.length]));
          sameDictionary(pages, perValue);
          // Perhaps too few values for so many entries.
          sameDictionary(pages, perValue, 50);
        },
      ),
      { numRuns: 300 },
    );
  });

  test.each([0, 1, 2, 3, 255, 256, 257, 2047, 2048, 2049, 4096, 4097, 32768, 32769, 65535, 65536])(
    "of %i distinct values",
    (distinct) => {
      const words = (factor: number) =>
        Int32Array.from({ length: MAX_PAGE_VALUES }, (_, i) => Math.imul((i * 31) % distinct, factor));
      const pages = distinct === 0 ? [new Int32Array(0)] : [words(1), words(65537), words(1)];
      for (const pageWords of pages) sameDictionary([pageWords, pageWords.subarray(5, 100)], 1);
      const wideWords = pages.map((all) => Int32Array.from(Array.from(all).flatMap((word) => [word, word >> 3])));
      for (const pageWords of wideWords) {
        sameDictionary([pageWords.slice(0, 2 * MAX_PAGE_VALUES), pageWords.subarray(6, 100)], 2);
      }
    },
  );

  test("of the floats that compare strangely,", () => {
    const strange = [Number.NaN, -0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1];
    for (const length of [6, 7, 1000]) {
      const floats = Float32Array.from({ length }, (_, i) => strange[i % 6]);
      const words = wordsOf(floats);
      words[length - 1] = 0x7fc00001;
      sameDictionary([words], 1);
      const doubles = Float64Array.from(floats);
      sameDictionary([wordsOf(doubles)], 2);
    }
    for (const { dictionary } of [plain, wasm]) {
      dictionary.reset(1, 1000);
      expect(dictionary.index(wordsOf(Float32Array.from([...strange, ...strange])))).toBe(true);
      expect([...new Float32Array(dictionary.words().buffer)]).toEqual(strange);
    }
  });

  test("of values that collide under the usual multiplier", () => {
    // Each falls into the slot of all others, and would pass them: some 10^9 steps.
    const inverse = 0x144cbc89;
    expect(Math.imul(inverse, 0x9e3779b9)).toBe(1);
    const words = Int32Array.from({ length: MAX_PAGE_VALUES }, (_, i) => Math.imul(i % 60000, inverse));
    const inverse64 = 0xf1de83e19937733dn;
    expect(BigInt.asUintN(64, inverse64 * 0x9e3779b97f4a7c15n)).toBe(1n);
    const wideWords = wordsOf(BigUint64Array.from(words, (_, i) => BigInt.asUintN(64, BigInt(i % 60000) * inverse64)));
    const start = performance.now();
    sameDictionary([words, words], 1);
    sameDictionary([wideWords, wideWords], 2);
    // What the plain kernels fold two words with.
    const folded = Int32Array.from({ length: 2 * MAX_PAGE_VALUES }, (_, i) => {
      const upper = (i >> 1) % 60000;
      return i % 2 === 1 ? upper : Math.imul(upper, 0x85ebca6b);
    });
    sameDictionary([folded, folded], 2);
    expect(performance.now() - start).toBeLessThan(3000);
  });

  test("gives a copy of its entries", () => {
    for (const { dictionary } of [plain, wasm]) {
      dictionary.reset(1, 100);
      dictionary.index(Int32Array.of(4, 5, 4));
      const words = dictionary.words();
      dictionary.reset(1, 100);
      dictionary.index(Int32Array.of(6, 7, 8));
      expect([...words]).toEqual([4, 5]);
    }
  });
});

describe("hybrid", () => {
  const runs = (width: number) =>
    fc
      .array(
        fc.tuple(fc.integer({ min: 0, max: 2 ** width - 1 }), fc.constantFrom(1, 1, 2, 7, 8, 9, 16, 17, 40, 2000)),
        { maxLength: 30 },
      )
      .map((parts) => parts.flatMap(([value, length]) => Array<number>(length).fill(value)));

  test.each(Array.from({ length: 33 }, (_, width) => width))("of %i bits", (width) => {
    fc.assert(
      fc.property(runs(width), (values) => {
        const indices = Int32Array.from(values, (value) => value | 0);
        const expected = hex(plain.hybrid(indices, width));
        expect(hex(wasm.hybrid(indices, width))).toBe(expected);
        if (width <= 16) {
          expect(hex(plain.hybrid(Uint16Array.from(values), width))).toBe(expected);
          expect(hex(wasm.hybrid(Uint16Array.from(values), width))).toBe(expected);
        }
      }),
      { numRuns: 30 },
    );
    for (const length of width % 8 === 0 ? LENGTHS : LENGTHS.slice(0, -4)) {
      const indices = Int32Array.from({ length }, (_, i) =>
        width === 0 ? 0 : ((i * 2654435761) % 2 ** 32) >>> (32 - width),
      );
      expect(hex(wasm.hybrid(indices, width))).toBe(hex(plain.hybrid(indices, width)));
    }
  });

  test("leaves the page of the dictionary alone", () => {
    for (const kernels of [plain, wasm]) {
      kernels.dictionary.reset(1, 100);
      kernels.dictionary.index(Int32Array.of(4, 5, 4));
      const body = hex(kernels.dictionary.page());
      kernels.hybrid(
        Uint16Array.from({ length: 50 }, (_, i) => i),
        6,
      );
      expect(hex(kernels.dictionary.page())).toBe(body);
    }
  });
});

describe("range", () => {
  test.each([
    ["int32", fc.int32Array({ maxLength: 50 })],
    ["uint32", fc.uint32Array({ maxLength: 50 })],
    ["int64", fc.bigInt64Array({ maxLength: 50 })],
    ["uint64", fc.bigUint64Array({ maxLength: 50 })],
    ["float32", fc.float32Array({ maxLength: 50 })],
    ["float64", fc.float64Array({ maxLength: 50 })],
  ] as const)("of %s", (order, arrays) => {
    fc.assert(
      fc.property(arrays, (array) => {
        const words = wordsOf(array);
        expect(bounds(wasm.range(words, order), order)).toEqual(bounds(plain.range(words, order), order));
      }),
      { numRuns: 300 },
    );
  });

  test("of nothing but NaN is none, of infinities they", () => {
    for (const kernels of [plain, wasm]) {
      for (const length of [1, 4, 5, 9]) {
        expect(kernels.range(wordsOf(new Float32Array(length).fill(Number.NaN)), "float32")).toBeNull();
        expect(kernels.range(wordsOf(new Float64Array(length).fill(Number.NaN)), "float64")).toBeNull();
        const infinity = new Float32Array(length).fill(Number.POSITIVE_INFINITY);
        expect(kernels.range(wordsOf(infinity), "float32")).toEqual({ least: Infinity, greatest: Infinity });
      }
    }
  });
});

test("a page that is too long is refused", () => {
  const words = new Int32Array(2 * MAX_PAGE_VALUES + 2);
  const pointers = Float64Array.of(0, MAX_PAGE_VALUES + 1);
  for (const encode of [
    () => wasm.delta(words.subarray(0, MAX_PAGE_VALUES + 1), "int32"),
    () => wasm.delta(words, "int64"),
    () => wasm.deltaRows(pointers, 0, 0, MAX_PAGE_VALUES + 1),
    () => wasm.hybrid(new Uint16Array(MAX_PAGE_VALUES + 1), 1),
    () => wasm.hybrid(words, 1),
    () => wasm.range(words, "float64"),
  ]) {
    expect(encode).toThrow(InvalidInputError);
    expect(encode).toThrow(/^a page has at most 131072 values, there are \d+$/);
  }
});

test("every region of the module's memory begins at a multiple of 64 bytes, and the memory never grows", async () => {
  const regions = ["input", "output", "entries", "range", "rowEnds"] as const;
  const kernel = await instantiateKernel(WASM, [...regions, "reset", "index", "indexPage"]);
  const { buffer } = kernel.memory;
  for (const region of regions) expect(kernel.functions[region]() % 64).toBe(0);
  const words = new Int32Array(buffer, kernel.functions.input(), MAX_PAGE_VALUES);
  words.forEach((_, i) => {
    words[i] = i % 65535;
  });
  kernel.functions.reset(1, 65535, 0);
  expect(kernel.functions.index(MAX_PAGE_VALUES)).toBe(1);
  expect(kernel.functions.indexPage(MAX_PAGE_VALUES)).toBeGreaterThan(MAX_PAGE_VALUES);
  expect(kernel.memory.buffer).toBe(buffer);
});
