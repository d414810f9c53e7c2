/** Arrays of obsm of many inputs; test/interop/test_union.py compares their values with anndata's. */

import { describe, expect, test } from "vitest";
import type { NumericType } from "../../../src/concat/common-type.js";
import { uniteArrays } from "../src/arrays.js";

const FLOAT32: NumericType = { id: "Float", bits: 32 };
const FLOAT64: NumericType = { id: "Float", bits: 64 };
const INT32: NumericType = { id: "Int", bits: 32, signed: true };

const PCA = "obsm/X_pca";

function input(source: string, type: NumericType | null, width = 50) {
  return { source, arrays: new Map(type === null ? [] : [[PCA, { type, width }]]) };
}

describe("arrays of obsm", () => {
  test("have the common type of all inputs", () => {
    const inputs = [input("a", FLOAT32), input("b", FLOAT64)];
    expect(uniteArrays(inputs, [PCA], null)).toEqual({
      arrays: [{ name: PCA, type: FLOAT64, width: 50 }],
      notes: [],
    });
  });

  test("are taken where they are asked for, and in additions where the union has them", () => {
    const inputs = [input("a", FLOAT32)];
    const before = [{ name: PCA, type: FLOAT32, width: 50 }];
    expect(uniteArrays(inputs, null, null).arrays).toEqual([]);
    expect(uniteArrays(inputs, null, before).arrays).toEqual(before);
    expect(uniteArrays([input("a", null)], null, before).arrays).toEqual(before);
    expect(() => uniteArrays(inputs, [PCA], [])).toThrow(/X_pca: the union does not have it/);
    expect(() => uniteArrays(inputs, ["obsm/X_umap"], before)).toThrow(/X_umap: the union does not have it/);
  });

  test("that do not fit together are an error that names the inputs and both numbers", () => {
    expect(() => uniteArrays([input("a", null)], [PCA], null)).toThrow(/X_pca: no input has it as an array/);
    expect(() => uniteArrays([input("a", FLOAT32), input("b", FLOAT32, 20)], [PCA], null)).toThrow(
      /X_pca: a has 50 numbers for each observation, b has 20/,
    );
    const before = [{ name: PCA, type: FLOAT32, width: 50 }];
    expect(() => uniteArrays([input("b", FLOAT32, 20)], null, before)).toThrow(/the union has 50.*b has 20/);
    expect(() => uniteArrays([input("b", FLOAT64)], null, before)).toThrow(/are Float32 in the union.*Float64/);
  });

  test("have NaN where an input lacks them, which integers cannot", () => {
    const { notes } = uniteArrays([input("a", FLOAT32), input("b", null)], [PCA], null);
    expect(notes).toEqual(["obsm/X_pca: 1 of 2 inputs do not have it, whose rows are NaN"]);
    expect(() => uniteArrays([input("a", INT32), input("b", null)], [PCA], null)).toThrow(
      /X_pca: b does not have it, and Int32 has no missing value/,
    );
  });
});
