import { Dictionary, Float64, Int32, Int64, Struct, Table, Utf8, type Vector, vectorFromArray } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { InvalidInputError } from "../../packages/published/src/index.js";
import { readColumnGroups } from "../../src/selection/axis-groups.js";
import { convertInputToColumns } from "../../src/tables/given/arrow-column-table.js";

/** The groups of a column as [value, positions]. */
async function groups(column: Vector) {
  const { values, positions, ends } = await readColumnGroups(
    await convertInputToColumns(new Table({ column }), { name: "obs" }),
    {},
  );
  return values.map((value, i) => [value, Array.from(positions.subarray(i === 0 ? 0 : ends[i - 1], ends[i]))]);
}

describe("groups of positions", () => {
  test("of numbers rise; positions without a number are last", async () => {
    expect(await groups(vectorFromArray([2, -1, null, 2, Number.NaN, 0.5, -0, 0], new Float64()))).toEqual([
      [-1, [1]],
      [0, [6, 7]],
      [0.5, [5]],
      [2, [0, 3]],
      [null, [2, 4]],
    ]);
    expect(await groups(vectorFromArray([2n ** 60n, 3n, 2n ** 60n], new Int64()))).toEqual([
      [3, [1]],
      [2n ** 60n, [0, 2]],
    ]);
  });

  test("of text have the order of code points, in which 😀 follows ａ", async () => {
    expect(await groups(vectorFromArray(["b", "😀", "", "ａ", null, "b"], new Utf8()))).toEqual([
      ["", [2]],
      ["b", [0, 5]],
      ["ａ", [3]],
      ["😀", [1]],
      [null, [4]],
    ]);
  });

  test("of categories have their order, without those that no position has", async () => {
    const type = new Dictionary(new Utf8(), new Int32());
    expect(await groups(vectorFromArray(["late", "early", "late", null], type))).toEqual([
      ["late", [0, 2]],
      ["early", [1]],
      [null, [3]],
    ]);
  });

  test("of booleans are two", async () => {
    expect(await groups(vectorFromArray([true, false, true]))).toEqual([
      [false, [1]],
      [true, [0, 2]],
    ]);
  });

  test("of other types there are none", async () => {
    await expect(groups(vectorFromArray([{ a: 1 }], new Struct([])))).rejects.toThrow(InvalidInputError);
  });
});
