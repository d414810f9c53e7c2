/** Plain arrays written as HDF5 and Zarr, and read again: they have the values that h5py read of the first file. */

import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { convert, open, write } from "../../../packages/published/src/node.js";
import { tableOf, tablesOf } from "../../readers/anndata/expected.js";

const FOLDER = "test/fixtures/data/plain";

interface Expected {
  readonly arrays: Readonly<Record<string, unknown>>;
  readonly attributes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const expectedOf = (name: string): Expected => JSON.parse(readFileSync(`${FOLDER}/${name}.expected.json`, "utf8"));

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "annarrow-plain-"));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

async function contentOf(path: string) {
  const data = await open(path);
  onTestFinished(() => data.close());
  const tables = Object.entries(await tablesOf(data)).map(([name, { columns }]) => [name, columns] as const);
  const { columns } = await tableOf(data.table("/"));
  const attributes = columns.path.map((name, i) => [name, JSON.parse(String(columns.attributes[i])) ?? {}] as const);
  return { data, arrays: Object.fromEntries(tables), attributes: Object.fromEntries(attributes) };
}

function without<T>(all: Readonly<Record<string, T>>, left: readonly string[]): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => !left.includes(name)));
}

describe("HDF5", () => {
  test.each(["types", "sequences"])("%s.h5 keeps its values, its types and its attributes", async (name) => {
    const output = join(await folder(), "out.h5");
    await convert(`${FOLDER}/${name}.h5`, output, { format: "hdf5" });
    const { data, arrays, attributes } = await contentOf(output);
    expect(data.format).toBe("hdf5");
    const expected = expectedOf(name);
    expect(without(arrays, ["soft"])).toEqual(expected.arrays);
    expect(without(attributes, ["soft"])).toEqual(expected.attributes);
    const first = await open(`${FOLDER}/${name}.h5`);
    onTestFinished(() => first.close());
    for (const [path, table] of first.tables) {
      const types = (one: typeof table) => one.schema.fields.map((field) => `${field.name}: ${field.type}`);
      expect(types(data.table(path)), path).toEqual(types(table));
    }
  });

  test("numbers in attributes keep their widths", async () => {
    const input = join(await folder(), "in.h5");
    const output = join(await folder(), "out.h5");
    const widths = {
      "/": { numbers: "int16", large: "int64" },
      vector: { small: "uint8", whole: "float64", single: "float32", most: "uint64", list: "int8" },
    };
    const values = { small: 255, whole: 3, single: 0.5, most: String(2n ** 64n - 1n), list: [-1, 2], usual: 7 };
    // The widths of "/" are those of numpy in make_plain.py.
    await using first = await open(`${FOLDER}/types.h5`);
    expect(first.table("/").metadata.attributeTypes).toEqual({ "": widths["/"] });
    const table = await first.table("vector").read();
    const metadata = { ...first.table("vector").metadata, attributes: values, attributeTypes: widths.vector };
    table.schema.metadata.set("annarrow", JSON.stringify(metadata));
    await write(input, { vector: table }, { format: "hdf5" });
    await convert(input, output, { format: "hdf5" });
    await using again = await open(output);
    expect(again.table("vector").metadata.attributes).toEqual(values);
    expect(again.table("vector").metadata.attributeTypes).toEqual(widths.vector);
  });

  test.each([["hdf5", "tables.h5"] as const, ["plain.zarr", "tables.plain.zarr"] as const])(
    "as %s, tables with the names of an AnnData stay tables",
    async (format, name) => {
      const output = join(await folder(), name);
      const pbmc = await open("examples/pbmc.h5ad");
      onTestFinished(() => pbmc.close());
      const names = ["X", "obsm/X_umap", "obsp/distances"];
      const tables = await Promise.all(names.map(async (one) => [one, await pbmc.table(one).read()] as const));
      await write(output, new Map(tables), { format });
      const data = await open(output);
      onTestFinished(() => data.close());
      expect(data.format).toBe(format === "hdf5" ? "hdf5" : "zarr");
      expect([...data.tables.keys()]).toEqual([...names, "/"]);
      expect(data.table("X").rows).toBe(pbmc.table("X").rows);
    },
  );

  test("a name that says no format needs --to", async () => {
    const output = join(await folder(), "out.hdf5");
    await expect(convert(`${FOLDER}/types.h5`, output)).rejects.toThrow(/--to bpcells, or --to hdf5/);
  });

  test("a table below another one is refused", async () => {
    const data = await open(`${FOLDER}/types.h5`);
    onTestFinished(() => data.close());
    const output = join(await folder(), "out.h5");
    const tables = { a: data.table("vector"), "a/b": data.table("text") };
    await expect(write(output, tables, { format: "hdf5" })).rejects.toThrow(/a is an array/);
  });
});

describe("Zarr", () => {
  test("HDF5 becomes Zarr, and HDF5 again", async () => {
    const place = await folder();
    const store = join(place, "out.zarr");
    const { warnings } = await convert(`${FOLDER}/types.h5`, store, { lossy: true });
    // Zarr has no array without a value, and no sub-arrays that zarr-python 3 reads.
    const left = ["null", "record", "records"];
    for (const name of left)
      expect(
        warnings.some((warning) => warning.startsWith(`left out: ${name}`)),
        name,
      ).toBe(true);
    const expected = expectedOf("types");
    const zarr = await contentOf(store);
    expect(zarr.data.format).toBe("zarr");
    expect(without(zarr.arrays, ["soft"])).toEqual(without(expected.arrays, left));
    expect(without(zarr.attributes, ["soft"])).toEqual(without(expected.attributes, left));
    const again = join(place, "again.h5");
    await convert(store, again, { format: "hdf5" });
    const hdf5 = await contentOf(again);
    expect(without(hdf5.arrays, ["soft"])).toEqual(without(expected.arrays, left));
    expect(without(hdf5.attributes, ["soft"])).toEqual(without(expected.attributes, left));
  });

  test.each([2, 3] as const)("records with text of fixed width are written in version %i", async (zarrFormat) => {
    const place = await folder();
    const input = "test/fixtures/data/plain/record_parts.h5";
    const read = await open(input);
    onTestFinished(() => read.close());
    const records = await read.table("chunked").read();
    const output = join(place, "out.plain.zarr");
    const options = { format: "plain.zarr", zarrFormat } as const;
    await write(output, { records: records.select(["id", "fixed", "r"]) }, options);
    const { arrays } = await contentOf(output);
    const wanted = JSON.parse(readFileSync("test/fixtures/data/plain/record_parts.expected.json", "utf8"));
    const found = arrays.records;
    for (const name of ["id", "fixed", "r"]) expect(found[name].slice(0, 5), name).toEqual(wanted[name].slice(0, 5));
    const variable = { records: records.select(["id", "note"]) };
    await expect(write(join(place, "no.plain.zarr"), variable, options)).rejects.toThrow(
      /"note"\): write its columns as tables of their own/,
    );
  });

  test.each([2, 3] as const)("a store of version %i stays one", async (version) => {
    const output = join(await folder(), "out.zarr");
    await convert(`${FOLDER}/zarr${version}.zarr.zip`, output, { lossy: true, zarrFormat: version });
    const { data, arrays } = await contentOf(output);
    expect(data.container).toBe(`zarr${version}`);
    expect(arrays).toEqual(expectedOf(`zarr${version}`).arrays);
  });
});

test("an annotated matrix is written as the arrays of its tables", async () => {
  const output = join(await folder(), "out.h5");
  await convert("examples/pbmc.h5ad", output, { format: "hdf5", lossy: true });
  const data = await open(output, { openAs: "hdf5" });
  onTestFinished(() => data.close());
  expect(data.table("X").schema.fields.map(({ name }) => name)).toEqual(["row", "col", "value"]);
});

describe("names of dimensions", () => {
  const NETCDF = `${FOLDER}/netcdf4.nc`;

  test.each([2, 3] as const)("Zarr %i has them where xarray looks for them", async (version) => {
    const output = join(await folder(), "out.zarr");
    await convert(NETCDF, output, { zarrFormat: version });
    const json = (path: string) => JSON.parse(readFileSync(join(output, path), "utf8"));
    if (version === 2) {
      expect(json("tas/.zattrs")).toMatchObject({ _ARRAY_DIMENSIONS: ["time", "lat", "lon"], _FillValue: -999 });
      expect(json("crs/.zattrs")).toMatchObject({ _ARRAY_DIMENSIONS: [] });
      // xarray would take a fill value of 0 for a missing one.
      expect(json("tas/.zarray").fill_value).toBeNull();
    } else {
      expect(json("tas/zarr.json")).toMatchObject({
        dimension_names: ["time", "lat", "lon"],
        attributes: { _FillValue: -999, scale_factor: 0.01 },
      });
      // xarray keeps the missing value of floats as base64: here NaN.
      expect(json("nan/zarr.json").attributes._FillValue).toBe("AAAAAAAA+H8=");
    }
    const data = await open(output, { cf: true });
    onTestFinished(() => data.close());
    expect((await tableOf(data.table("big"))).columns.value).toEqual(["1", null, "4611686018427387904", "-5", "0"]);
    expect((await tableOf(data.table("nan"))).columns.value).toEqual([1, null, 2, 3, 4]);
  });

  test.each(["hdf5", "zarr"] as const)("decoded values for which %s has no form are an error", async (format) => {
    const output = join(await folder(), format === "hdf5" ? "out.h5" : "out.zarr");
    const options = { cf: true, ...(format === "hdf5" ? { format } : {}) } as const;
    await expect(convert(NETCDF, output, options)).rejects.toThrow(
      /big: row 1 of 5 has a missing value, .* has no form; without cf \(--cf\), numbers are written as they are stored/,
    );
  });

  test("HDF5 has them as labels, and the missing values of Zarr as numbers", async () => {
    const place = await folder();
    await convert(NETCDF, join(place, "out.zarr"), { zarrFormat: 3 });
    await convert(join(place, "out.zarr"), join(place, "out.h5"), { format: "hdf5" });
    const data = await open(join(place, "out.h5"), { cf: true });
    onTestFinished(() => data.close());
    const first = await open(NETCDF, { cf: true });
    onTestFinished(() => first.close());
    for (const [name, table] of first.tables) {
      if (table.derived || name === "letters_of") continue;
      expect(data.table(name).metadata.dimensions, name).toEqual(table.metadata.dimensions);
      expect((await tableOf(data.table(name))).columns, name).toEqual((await tableOf(table)).columns);
    }
  });
});
