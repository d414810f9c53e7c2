import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sliceRows, takeRows } from "../../../src/kernels/values/stored-rows.js";
import { takeElements, takeVariable } from "../../../src/kernels/values/take-elements.js";
import { countElements, type StoredType, type StoredValues } from "../../../src/model/stored.js";
import { slowNested, storedType, storedValues } from "../../arrow/arbitrary-stored.js";
import type { Plain } from "../../arrow/plain.js";
import { textOf } from "../../stored-array.js";

const shapes = fc.constantFrom<readonly number[]>([], [1], [3], [2, 2], [0]);

interface Drawn {
  readonly type: StoredType;
  readonly inner: readonly number[];
  readonly count: number;
  readonly values: StoredValues;
  readonly rows: readonly number[];
}

const drawn: fc.Arbitrary<Drawn> = fc
  .record({ type: storedType, inner: shapes, count: fc.integer({ min: 1, max: 6 }) })
  .chain(({ type, inner, count }) =>
    fc.record({
      ...{ type: fc.constant(type), inner: fc.constant(inner), count: fc.constant(count) },
      values: storedValues(type, count * countElements(inner)),
      rows: fc.array(fc.nat(count - 1), { maxLength: 10 }),
    }),
  );

function slowRows({ type, inner, values }: Pick<Drawn, "type" | "inner" | "values">, rows: readonly number[]): Plain[] {
  return rows.map((row) => slowNested(type, values, inner, row));
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

describe("rows of values", () => {
  test("of every type, in any order and any number of times", () => {
    fc.assert(
      fc.property(drawn, (one) => {
        const values = takeRows(one.type, one.values, countElements(one.inner), Int32Array.from(one.rows));
        expect(slowRows({ ...one, values }, upTo(one.rows.length))).toEqual(slowRows(one, one.rows));
      }),
    );
  });

  test("of every type, in a range", () => {
    fc.assert(
      fc.property(drawn, fc.nat(6), fc.nat(6), (one, a, b) => {
        const from = Math.min(a, b, one.count);
        const to = Math.min(Math.max(a, b), one.count);
        const per = countElements(one.inner);
        const values = sliceRows(one.type, one.values, per, [from, to]);
        const expected = slowRows(
          one,
          upTo(to - from).map((i) => from + i),
        );
        expect(slowRows({ ...one, values }, upTo(to - from))).toEqual(expected);
        // A range of a range: offsets of texts begin at 0 again.
        const half = Math.floor((to - from) / 2);
        const rest = sliceRows(one.type, values, per, [half, to - from]);
        expect(slowRows({ ...one, values: rest }, upTo(to - from - half))).toEqual(expected.slice(half));
      }),
    );
  });

  test("a range is a view, chosen rows are a copy", () => {
    const values = Int32Array.of(1, 2, 3, 4);
    const int: StoredType = { kind: "int", bits: 32, signed: true };
    const range = sliceRows(int, { kind: "fixed", values }, 2, [1, 2]);
    expect(range).toEqual({ kind: "fixed", values: Int32Array.of(3, 4) });
    expect(range.kind === "fixed" && range.values.buffer).toBe(values.buffer);
    const taken = takeRows(int, { kind: "fixed", values }, 2, Int32Array.of(0, 1));
    expect(taken.kind === "fixed" && taken.values.buffer).not.toBe(values.buffer);
  });

  test.each([
    [32, Uint32Array.of(0x7fa00001, 0xff800001, 0x80000000, 0x00000001)],
    [64, BigUint64Array.of(0x7ff4000000000001n, 0xfff0000000000001n, 1n << 63n, 1n)],
  ] as const)("keep the bits of signalling NaN of %i bits", (bits, words) => {
    const values = bits === 32 ? new Float32Array(words.buffer) : new Float64Array(words.buffer);
    const taken = takeRows({ kind: "float", bits }, { kind: "fixed", values }, 1, Int32Array.of(3, 0, 2, 1, 0));
    if (taken.kind !== "fixed") throw new TypeError("fixed expected");
    const { buffer, byteOffset } = taken.values;
    const found = bits === 32 ? new Uint32Array(buffer, byteOffset, 5) : new BigUint64Array(buffer, byteOffset, 5);
    expect(Array.from<number | bigint>(found)).toEqual([words[3], words[0], words[2], words[1], words[0]]);
  });
});

describe("places of -1", () => {
  test("become zeros, and empty texts", () => {
    expect(takeElements(Float32Array.of(1, 2, 3, 4), Int32Array.of(1, -1, 0), 2)).toEqual(
      Float32Array.of(3, 4, 0, 0, 1, 2),
    );
    expect(takeElements(BigInt64Array.of(-1n, 2n ** 40n), Int32Array.of(-1, 1, 0), 1)).toEqual(
      BigInt64Array.of(0n, 2n ** 40n, -1n),
    );
    expect(takeVariable(textOf(["a", "", "cde"]), Int32Array.of(2, -1, 0, 1))).toEqual(textOf(["cde", "", "a", ""]));
  });
});
