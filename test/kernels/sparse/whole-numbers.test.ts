import fc from "fast-check";
import { expect, test } from "vitest";
import { toFloats, toUint32 } from "../../../src/kernels/sparse/whole-numbers.js";
import type { NumberArray } from "../../../src/model/stored.js";

const small = { min: 0, max: 100 };
const arrays: fc.Arbitrary<NumberArray> = fc.oneof(
  ...[fc.int8Array(), fc.int8Array(small), fc.uint8Array(), fc.int16Array(), fc.int16Array(small), fc.uint16Array()],
  ...[fc.int32Array(), fc.int32Array({ min: 0 }), fc.uint32Array()],
  ...[fc.bigInt64Array(), fc.bigInt64Array({ min: 0n, max: 2n ** 33n }), fc.bigUint64Array({ max: 2n ** 32n - 1n })],
  ...[fc.float32Array(), fc.float64Array(), fc.uint32Array().map((words) => Float64Array.from(words))],
  fc.uint16Array().map((words) => Float32Array.from(words)),
);

test("whole numbers in 0 … 2^32 - 1 become unsigned integers, up to the first that is none", () => {
  fc.assert(
    fc.property(arrays, (values) => {
      const all = Array.from<number | bigint>(values);
      const wrong = all.findIndex((value) => !(Number.isInteger(Number(value)) && value >= 0 && value < 2 ** 32));
      const out = new Uint32Array(values.length);
      expect(toUint32(values, out)).toBe(wrong);
      const end = wrong < 0 ? values.length : wrong;
      expect(Array.from(out.subarray(0, end))).toEqual(all.slice(0, end).map((value) => Number(value) + 0));
    }),
    { numRuns: 500 },
  );
});

test("floats are exact, or the first that is not is told", () => {
  const inexact = (value: number | bigint, float: number) =>
    typeof value === "bigint" ? BigInt(float) !== value : !Object.is(float, value);
  fc.assert(
    fc.property(arrays, (values) => {
      for (const out of [new Float32Array(values.length), new Float64Array(values.length)]) {
        const all = Array.from<number | bigint>(values);
        const round = out instanceof Float32Array ? Math.fround : (value: number) => value;
        const floats = all.map((value) => round(Number(value)));
        expect(toFloats(values, out)).toBe(all.findIndex((value, i) => inexact(value, floats[i])));
        expect(Array.from(out)).toEqual(floats);
      }
    }),
  );
});
