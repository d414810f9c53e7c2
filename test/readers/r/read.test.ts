import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Dataset } from "../../../src/model/dataset.js";
import { open } from "../../../src/node.js";

/** Objects that R wrote, and what R says is in them (test/fixtures/make_r.R). */
const FOLDER = "test/fixtures/data/r";
const EXPECTED: Record<string, Record<string, object>> = JSON.parse(readFileSync(`${FOLDER}/expected.json`, "utf8"));
const file = (name: string) => `${FOLDER}/${name.includes(".") ? name : `${name}.rds`}`;

/** A value of Arrow as R's script writes it: NaN and infinities as text, times in milliseconds. */
function plain(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "object") return value;
  if (Symbol.iterator in value && typeof value[Symbol.iterator] === "function") return Array.from(Object(value), plain);
  if ("toJSON" in value && typeof value.toJSON === "function") return plain(value.toJSON());
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}

async function columns(data: Dataset, name: string): Promise<Record<string, unknown[]>> {
  const table = await data.table(name).read();
  return Object.fromEntries(
    table.schema.fields.map((field, i) => {
      const vector = table.getChildAt(i);
      return [field.name, Array.from({ length: table.numRows }, (_, row) => plain(vector?.get(row)))];
    }),
  );
}

/** R's script unpacks lists of one, and tells the levels of factors beside their values. */
function wanted(column: unknown): unknown {
  if (typeof column === "object" && column !== null && "levels" in column && "values" in column)
    return wanted(column.values);
  return Array.isArray(column) ? column : [column];
}

async function compare(data: Dataset, name: string, { shape, ...expected }: Record<string, unknown>): Promise<void> {
  const found = await columns(data, name);
  expect(Object.keys(found), name).toEqual(Object.keys(expected));
  for (const [column, values] of Object.entries(expected))
    expect(found[column], `${name}: ${column}`).toEqual(wanted(values));
  if (shape !== undefined) expect(data.table(name).metadata.shape, name).toEqual(shape);
}

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
    ...{ factor: "Dictionary<Int32, Utf8>", ordered: "Dictionary<Int32, Utf8>", date: "Timestamp<SECOND>" },
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
