import { describe, expect, test } from "vitest";
import type { Group } from "../../../../src/containers/tree/container.js";
import type { NumberArray } from "../../../../src/model/stored.js";
import {
  FLOAT32,
  FLOAT64,
  type NumberType,
  openNumbers,
  UINT32,
  UINT64,
} from "../../../../src/readers/bpcells/stores/arrays.js";
import { numbersArray } from "../../../stored-array.js";

function groupOf(values: NumberArray): Group {
  return {
    kind: "group",
    path: "",
    id: "",
    attributes: new Map(),
    keys: async () => ["a"],
    open: async () => numbersArray(values, { path: "a" }),
  };
}

const read = async (values: NumberArray, type: NumberType, exact = false) => {
  const array = await openNumbers(groupOf(values), "a", type, { exact, options: {} });
  expect(array.type).toEqual(type);
  return array.read(0, values.length);
};

describe("numbers of another type", () => {
  test.each([
    [Int32Array.of(0, 5, 2 ** 31 - 1), UINT32, Uint32Array.of(0, 5, 2 ** 31 - 1)],
    [BigInt64Array.of(7n, 2n ** 32n - 1n), UINT32, Uint32Array.of(7, 2 ** 32 - 1)],
    [Float64Array.of(3, -0), UINT32, Uint32Array.of(3, 0)],
    [Uint32Array.of(3, 4), UINT64, BigUint64Array.of(3n, 4n)],
    [Float32Array.of(0.5, Number.NaN, -0), FLOAT64, Float64Array.of(0.5, Number.NaN, -0)],
    [Uint8Array.of(1, 255), FLOAT32, Float32Array.of(1, 255)],
  ])("%o", async (values, type, expected) => {
    expect(await read(values, type)).toEqual({ kind: "fixed", values: expected });
    await expect(read(values, type, true)).rejects.toThrow(/is expected/);
  });

  test.each([
    [Int32Array.of(0, -1), UINT32, /value 1, -1, is no uint32/],
    [BigInt64Array.of(2n ** 32n), UINT32, /value 0, 4294967296, is no uint32/],
    [Float64Array.of(1.5), UINT32, /1\.5, is no uint32/],
    [Float64Array.of(Number.NaN), UINT64, /NaN, is no uint64/],
    [Int32Array.of(-1), UINT64, /-1, is no uint64/],
    [Float64Array.of(0.1), FLOAT32, /0\.1, is no float32/],
    [BigUint64Array.of(2n ** 53n + 1n), FLOAT64, /is no float64/],
  ])("%o does not fit", async (values, type, message) => {
    await expect(read(values, type)).rejects.toThrow(message);
  });
});
