/** Files of netCDF4, PyTables and xarray against what these libraries read of them (test/fixtures/hdf5/make_plain_libraries.py). */

import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import type { OpenOptions } from "../../../src/api/open.js";
import { tableOf } from "../anndata/expected.js";

const FOLDER = "test/fixtures/data/plain";

interface ExpectedArray {
  readonly value: readonly unknown[];
  readonly dimensions?: readonly string[] | null;
}

interface Expected {
  readonly raw: Readonly<Record<string, ExpectedArray>>;
  readonly cf: Readonly<Record<string, ExpectedArray>>;
}

function expectedOf(name: string): Expected {
  return JSON.parse(readFileSync(`${FOLDER}/${name}.expected.json`, "utf8"));
}

async function openFile(file: string, options: OpenOptions = {}) {
  const data = await open(`${FOLDER}/${file}`, options);
  onTestFinished(() => data.close());
  return data;
}

describe.each([
  ["netcdf4", "netcdf4.nc", "hdf5"],
  ["xarray2", "xarray2.zarr.zip", "zarr"],
  ["xarray3", "xarray3.zarr.zip", "zarr"],
])("%s", (name, file, format) => {
  test("has the stored values, and the names of the dimensions", async () => {
    const data = await openFile(file);
    expect(data.format).toBe(format);
    expect([...data.failures]).toEqual([]);
    const { raw } = expectedOf(name);
    expect([...data.tables.keys()]).toEqual([...Object.keys(raw).sort(), "/"]);
    for (const [path, { dimensions = null, value }] of Object.entries(raw)) {
      const table = data.table(path);
      // The stored characters are one text each, which the CF conventions join.
      if (path !== "letters_of") expect((await tableOf(table)).columns.value, path).toEqual(value);
      expect(table.metadata.dimensions ?? null, path).toEqual(dimensions);
    }
  });
});

test("attributes that only tie dimensions to arrays stand in no metadata", async () => {
  const data = await openFile("netcdf4.nc");
  const { columns } = await tableOf(data.table("/"));
  for (const attributes of columns.attributes) {
    expect(String(attributes)).not.toMatch(/DIMENSION_LIST|REFERENCE_LIST|_Netcdf4|CLASS|NAME/);
  }
  expect(data.table("lat").metadata.attributes).toEqual({ units: "degrees_north" });
  const xarray = await openFile("xarray2.zarr.zip");
  expect(xarray.table("x").metadata).not.toHaveProperty("attributes");
});

test("a dimension without a variable is listed with its length, and no table", async () => {
  const data = await openFile("netcdf4.nc");
  const { columns } = await tableOf(data.table("/"));
  const listed = columns.path.flatMap((path, i) => (columns.kind[i] === "dimension" ? [[path, columns.shape[i]]] : []));
  expect(listed).toEqual([
    ["letters", ["3"]],
    ["model/level", ["2"]],
    ["model/x", ["3"]],
    ["station", ["5"]],
  ]);
  expect(data.tables.has("station")).toBe(false);
});

describe("PyTables", () => {
  test("has the values that PyTables reads", async () => {
    const data = await openFile("pytables.h5");
    const { raw } = expectedOf("pytables");
    const found = Object.fromEntries(
      await Promise.all(
        Object.keys(raw).map(async (path) => [path, (await tableOf(data.table(path))).columns] as const),
      ),
    );
    // Times are microseconds of a Timestamp here, and seconds there.
    const seconds = (ticks: readonly unknown[]) => ticks.map((tick) => Number(tick) / 1e6);
    found.times = { value: seconds(found.times.value) };
    const { time, day, ...rest } = found["group/table"];
    found["group/table"] = { ...rest, time: seconds(time), day: day.map(Number) };
    expect(found).toEqual(raw);
  });

  test("types are those that its columns declare", async () => {
    const data = await openFile("pytables.h5");
    const { fields } = data.table("group/table").schema;
    expect(Object.fromEntries(fields.map(({ name, type }) => [name, String(type)]))).toEqual({
      ...{ idn: "Int64", name: "Utf8", time: "Timestamp<MICROSECOND>", day: "Timestamp<SECOND>" },
      ...{ kind: "Dictionary<Uint8, Utf8>", matrix: "FixedSizeList[2]<FixedSizeList[3]<Float32>>", flag: "Bool" },
      ...{ number: "Struct<{real:Float64, imag:Float64}>", sub: "Struct<{x:Float64, deep:Struct<{y:Int8}>}>" },
    });
  });

  test("indexes of tables are no tables, and pickled objects are refused by their name", async () => {
    const data = await openFile("pytables.h5");
    expect([...data.tables.keys()].filter((name) => name.includes("_i_"))).toEqual([]);
    const { columns } = await tableOf(data.table("/"));
    expect(columns.kind[columns.path.indexOf("group/_i_table")]).toBe("index");
    expect([...data.failures].map(([name, { problem }]) => [name, problem])).toEqual([
      ["objects", "pickled objects of Python (PyTables' ObjectAtom), which may run any code"],
    ]);
  });
});

describe("the CF conventions", () => {
  test.each([
    ["netcdf4", "netcdf4.nc"],
    ["xarray2", "xarray2.zarr.zip"],
    ["xarray3", "xarray3.zarr.zip"],
  ])("%s: values are those that netCDF4 and xarray decode", async (name, file) => {
    const data = await openFile(file, { cf: true });
    expect([...data.failures]).toEqual([]);
    for (const [path, { value }] of Object.entries(expectedOf(name).cf)) {
      expect((await tableOf(data.table(path))).columns.value, path).toEqual(value);
    }
  });
});
