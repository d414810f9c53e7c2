import { describe, expect, test } from "vitest";
import { convertIndices, getMaxInteger, toIntegerArray } from "../../../src/kernels/sparse/convert-indices.js";
import { ReusedNumbers } from "../../../src/kernels/values/reused-numbers.js";
import type { IntArray, IntType } from "../../../src/model/stored.js";
import { allocate, getIntType } from "../../../src/model/stored.js";

const TYPES: readonly IntType[] = ([8, 16, 32, 64] as const).flatMap((bits) => [
  { kind: "int", bits, signed: true } as const,
  { kind: "int", bits, signed: false } as const,
]);
const name = ({ bits, signed }: IntType) => `${signed ? "int" : "uint"}${bits}`;

function integers(type: IntType, numbers: readonly number[]): IntArray {
  const values = allocate(type, numbers.length);
  if (values instanceof Float32Array || values instanceof Float64Array) throw new TypeError("integers expected");
  for (const [i, one] of numbers.entries()) {
    if (values instanceof BigInt64Array || values instanceof BigUint64Array) values[i] = BigInt(one);
    else values[i] = one;
  }
  return values;
}

describe.each(TYPES.map((type) => [name(type), type] as const))("from %s", (_, from) => {
  test.each(TYPES.map((type) => [name(type), type] as const))("to %s: every value that both hold", (_, to) => {
    const top = Math.min(getMaxInteger(from), getMaxInteger(to), 2 ** 31 - 1);
    const numbers = [0, 1, 127, 128, 255, 256, 65_535, 65_536, top].filter((one) => one <= top);
    const values = integers(from, numbers);
    const out = convertIndices(values, to);
    expect(Array.from(out, Number)).toEqual(numbers);
    expect(out.constructor).toBe(allocate(to, 0).constructor);
    expect(getIntType(values)).toEqual(from);
  });
});

test("what is of the type already is the same array", () => {
  const values = Int32Array.of(1, 2);
  expect(convertIndices(values, { kind: "int", bits: 32, signed: true })).toBe(values);
});

test("memory that is used again holds nothing of what was there", () => {
  const type: IntType = { kind: "int", bits: 64, signed: false };
  const memory = new ReusedNumbers(type);
  convertIndices(BigInt64Array.of(2n ** 40n, -1n, 5n), type, memory);
  const again = convertIndices(Int32Array.of(7, 8), type, memory);
  expect(again).toEqual(BigUint64Array.of(7n, 8n));
  expect(convertIndices(Int32Array.of(1, 2, 3, 4), type, memory)).toEqual(BigUint64Array.of(1n, 2n, 3n, 4n));
});

test("64-bit values that begin anywhere in their memory are themselves", () => {
  const values = new BigInt64Array(new BigInt64Array([9n, 2n ** 40n, 7n]).buffer, 8, 2);
  expect(convertIndices(values, { kind: "int", bits: 64, signed: false })).toEqual(BigUint64Array.of(2n ** 40n, 7n));
});

test("whole numbers up to 2^53 become integers", () => {
  const numbers = Float64Array.of(0, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 40 + 5, 2 ** 53 - 1);
  const wide = toIntegerArray(numbers, { kind: "int", bits: 64, signed: true });
  expect(wide).toEqual(BigInt64Array.from(numbers, BigInt));
  expect(toIntegerArray(Float64Array.of(0, 255), { kind: "int", bits: 8, signed: false })).toEqual(
    Uint8Array.of(0, 255),
  );
});
