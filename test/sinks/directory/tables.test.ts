import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Table, tableFromArrays, tableFromIPC } from "apache-arrow";
import { readParquet } from "parquet-wasm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { convertTo } from "../../../src/api/convert.node.js";
import { open } from "../../../src/api/open.node.js";
import { InvalidDataError } from "../../../src/model/errors.js";
import { datasetOf, tableOf } from "../dataset-of.js";

const types = tableFromIPC(readFileSync("test/fixtures/data/sinks/types.arrow"));
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-tables-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const obs = tableOf("obs", types.select(["utf8", "dictionary_int8", "list_dictionary"]), { axis: "row", batchRows: 6 });
const counts = tableOf("layers/a b", tableFromArrays({ row: Int32Array.of(0, 1) }), { kind: "csr_matrix" });
const dataset = datasetOf([obs, counts]);

const files = (path: string) =>
  readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.\w+$/.test(file) && !file.endsWith(".categories"))
    .sort();
const json = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

describe("a directory of Parquet files", () => {
  beforeAll(() => convertTo(dataset, join(folder, "pq"), { format: "parquet" }));

  test("has a manifest of its tables", () => {
    expect(json(join(folder, "pq", "manifest.json"))).toEqual({
      annarrow: 1,
      format: "anndata",
      formatVersion: "0.1.0",
      container: "hdf5",
      shape: [3, 2],
      tables: [
        {
          name: "obs",
          file: "obs.parquet",
          kind: "dataframe",
          rows: 20,
          categories: {
            dictionary_int8: "obs.categories/dictionary_int8.parquet",
            "list_dictionary.item": "obs.categories/list_dictionary.item.parquet",
          },
        },
        { name: "layers/a b", file: "layers/a%20b.parquet", kind: "csr_matrix", rows: 2 },
      ],
    });
  });

  test("has all categories, in order", () => {
    const bytes = readFileSync(join(folder, "pq", "obs.categories", "dictionary_int8.parquet"));
    const values = tableFromIPC(readParquet(bytes).intoIPCStream());
    expect(values.schema.fields.map((field) => field.name)).toEqual(["value"]);
    expect(values.getChild("value")?.toJSON()).toEqual(["c", "a", "b", "unused"]);
  });

  test("is not replaced without leave, and then as a whole", async () => {
    await expect(convertTo(dataset, join(folder, "pq"), { format: "arrow" })).rejects.toThrow("exists already");
    await convertTo(datasetOf([counts]), join(folder, "pq"), { format: "arrow", overwrite: true });
    expect(files(join(folder, "pq"))).toEqual(["layers/a%20b.arrow", "manifest.json"]);
  });
});

test("what Parquet cannot hold is an .arrow file beside the others", async () => {
  const empty = tableOf("uns/empty", new Table([tableFromArrays({ a: [1] }).batches[0].select([])]));
  await convertTo(datasetOf([counts, empty]), join(folder, "mixed"), { format: "parquet" });
  expect(files(join(folder, "mixed"))).toEqual(["layers/a%20b.parquet", "manifest.json", "uns/empty.arrow"]);
});

test("as CSV an array has a column for each number, and only listings of nested columns are left out", async () => {
  const place = join(folder, "csv");
  const data = await open("examples/pbmc.h5ad");
  const result = await convertTo(data, place, { format: "csv" });
  const umap = (await data.table("obsm/X_umap").read()).getChild("value")?.get(1);
  await data.close();
  const [title, , second] = readFileSync(join(place, "obsm/X_umap.csv"), "utf8").split("\n");
  expect(title).toBe("0,1");
  expect(second.split(",").map((text) => Math.fround(Number(text)))).toEqual([...umap]);
  expect(result.warnings).toEqual(["left out: uns: nested columns, which csv cannot hold"]);
  expect(files(place)).toContain("uns/pca/params/n_comps.csv");
});

describe("what fails leaves nothing behind", () => {
  const failing = tableOf("var", types.select(["utf8"]), { batchRows: 5, failsAfter: 2 });

  test.each([["parquet"], ["arrow"], ["csv"]])("as %s", async (to) => {
    const place = join(folder, `failed-${to}`);
    await expect(convertTo(datasetOf([counts, failing]), place, { format: to })).rejects.toThrow(
      "var: the file ends here",
    );
    expect(readdirSync(folder).filter((name) => name.includes("failed"))).toEqual([]);
  });

  test("and what was there before stays", async () => {
    const place = join(folder, "kept.arrow");
    writeFileSync(place, "before");
    const only = { tables: ["var"], overwrite: true };
    await expect(convertTo(datasetOf([failing]), place, only)).rejects.toThrow("the file ends here");
    expect(readFileSync(place, "utf8")).toBe("before");
    expect(readdirSync(folder).filter((name) => name.includes("kept"))).toEqual(["kept.arrow"]);
  });

  test("with lossy it is left out, with a warning", async () => {
    const place = join(folder, "lossy");
    const failures = new Map([["uns/odd", new InvalidDataError("odd", { element: "uns/odd" })]]);
    const broken = datasetOf([counts, failing], { failures });
    const result = await convertTo(broken, place, { format: "parquet", lossy: true });
    expect(result.warnings).toEqual(["left out: uns/odd: odd", "left out: var: the file ends here"]);
    expect(files(place)).toEqual(["layers/a%20b.parquet", "manifest.json"]);
  });

  test("an element that cannot be read stops the conversion, unless it was not asked for", async () => {
    const failures = new Map([["uns/odd", new InvalidDataError("odd", { element: "uns/odd" })]]);
    const broken = datasetOf([counts], { failures });
    await expect(convertTo(broken, join(folder, "odd"), { format: "arrow" })).rejects.toThrow("uns/odd: odd");
    expect(existsSync(join(folder, "odd"))).toBe(false);
    const result = await convertTo(broken, join(folder, "even"), { format: "arrow", tables: ["layers/a b"] });
    expect(result.tables).toHaveLength(1);
  });

  test("a cancelled conversion", async () => {
    const controller = new AbortController();
    const onProgress = ({ done }: { done: number }) => done > 0 && controller.abort();
    const options = { format: "parquet", signal: controller.signal, onProgress };
    await expect(convertTo(dataset, join(folder, "cancelled"), options)).rejects.toThrow("aborted");
    expect(readdirSync(folder).filter((name) => name.includes("cancelled"))).toEqual([]);
  });
});

describe("places", () => {
  test("an empty folder may be taken", async () => {
    mkdirSync(join(folder, "empty"));
    await convertTo(datasetOf([counts]), join(folder, "empty"), { format: "arrow" });
    expect(files(join(folder, "empty"))).toContain("manifest.json");
  });

  test("a folder of other things is never replaced", async () => {
    mkdirSync(join(folder, "home"));
    writeFileSync(join(folder, "home", "thesis.txt"), "");
    const options = { format: "arrow", overwrite: true };
    await expect(convertTo(dataset, join(folder, "home"), options)).rejects.toThrow("is neither a Zarr store");
    expect(existsSync(join(folder, "home", "thesis.txt"))).toBe(true);
  });

  test("a folder that does not exist is named", async () => {
    await expect(convertTo(dataset, join(folder, "no", "x.csv"), { tables: ["obs"] })).rejects.toThrow(
      /no: no such folder/,
    );
  });
});

describe("one file", () => {
  test("needs one table", async () => {
    await expect(convertTo(dataset, join(folder, "x.csv"))).rejects.toThrow(
      "name it with --table; there are obs, layers/a b",
    );
    await expect(convertTo(dataset, join(folder, "x.csv"), { tables: ["nope"] })).rejects.toThrow('no table "nope"');
  });

  test("with positions", async () => {
    const options = { tables: ["obs"], positions: true, overwrite: true };
    const named = datasetOf([tableOf("obs", types.select(["int8"]), { axis: "row" })]);
    await convertTo(named, join(folder, "obs.csv"), options);
    expect(readFileSync(join(folder, "obs.csv"), "utf8").split("\n").slice(0, 3)).toEqual(["int8,row", ",0", "127,1"]);
  });

  test("as Parquet warns of the categories that it cannot keep", async () => {
    const result = await convertTo(dataset, join(folder, "obs.parquet"), { tables: ["obs"] });
    expect(result.tables).toEqual([{ name: "obs", rows: 20, file: "obs.parquet" }]);
    expect(result.warnings[0]).toMatch(
      /obs: Parquet keeps neither unused categories nor their order \(dictionary_int8\)/,
    );
  });
});
