/** What becomes of columns that never were AnnData. */

import { describe, expect, test } from "vitest";
import type { Column } from "../../../src/arrow/column.js";
import { createField } from "../../../src/arrow/type.js";
import { InvalidInputError, isUnsupportedOrInvalid, UnsupportedError } from "../../../src/model/errors.js";
import { bools, dictionary, floats, ints, lists, names, ragged, table, tableOf, text, times } from "../tables.js";
import { frames, type Options, written } from "./write.js";

/** What is written of one column of obs, in batches. */
async function column(batches: readonly Column[], options: Options = {}) {
  const rows = batches.reduce((sum, batch) => sum + batch.length, 0);
  let first = 0;
  const obs = table(
    "obs",
    batches.map((value) => {
      const index = text(...Array.from({ length: value.length }, () => `c${first++}`));
      return { _index: index, value };
    }),
    { counted: false },
  );
  return written([obs, ...frames(rows, 1).slice(1)], options);
}

const array = { "encoding-type": "array", "encoding-version": "0.2.0" };

describe("integers and booleans", () => {
  test("of which some are missing are nullable, zero below the mask", async () => {
    const { out } = await column([ints(Int16Array.of(5, 9, 7), 1)]);
    expect(out.at("obs/value").attributes).toEqual({
      "encoding-type": "nullable-integer",
      "encoding-version": "0.1.0",
    });
    expect(out.at("obs/value/values")).toMatchObject({ attributes: array, type: "int16", values: [5, 0, 7] });
    expect(out.at("obs/value/mask")).toMatchObject({ attributes: array, type: "bool", values: [false, true, false] });
    const flags = await column([bools(true, null)]);
    expect(flags.out.at("obs/value").attributes["encoding-type"]).toBe("nullable-boolean");
    expect(flags.out.at("obs/value/values").values).toEqual([true, false]);
  });

  test("of which none is missing are plain, though they might be", async () => {
    const { out } = await column([ints(BigUint64Array.of(2n ** 64n - 1n)), ints(BigUint64Array.of(0n))]);
    expect(out.at("obs/value")).toMatchObject({ attributes: array, type: "uint64", values: [2n ** 64n - 1n, 0n] });
    expect(out.at("obs/value").announced).toEqual([2]);
  });

  test("are nullable where the first missing one comes in a late batch", async () => {
    const { out } = await column([ints(Int8Array.of(1)), ints(Int8Array.of(2)), ints(Int8Array.of(3), 0)]);
    expect(out.at("obs/value/mask").values).toEqual([false, false, true]);
    expect(out.at("obs/value/values").values).toEqual([1, 2, 0]);
  });
});

describe("text", () => {
  test("is a string array, of which some are missing a categorical, so that anndata 0.8 reads it", async () => {
    const plain = await column([text("b", ""), text("a")]);
    expect(plain.out.at("obs/value")).toMatchObject({ type: "text", values: ["b", "", "a"] });
    expect(plain.out.at("obs/value").attributes["encoding-type"]).toBe("string-array");
    const { out } = await column([text("b", null), text("a", "b")]);
    expect(out.at("obs/value").attributes).toMatchObject({ "encoding-type": "categorical", ordered: false });
    expect(out.at("obs/value/codes").values).toEqual([0, -1, 1, 0]);
    expect(out.at("obs/value/categories").values).toEqual(["b", "a"]);
  });

  test("of which some are missing is a nullable string array for anndata 0.13", async () => {
    const { out } = await column([text("b", null)], { profile: "0.13" });
    expect(out.at("obs/value").attributes).toEqual({
      "encoding-type": "nullable-string-array",
      "encoding-version": "0.1.0",
      "na-value": "NA",
    });
    expect(out.at("obs/value/values").values).toEqual(["b", ""]);
    expect(out.at("obs/value/mask").values).toEqual([false, true]);
  });

  test("keeps the encoding that it had, whatever the profile", async () => {
    const fields = [
      {
        ...createField("_index", { id: "Utf8" }, false),
        metadata: { kind: "nullable-string-array", "na-value": "NaN" },
      },
      { ...createField("t", { id: "Utf8" }), metadata: { kind: "nullable-string-array" } },
    ];
    const metadata = { kind: "dataframe", index: "_index" };
    const batch = { length: 1, columns: [text("a"), text(null)] };
    const { out } = await written([tableOf("obs", fields, [batch], { metadata, rows: 1 }), frames(1, 1)[1]]);
    expect(out.at("obs/_index").attributes).toMatchObject({
      "encoding-type": "nullable-string-array",
      "na-value": "NaN",
    });
    expect(out.at("obs/t").attributes).not.toHaveProperty("na-value");
  });
});

describe("dictionaries", () => {
  test("have codes as narrow as pandas makes them", async () => {
    const many = names(127, "k");
    const { out } = await column([dictionary([126, null], many)]);
    expect(out.at("obs/value/codes").type).toBe("int16");
    expect((await column([dictionary([125], names(126, "k"))])).out.at("obs/value/codes").type).toBe("int8");
  });

  test("that change from batch to batch become one", async () => {
    const { out } = await column([dictionary([0, 1], text("x", "y")), dictionary([1, 0, null], text("z", "x"))]);
    expect(out.at("obs/value/codes").values).toEqual([0, 1, 0, 2, -1]);
    expect(out.at("obs/value/categories").values).toEqual(["x", "y", "z"]);
  });

  test("of numbers keep them, and all categories, used or not", async () => {
    const { out } = await column([dictionary([1], ints(Uint8Array.of(3, 250, 7)))]);
    expect(out.at("obs/value/categories")).toMatchObject({ attributes: array, type: "uint8", values: [3, 250, 7] });
  });

  test("whose index leaves the dictionary are refused", async () => {
    await expect(column([dictionary([5], text("x"))])).rejects.toThrow(
      "obs/value: index 5 at 0 lies outside a dictionary of 1",
    );
  });
});

describe("floats", () => {
  test("of which some are missing have no form; with losses they are NaN", async () => {
    const values = floats(Float64Array.of(1, 2), 1);
    await expect(column([values])).rejects.toThrow(InvalidInputError);
    await expect(column([values])).rejects.toThrow("obs/value: missing values in floats");
    const { out, warnings } = await column([values], { lossy: true });
    expect(out.at("obs/value").values).toEqual([1, Number.NaN]);
    expect(warnings).toEqual([expect.stringContaining("obs/value: missing values in floats")]);
  });

  test("that are NaN stay so", async () => {
    const { out } = await column([floats(Float32Array.of(Number.NaN, -0))]);
    expect(out.at("obs/value")).toMatchObject({ type: "float32", values: [Number.NaN, -0] });
  });
});

describe("times", () => {
  test("are refused with what to do, or become ISO text with losses", async () => {
    const values = times(BigInt64Array.of(0n, 951_782_400n, 5n), 2);
    await expect(column([values])).rejects.toThrow("obs/value: anndata has no Timestamp<s>; cast it to text");
    const { out, warnings } = await column([values], { lossy: true, profile: "0.13" });
    expect(out.at("obs/value/values").values).toEqual(["1970-01-01T00:00:00", "2000-02-29T00:00:00", ""]);
    expect(out.at("obs/value/mask").values).toEqual([false, false, true]);
    expect(warnings).toHaveLength(1);
  });

  test("that Zarr had stay times in Zarr, and have no form in HDF5", async () => {
    const metadata = { kind: "array", shape: [2], unit: "s", step: 1 };
    const element = table("uns/when", [{ value: times(BigInt64Array.of(1n, 0n), 1) }], { metadata });
    const { out } = await written([...frames(1, 1), element], { kind: "zarr2" });
    expect(out.at("uns/when")).toMatchObject({ type: "datetime", values: [1n, -(2n ** 63n)] });
    await expect(written([...frames(1, 1), element])).rejects.toThrow("uns/when: HDF5 has no type for Timestamp<s>");
  });
});

describe("lists", () => {
  test("of fixed size are arrays of two dimensions", async () => {
    const value = lists(2, floats(Float32Array.of(1, 2, 3, 4, 5, 6)));
    const { out } = await written([...frames(3, 1), table("obsm/X_umap", [{ value }])]);
    expect(out.at("obsm/X_umap")).toMatchObject({
      attributes: array,
      type: "float32",
      announced: [3, 2],
      values: [1, 2, 3, 4, 5, 6],
    });
  });

  test("of any size are awkward arrays", async () => {
    const value = ragged([0, 2, 2, 3], ints(Int32Array.of(1, 2, 3)));
    const { out } = await written([...frames(3, 1), table("obsm/r", [{ value: { ...value } }])]);
    const { form, ...attributes } = out.at("obsm/r").attributes;
    expect(attributes).toEqual({ "encoding-type": "awkward-array", "encoding-version": "0.1.0", length: 3n });
    expect(JSON.parse(String(form))).toMatchObject({ class: expect.stringMatching(/Array$/) });
    const buffers = out.below("obsm/r/").filter((path) => path.endsWith("-offsets"));
    expect(out.at(buffers[0])).toMatchObject({ attributes: array, type: "int64", values: [0n, 2n, 2n, 3n] });
  });

  test("in obs stand in obsm, since a dataframe cannot hold them", async () => {
    const { out, warnings } = await column([lists(2, floats(Float64Array.of(1, 2, 3, 4)))]);
    expect(out.at("obsm/value")).toMatchObject({ announced: [2, 2], values: [1, 2, 3, 4] });
    expect(out.at("obs").attributes["column-order"]).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("it is written as obsm/value")]);
    const frame = table("uns/f", [{ index: text("a"), l: lists(1, ints(Int8Array.of(1))) }]);
    await expect(written([...frames(1, 1), frame])).rejects.toThrow('uns/f: column "l" is FixedSizeList');
  });
});

describe("what anndata cannot read", () => {
  test("a column of nothing but nulls is a categorical in which all are missing", async () => {
    const { out } = await column([{ layout: "null", type: { id: "Null" }, length: 2, validity: null }]);
    expect(out.at("obs/value/codes").values).toEqual([-1, -1]);
    expect(out.at("obs/value/categories").values).toEqual([]);
  });

  test("text ends at a NUL in HDF5", async () => {
    await expect(column([text("a\0b")])).rejects.toThrow("obs/value: text with a NUL");
    const lossy = await column([text("a\0b", "c")], { lossy: true });
    expect(lossy.out.at("obs/value").values).toEqual(["a", "c"]);
    const zarr = await column([text("a\0b")], { kind: "zarr3" });
    expect(zarr.out.at("obs/value").values).toEqual(["a\0b"]);
  });

  test("times in lists have no form in HDF5: a refusal that names the table, which losses leave out", async () => {
    const element = table("uns/when", [{ value: ragged([0, 1], times(BigInt64Array.of(1n))) }]);
    const refused = written([...frames(1, 1), element]);
    await expect(refused).rejects.toThrow(UnsupportedError);
    await expect(refused).rejects.toSatisfy(isUnsupportedOrInvalid);
    await expect(refused).rejects.toMatchObject({ table: "uns/when", column: undefined });
  });
});
