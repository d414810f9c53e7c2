import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compare } from "../../../../../test/values-of-r.js";
import { open } from "../../../../published/src/node.js";

/** Objects that R wrote, and what R says is in them (test/fixtures/r/make_r.R). */
const FOLDER = "test/fixtures/data/r";
const EXPECTED: Record<string, Record<string, object>> = JSON.parse(readFileSync(`${FOLDER}/expected.json`, "utf8"));
const file = (name: string) => `${FOLDER}/${name.includes(".") ? name : `${name}.rds`}`;

describe("what R wrote", () => {
  test.each(Object.keys(EXPECTED))("%s", async (name) => {
    const data = await open(file(name));
    expect(data).toMatchObject({ format: "r", container: "rds" });
    for (const [table, values] of Object.entries(EXPECTED[name])) await compare(data, table, { ...values });
    await data.close();
  });
});

test("types, zones and levels", async () => {
  const data = await open(file("frame"));
  const table = await data.table("value").read();
  const types = Object.fromEntries(table.schema.fields.map(({ name, type }) => [name, String(type)]));
  expect(types).toEqual({
    ...{
      logical: "Bool",
      integer: "Int32",
      double: "Float64",
      whole: "Float64",
      text: "Utf8",
      big: "Int64",
      raw: "Uint8",
    },
    ...{ factor: "Dictionary<Int32, Utf8>", ordered: "Dictionary<Int32, Utf8>", date: "Date32<DAY>" },
    ...{ time: "Timestamp<MICROSECOND, Europe/Berlin>", lasts: "Duration<MICROSECOND>" },
    complex: "Struct<{real:Float64, imag:Float64}>",
  });
  for (const name of ["factor", "ordered"]) {
    const expected = Reflect.get(EXPECTED.frame.value, name);
    const dictionary = table.getChild(name)?.data[0].dictionary;
    expect(Array.from(dictionary ?? [])).toEqual(expected.levels);
    const field = data.table("value").schema.fields.find((one) => one.name === name);
    expect(field?.type).toMatchObject({ isOrdered: expected.ordered });
  }
});

test("what has no table is a failure with its name", async () => {
  const failuresOf = async (name: string) => {
    const { failures } = await open(file(name));
    return Object.fromEntries([...failures].map(([place, error]) => [place, error.problem]));
  };
  expect(await failuresOf("list")).toEqual({
    f: "a function, no vector",
    formula: "an R object of the class formula, no vector",
    env: "an R value of the kind environment, no vector",
    call: "an R value of the kind language, no vector",
    code: "a function, no vector",
  });
  expect(Object.keys(await failuresOf("frame-odd"))).toEqual(["value/list", "value/function_list"]);
  expect(await failuresOf("se-hdf5")).toEqual({
    "layers/b": expect.stringContaining("a delayed operation that only R evaluates"),
  });
});

test("the version is the one that the object states", async () => {
  expect((await open(file("seurat"))).version).toBe("Seurat 4.1.3");
  expect((await open(file("sce"))).version).toBe("SingleCellExperiment");
});

test("split layers without a cell in common are joined, as JoinLayers does", async () => {
  const data = await open(file("seurat5-split"));
  expect([...data.tables.keys()].filter((name) => name === "X" || name.startsWith("layers/"))).toEqual(["X"]);
  // Rows of a part that begins and ends between the entries of the layers.
  const whole = await data.table("X").read();
  const { numRows } = whole;
  const rows = (from: number, to: number) => data.table("X").read({ rows: [from, to] });
  for (let from = 0; from < numRows; from += 3) {
    const part = await rows(from, Math.min(from + 3, numRows));
    expect(part.toArray().map(String)).toEqual(
      whole
        .slice(from, from + 3)
        .toArray()
        .map(String),
    );
  }
});
