import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createWasmIndexKernels } from "../../../src/kernels/sparse/index-kernels.js";
import {
  findOutOfRangeIndex,
  loadIndexKernels,
  narrowWithin,
  shiftToInt64,
  surveyIndices,
  widenToInt64,
} from "../../../src/kernels/sparse/indices.js";
import type { IntArray } from "../../../src/model/stored.js";

const signed = fc.oneof(
  fc.int8Array(),
  fc.int16Array(),
  fc.int32Array(),
  fc.bigInt64Array({ min: -(2n ** 40n), max: 2n ** 40n }),
);
const unsigned = fc.oneof(fc.uint8Array(), fc.uint16Array(), fc.uint32Array(), fc.bigUint64Array());
const small = { min: 0, max: 127 };
const inRange = fc.oneof(
  fc.int8Array(small),
  fc.uint8Array(small),
  fc.int16Array(small),
  fc.uint16Array(),
  fc.int32Array({ min: 0 }),
  fc.uint32Array({ max: 2 ** 31 - 1 }),
  fc.bigInt64Array({ min: 0n, max: 2n ** 31n - 1n }),
  fc.bigUint64Array({ max: 2n ** 31n - 1n }),
);

function narrowed(indices: IntArray, limit: number) {
  const out = new Int32Array(indices.length);
  const wrong = narrowWithin(indices, limit, out);
  return { wrong, values: Array.from(out) };
}

/** One by one. */
function slowSurvey(indices: IntArray, limit: number) {
  const all = Array.from<number | bigint>(indices);
  const outside = all.findIndex((index) => index < 0 || index >= limit);
  return { outside, decreases: all.filter((index, i) => i > 0 && index < all[i - 1]).length };
}

test("decreases are counted, also where parts of the memory meet", async () => {
  const kernels = await createWasmIndexKernels();
  const limit = fc.oneof(fc.nat(300), fc.nat(2 ** 31));
  const few = fc.int32Array({ min: 0, max: 200, maxLength: 100 });
  fc.assert(
    fc.property(fc.oneof(signed, unsigned, inRange, few), limit, (indices, size) => {
      const slow = slowSurvey(indices, size);
      const found = surveyIndices(indices, size);
      expect(found.outside).toBe(slow.outside);
      if (slow.outside < 0) expect(found.decreases).toBe(slow.decreases);
      if (!(indices instanceof Int32Array)) return;
      const byKernel = kernels.survey32(indices, size);
      expect(byKernel.outside).toBe(slow.outside);
      if (slow.outside < 0) expect(byKernel.decreases).toBe(slow.decreases);
    }),
  );
  await loadIndexKernels(Number.POSITIVE_INFINITY);
  const part = 2 ** 17;
  const long = Int32Array.from({ length: 3 * part + 5 }, (_, i) => i);
  long[part] = 0;
  long[2 * part - 1] = 3;
  for (const indices of [long, new Uint32Array(long.buffer)]) {
    expect(surveyIndices(indices, 2 ** 31)).toEqual(slowSurvey(long, 2 ** 31));
    expect(surveyIndices(indices, 3 * part)).toEqual({ outside: 3 * part, decreases: expect.anything() });
  }
});

describe("indices", () => {
  test("outside their limit are found", () => {
    fc.assert(
      fc.property(fc.oneof(signed, unsigned), fc.oneof(fc.nat(300), fc.nat(2 ** 31)), (indices, limit) => {
        const slow = Array.from<number | bigint>(indices).findIndex((index) => index < 0 || index >= limit);
        expect(findOutOfRangeIndex(indices, limit)).toBe(slow);
      }),
    );
  });

  test("at the border of 64 bits are outside", () => {
    expect(findOutOfRangeIndex(BigUint64Array.of(0n, 2n ** 64n - 1n), 2 ** 53 - 1)).toBe(1);
    expect(findOutOfRangeIndex(BigInt64Array.of(0n, -(2n ** 63n)), 2 ** 53 - 1)).toBe(1);
    expect(findOutOfRangeIndex(new Int32Array(0), 0)).toBe(-1);
    expect(findOutOfRangeIndex(Uint8Array.of(0), 0)).toBe(0);
  });

  test("become Int32 without change", () => {
    fc.assert(
      fc.property(inRange, (indices) => {
        const { wrong, values } = narrowed(indices, 2 ** 31);
        expect(wrong).toBe(-1);
        expect(values).toEqual(Array.from(indices, Number));
      }),
    );
  });

  test("become Int32 up to the first one outside", () => {
    fc.assert(
      fc.property(fc.oneof(signed, unsigned), fc.oneof(fc.nat(300), fc.nat(2 ** 31)), (indices, limit) => {
        const { wrong, values } = narrowed(indices, limit);
        expect(wrong).toBe(findOutOfRangeIndex(indices, limit));
        const within = wrong < 0 ? indices.length : wrong;
        expect(values.slice(0, within)).toEqual(Array.from<number | bigint, number>(indices, Number).slice(0, within));
      }),
    );
  });

  test("become Int64 without change", () => {
    fc.assert(
      fc.property(fc.oneof(signed, inRange), (indices) => {
        expect(Array.from(widenToInt64(indices))).toEqual(
          Array.from<number | bigint, bigint>(indices, (index) => BigInt(index)),
        );
      }),
    );
  });

  test("of a view begin where the view does", () => {
    expect(narrowed(BigInt64Array.of(1n, 2n, 3n).subarray(1), 4).values).toEqual([2, 3]);
    expect(Array.from(widenToInt64(BigUint64Array.of(1n, 2n, 3n).subarray(2)))).toEqual([3n]);
  });

  test("are shifted as BigInt adds", () => {
    fc.assert(
      fc.property(inRange, fc.constantFrom(0, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 52), (indices, first) => {
        const out = new BigInt64Array(indices.length + 1).subarray(1);
        shiftToInt64(indices, first, out);
        expect(Array.from(out)).toEqual(
          Array.from<number | bigint, bigint>(indices, (index) => BigInt(index) + BigInt(first)),
        );
      }),
    );
  });

  test("that have the type already are not copied", () => {
    const wide = BigInt64Array.of(1n);
    expect(widenToInt64(wide)).toBe(wide);
  });
});

describe("many indices", () => {
  const length = 2 ** 17 + 1021;
  const places = [0, 31, 2 ** 17 - 1, 2 ** 17, length - 1];
  const bytes = (values: Int32Array, end: number) => Buffer.from(values.buffer, 0, 4 * end).toString("base64");
  const found = () => {
    const results: unknown[] = [];
    for (const limit of [1000, 2 ** 31 - 1, 2 ** 31]) {
      const narrow = Int32Array.from({ length }, (_, i) => (i % 7 === 0 ? limit - 1 : i % 1000));
      const wide = new BigInt64Array(length);
      const words = new Int32Array(wide.buffer);
      narrow.forEach((index, i) => {
        words[2 * i] = index;
      });
      const out = new Int32Array(length);
      results.push(
        findOutOfRangeIndex(narrow, limit),
        narrowWithin(wide.subarray(3), limit, out),
        bytes(out, length - 3),
      );
      for (const place of places) {
        for (const wrong of [-1n, BigInt(limit), 2n ** 32n, -(2n ** 63n)]) {
          narrow[place] = Number(BigInt.asIntN(32, wrong));
          wide[place] = wrong;
          const at = narrowWithin(wide, limit, out);
          expect(at).toBe(place);
          results.push(
            findOutOfRangeIndex(narrow, limit),
            bytes(out, at),
            narrowWithin(new BigUint64Array(wide.buffer), limit, out),
          );
          narrow[place] = 0;
          wide[place] = 0n;
        }
      }
    }
    return results;
  };

  test("are the same with WebAssembly and without", async () => {
    const plain = found();
    expect(plain.slice(0, 2)).toEqual([-1, -1]);
    expect(await createWasmIndexKernels()).not.toBeNull();
    await loadIndexKernels(length);
    expect(found()).toEqual(plain);
  });
});
