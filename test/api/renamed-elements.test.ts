/** A modality as a dataset of its own, and another element as the main matrix. */

import { tableFromArrays } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { convert, type Dataset, slice, write } from "../../packages/published/src/node.js";
import { open, place } from "../formats/conversion/opened.js";

const COUNTS = "test/fixtures/data/annotated/counts.h5ad";
const MUDATA = "test/fixtures/data/mudata/axis0.h5mu";
const LOOM = "test/fixtures/data/loom/loompy.loom";

/** The rows of a table. */
async function rows(data: Dataset, name: string): Promise<string[]> {
  return (await data.table(name).read()).toArray().map(String);
}

const named = ({ tables }: Dataset) =>
  [...tables.values()].flatMap(({ name, derived }) => (derived ? [] : [name])).sort();

describe("a layer as X", () => {
  test("takes the place of X, with a warning", async () => {
    const data = await open(COUNTS);
    const part = await data.select({ X: "layers/csc" });
    expect(await rows(part, "X")).toEqual(await rows(data, "layers/csc"));
    expect(named(part)).toEqual(named(data).filter((name) => name !== "layers/csc"));
    expect(part.warnings).toEqual([...data.warnings, "left out: X: layers/csc takes the place of the matrix"]);
    expect(part.shape).toEqual(data.shape);
  });

  test("goes with a selection, into every format", async () => {
    const data = await open(COUNTS);
    const part = await data.select({ X: "layers/csc", obs: slice(3, 9), var: ["gene4", "gene2"] });
    const expected = await rows(await data.select({ obs: slice(3, 9), var: ["gene4", "gene2"] }), "layers/csc");
    for (const extension of ["h5ad", "zarr"]) {
      const output = place(extension);
      const { warnings } = await write(output, part);
      expect(warnings).toContain("left out: X: layers/csc takes the place of the matrix");
      expect((await rows(await open(output), "X")).sort()).toEqual([...expected].sort());
    }
  });

  test("works in Loom, whose matrix has another name", async () => {
    const data = await open(LOOM);
    const [layer] = [...data.tables.keys()].filter((name) => name.startsWith("layers/"));
    const part = await data.select({ X: layer });
    expect(await rows(part, "matrix")).toEqual(await rows(data, layer));
  });

  test("that is not there is an error with the matrices that are", async () => {
    const data = await open(COUNTS);
    await expect(data.select({ X: "layers/nothing" })).rejects.toMatchObject({
      tag: "NotFoundError",
      problem: expect.stringMatching(/^no matrix layers\/nothing; there are X, .*layers\/csc/),
    });
    await expect(data.select({ X: "obs" })).rejects.toThrow(/obs is no matrix of cells and genes; there are X/);
  });
});

test("raw/X comes with its variables, and all else along the variables is left out", async () => {
  const data = await open(COUNTS);
  const part = await data.select({ X: "raw/X" });
  expect(await rows(part, "var")).toEqual(await rows(data, "raw/var"));
  expect(await rows(part, "X")).toEqual(await rows(data, "raw/X"));
  expect(named(part).filter((name) => /^(layers|varm|varp|raw)\//.test(name))).toEqual([]);
  expect(part.shape).toEqual([data.shape?.[0], data.table("raw/var").rows]);
  expect((await write(place("h5ad"), part)).warnings.join()).toMatch(/left out: .*\bvar\b.*: raw\/X takes the place/);
});

describe("a modality", () => {
  test("is a dataset of its own, and so is a part of it", async () => {
    const data = await open(MUDATA);
    const [name] = [...data.tables.keys()].flatMap((table) => /^mod\/([^/]+)\/X$/.exec(table)?.[1] ?? []);
    const part = await data.select({ modality: name, obs: slice(0, 2) });
    const own = await (await open(MUDATA, { path: `mod/${name}` })).select({ obs: slice(0, 2) });
    expect([part.format, part.shape]).toEqual(["anndata", own.shape]);
    expect([...part.tables.keys()]).toEqual([...own.tables.keys()]);
    for (const table of own.tables.keys()) expect(await rows(part, table)).toEqual(await rows(own, table));
  });

  test("goes into .h5ad from .h5mu and from a folder of tables, and back under another name", async () => {
    const data = await open(MUDATA);
    const [name] = [...data.tables.keys()].flatMap((table) => /^mod\/([^/]+)\/X$/.exec(table)?.[1] ?? []);
    const [tables, output, again] = [place("tables"), place("h5ad"), place("h5mu")];
    await convert(MUDATA, tables, { format: "parquet" });
    await write(output, await (await open(tables)).select({ modality: name }));
    await write(again, await open(output), { as: "gex" });
    const whole = await open(again);
    expect(whole.format).toBe("mudata");
    for (const [table, { derived }] of (await data.select({ modality: name })).tables) {
      if (derived) continue;
      expect((await rows(whole, `mod/gex/${table}`)).sort()).toEqual((await rows(data, `mod/${name}/${table}`)).sort());
    }
  });

  test.each([
    [MUDATA, "nothing", /no modality "nothing"; did you mean /],
    [COUNTS, "rna", /no MuData, so there are no modalities \(format anndata\)/],
  ])("of %s that is called %s is an error", async (file, modality, message) => {
    await expect((await open(file)).select({ modality })).rejects.toThrow(message);
  });
});

describe("the name of a new modality", () => {
  test("goes with Zarr and given tables, whose index may have a column of its own", async () => {
    const output = place("zarr");
    const tables = {
      X: tableFromArrays({ row: Int32Array.of(0, 1), col: Int32Array.of(1, 0), value: Float32Array.of(5, 6) }),
      obs: tableFromArrays({ barcode: ["a", "b"], n: Int32Array.of(1, 2) }),
      var: tableFromArrays({ gene: ["g", "h"] }),
    };
    await write(output, tables, { as: "rna", index: { obs: "barcode", var: "gene" } });
    const data = await open(output, { path: "mod/rna" });
    expect([await data.obsNames(), await data.varNames()]).toEqual([
      ["a", "b"],
      ["g", "h"],
    ]);
  });

  test.each([
    ["h5mu", {}, /nothing says how this one is called: name it \(--as rna\)/],
    ["h5mu", { as: "a/b" }, /"a\/b" cannot be the name of a modality/],
    ["h5mu", { as: "" }, /"" cannot be the name of a modality/],
    ["h5ad", { as: "rna" }, /\.h5ad has no choice of the name of a modality \(--as\)/],
    ["loom", { as: "rna" }, /\.loom has no choice of the name of a modality \(--as\)/],
  ])(".%s with %j is an error", async (extension, options, message) => {
    await expect(write(place(extension), await open(COUNTS), options)).rejects.toThrow(message);
  });

  test("is refused for a MuData", async () => {
    await expect(write(place("h5mu"), await open(MUDATA), { as: "rna" })).rejects.toThrow(/a MuData already/);
  });
});

describe("new names", () => {
  const PBMC = "examples/pbmc.h5ad";

  test("go with an element and everything below it, in every container", async () => {
    const data = await open(PBMC);
    const rename = { "obsm/X_pca": "obsm/pca", "uns/neighbors": "uns/graph/of/cells" };
    const part = await data.select({ rename, obs: slice(0, 9) });
    const expected = named(data).map((name) =>
      name.replace(/^obsm\/X_pca$/, "obsm/pca").replace(/^uns\/neighbors\//, "uns/graph/of/cells/"),
    );
    expect(named(part)).toEqual(expected.sort());
    const whole = await data.select({ obs: slice(0, 9) });
    for (const extension of ["h5ad", "zarr"]) {
      const output = place(extension);
      await write(output, part);
      const again = await open(output);
      expect(named(again)).toEqual(expected.sort());
      expect(await rows(again, "obsm/pca")).toEqual(await rows(whole, "obsm/X_pca"));
      const paths = (await again.table("uns").read()).toArray().map(({ path }) => String(path));
      expect(paths.filter((path) => path.startsWith("uns/neighbors"))).toEqual([]);
      expect(paths).toContain("uns/graph/of/cells/params");
    }
    const tables = place("tables");
    await write(tables, part, { format: "parquet" });
    const folder = await (await open(tables)).select({ rename: { "obsm/pca": "obsm/again", "uns/graph": "uns/g" } });
    expect(await rows(folder, "obsm/again")).toEqual(await rows(whole, "obsm/X_pca"));
    const paths = (await folder.table("uns").read()).toArray().map(({ path }) => String(path));
    expect(paths.filter((path) => /^uns\/(graph|g)\//.test(path)).every((path) => path.startsWith("uns/g/"))).toBe(
      true,
    );
  });

  test("are swapped, and go with the choice of elements", async () => {
    const data = await open(COUNTS);
    const rename = { X: "layers/csc", "layers/csc": "X" };
    const part = await data.select({ rename, elements: ["X", "layers/csc", "obs", "var"] });
    expect([await rows(part, "X"), await rows(part, "layers/csc")]).toEqual([
      await rows(data, "layers/csc"),
      await rows(data, "X"),
    ]);
    expect(named(part)).toEqual(["X", "layers/csc", "obs", "var"]);
  });

  test("in a modality of a MuData, and in Loom", async () => {
    const mudata = await open(MUDATA);
    const [name] = [...mudata.tables.keys()].filter((one) => /^mod\/[^/]+\/X$/.test(one));
    const layer = name.replace(/X$/, "layers/raw");
    expect(await rows(await mudata.select({ rename: { [name]: layer } }), layer)).toEqual(await rows(mudata, name));
    const loom = await open(LOOM);
    const [own] = [...loom.tables.keys()].filter((one) => one.startsWith("layers/"));
    const renamed = await loom.select({ rename: { [own]: "layers/other" } });
    expect(await rows(renamed, "layers/other")).toEqual(await rows(loom, own));
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ["an element that is not there", { "obsm/pca": "obsm/p" }, /no element "obsm\/pca"; did you mean obsm\/X_pca/],
    [
      "a name that is taken",
      { "obsm/X_pca": "obsm/X_umap" },
      /obsm\/X_umap: the name of two elements: obsm\/X_pca and /,
    ],
    [
      "another axis",
      { "obsm/X_pca": "varm/pca" },
      /obsm\/X_pca: it lies along obs \(2700 x 20\), and varm\/pca along var \(\d+\)/,
    ],
    ["no axis", { "obsm/X_pca": "uns/pca" }, /along obs \(2700 x 20\), and uns\/pca along no axis/],
    ["no place of the format", { "obsm/X_pca": "pca" }, /the format has no place "pca"/],
    ["an empty part of a name", { "obsm/X_pca": "obsm//pca" }, /the format has no place "obsm\/\/pca"/],
    ["the table of an axis", { obs: "obsm/obs" }, /obs: the table of an axis keeps its name/],
    [
      "a column",
      { "obs/cell_type": "obs/type" },
      /obs\/cell_type: a column of obs: elements get new names, columns do not/,
    ],
  ])("%s is an error", async (_, rename, message) => {
    await expect((await open(PBMC)).select({ rename })).rejects.toThrow(message);
  });
});
