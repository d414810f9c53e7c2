/** A column that cannot be read costs itself alone: its table has the other columns, and the names of its rows. */

import { join } from "node:path";
import { expect, test } from "vitest";
import type { Dataset } from "../../../packages/published/src/index.js";
import { convert } from "../../../packages/published/src/node.js";
import { open, place } from "../../formats/conversion/opened.js";

const DATA = "test/fixtures/data/broken-columns";

async function columnsOf(data: Dataset, name: string): Promise<Record<string, readonly unknown[]>> {
  const read = await data.table(name).read();
  const columns = read.schema.fields.map((field) => [field.name, [...(read.getChild(field.name) ?? [])]] as const);
  return Object.fromEntries(columns);
}

const NAMES = ["c0", "c1", "c2", "c3"];

test("columns that cannot be opened are failures of their own", async () => {
  const data = await open(join(DATA, "cells.h5ad"));
  expect(await columnsOf(data, "obs")).toEqual({
    _index: NAMES,
    n: [1n, 2n, 3n, 4n],
    kind: ["B", "T", "B", null],
    last: ["w", "x", "y", "z"],
  });
  expect(data.shape).toEqual([4, 2]);
  expect(await data.obsNames()).toEqual(NAMES);
  const failures = [...data.failures].map(([name, { tag, problem }]) => `${name}: ${tag}: ${problem}`);
  expect(failures).toEqual([
    'obs/gone: NotFoundError: no child of the name "gone"',
    'obs/holo: UnsupportedError: encoding-type "hologram" 0.2.0 is not known',
    "obs/masked: InvalidDataError: mask has 2 values, values have 4",
    'obs/short: InvalidDataError: column "short" has 3 rows, the index has 4',
    'uns/lost index/gone: NotFoundError: no child of the name "gone"',
    "uns/no index/_index: InvalidDataError: a dataframe without _index",
    'uns/short index/_index: InvalidDataError: column "_index" has 1 rows, most columns have 2',
  ]);
  expect(() => data.table("obs/short")).toThrow("has 3 rows");
});

test("a frame whose index or order cannot be read has its columns", async () => {
  const data = await open(join(DATA, "cells.h5ad"));
  expect(await columnsOf(data, "uns/lost index")).toEqual({ a: [1n, 2n], b: ["p", "q"] });
  expect(await columnsOf(data, "uns/short index")).toEqual({ a: [1n, 2n], b: ["p", "q"] });
  expect(await columnsOf(data, "uns/no index")).toEqual({ a: [1n, 2n] });
  for (const name of ["lost index", "short index", "no index"])
    expect(data.table(`uns/${name}`).metadata.index).toBeUndefined();
  expect(await columnsOf(data, "uns/no order")).toEqual({ _index: ["i", "j"], a: [1n, 2n], b: ["p", "q"] });
  expect(data.warnings).toEqual(["uns/no order: no column-order; the columns follow in the order of the group"]);
});

test("a conversion refuses to leave columns out, or names them", async () => {
  const input = join(DATA, "cells.h5ad");
  await expect(convert(input, place("h5ad"))).rejects.toThrow(/obs\/gone: no child.*--lossy/);
  await expect(convert(input, place("h5ad"), { tables: ["obs", "X"] })).rejects.toThrow("obs/gone: no child");
  const output = place("h5ad");
  const { warnings } = await convert(input, output, { lossy: true });
  expect(warnings.filter((text) => text.includes("obs/"))).toEqual([
    `left out: ${input}: obs/gone: no child of the name "gone"`,
    `left out: ${input}: obs/holo: encoding-type "hologram" 0.2.0 is not known`,
    `left out: ${input}: obs/masked: mask has 2 values, values have 4`,
    `left out: ${input}: obs/short: column "short" has 3 rows, the index has 4`,
    "obs/kind: a category is stored more than once, and is written once",
  ]);
  const written = await open(output);
  expect(await columnsOf(written, "obs")).toMatchObject({ _index: NAMES, kind: ["B", "T", "B", null] });
});

test("chunks of repeated categories are not kept", async () => {
  const output = place("h5ad");
  await convert(join(DATA, "cells.h5ad"), output, { lossy: true, compression: "keep" });
  expect((await columnsOf(await open(output), "obs")).kind).toEqual(["B", "T", "B", null]);
});

const FORMATS = ["h5ad", "zarr.zip", "loom", "mat", "h5seurat", "seurat.rds", "sce.rds", "duckdb", "parquet"];
test.each(FORMATS)("a value that cannot be read costs its column alone in .%s", async (format) => {
  const input = join(DATA, "values.h5ad");
  const data = await open(input);
  expect(await data.obsNames()).toEqual(NAMES);
  await expect(data.table("obs").read()).rejects.toThrow(/obs\/(code|latin)/);
  // A name that ends with .parquet is one file; tables are a folder.
  const options = format === "parquet" ? ({ format } as const) : {};
  const output = place(format === "parquet" ? "tables" : format);
  await expect(convert(input, output, options)).rejects.toThrow(/code 5 at 2|text 2 of 4/);
  const { warnings } = await convert(input, output, { ...options, lossy: true });
  expect(warnings).toEqual(
    expect.arrayContaining([
      "left out: obs/code: code 5 at 2 lies outside -1 … 1 (2 categories)",
      expect.stringMatching(/^left out: obs\/latin: text 2 of 4 is not UTF-8/),
    ]),
  );
  if (format !== "h5ad" && format !== "loom" && format !== "parquet") return;
  const columns = await columnsOf(await open(output), format === "loom" ? "col_attrs" : "obs");
  expect(Object.values(columns)).toEqual([NAMES, [1n, 2n, 3n, 4n]]);
});

test("a frame of more than 1000 columns that cannot be opened is one failure", async () => {
  const json = (value: object) => new TextEncoder().encode(JSON.stringify(value));
  const group = json({ zarr_format: 2 });
  const frame = (order: readonly string[]) =>
    json({ "encoding-type": "dataframe", "encoding-version": "0.2.0", _index: "_index", "column-order": order });
  const names = { zarr_format: 2, shape: [2], chunks: [2], dtype: "<i8", fill_value: 7, order: "C" };
  const index = json({ ...names, compressor: null, filters: null });
  const store = (columns: number) =>
    new Map([
      [".zgroup", group],
      [".zattrs", json({ "encoding-type": "anndata", "encoding-version": "0.1.0" })],
      ["obs/.zgroup", group],
      ["obs/.zattrs", frame(Array.from({ length: columns }, (_, i) => `c${i}`))],
      ["obs/_index/.zarray", index],
      ["var/.zgroup", group],
      ["var/.zattrs", frame([])],
      ["var/_index/.zarray", index],
    ]);
  const few = await open(store(1000));
  expect([few.tables.has("obs"), few.failures.size]).toEqual([true, 1000]);
  const many = await open(store(1001));
  expect([many.tables.has("obs"), [...many.failures.keys()]]).toEqual([false, ["obs"]]);
  expect(many.failures.get("obs")?.message).toBe(
    'map: obs: more than 1000 of its 1002 columns cannot be opened; the first is "c0": no such array or group',
  );
});
