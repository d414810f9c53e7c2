import { describe, expect, test } from "vitest";
import type { Dataset } from "../../../src/model/dataset.js";
import { type ExpectedTable, tableOf } from "../anndata/expected.js";
import { expectedOf, openMatrix } from "./matrices.js";

/** The tables outside `uns`, and those of `uns` by their values. */
async function split(data: Dataset) {
  const tables: Record<string, ExpectedTable> = {};
  const uns: Record<string, unknown> = {};
  for (const [name, table] of data.tables) {
    if (table.derived) continue;
    const read = await tableOf(table);
    if (!name.startsWith("uns/")) tables[name] = read;
    else uns[name.slice(4)] = table.metadata.shape?.length === 0 ? read.columns.value[0] : read.columns.value;
  }
  return { tables, uns };
}

/** What Cell Ranger 2 says of the libraries, in attributes of the root. */
const LIBRARY = {
  chemistry_description: "Single Cell 3' v2",
  filetype: "matrix",
  library_ids: ["run_a", "run_b"],
  original_gem_groups: ["1", "1"],
};

const FILES = [
  ["v2", "2", [6, 9], { ...LIBRARY, genome: "hg19" }],
  ["v2-two-genomes", "2", null, LIBRARY],
  ["v2-bare", "2", [3, 4], { genome: "GRCh38" }],
  [
    "v3",
    "3",
    [40, 12],
    {
      chemistry_description: "Single Cell 3' v3",
      filetype: "matrix",
      library_ids: ["sample"],
      original_gem_groups: ["1"],
      version: "2",
      _all_tag_keys: ["genome"],
    },
  ],
  [
    "v3-features",
    "3",
    [7, 8],
    {
      version: "2",
      software_version: "cellranger-7.1.0",
      _all_tag_keys: ["genome", "pattern", "read", "sequence"],
    },
  ],
  ["probes", "3", [5, 6], { "target_sets/Visium Human Transcriptome": [0, 1, 2, 3, 5] }],
  [
    "extra",
    "3",
    [4, 3],
    {
      filetype: ["matrix"],
      "matrix/latent_scale": 0.5,
      "matrix/latent_gene_encoding": [0, 1, 2, 3].map((i) => [2 * i, 2 * i + 1]),
      "matrix/features/interval": [0, 1, 2].map((i) => [2 * i, 2 * i + 1]),
      "matrix/features/note": "made by hand",
      "metadata/cells": [3],
      checkpoint: [1.5, 2.5],
    },
  ],
  ["empty", "3", [0, 2], {}],
] as const;

describe.each(FILES)("%s", (name, version, shape, uns) => {
  test("has what scanpy reads, and nothing besides is lost", async () => {
    const data = await openMatrix(name);
    expect(data).toMatchObject({ format: "10x", container: "hdf5", version, shape });
    expect(data.failures).toEqual(new Map());
    expect(data.warnings).toEqual(
      name === "extra"
        ? ["uns/metadata: an attribute with the name of an array or group; the array or group is read"]
        : [],
    );
    expect(await split(data)).toEqual({ tables: expectedOf(name), uns });
  });

  test("lists what stands in uns", async () => {
    const data = await openMatrix(name);
    const listed = (await data.tables.get("uns")?.read())?.getChild("path")?.toArray() ?? [];
    const leaves = [...data.tables.keys()].filter((one) => one.startsWith("uns/"));
    expect([...listed]).toEqual(expect.arrayContaining(leaves));
    expect(leaves.length).toBe(Object.keys(uns).length);
  });
});

describe("types and places", () => {
  const types = async (name: string, table: string) =>
    Object.fromEntries((await openMatrix(name)).table(table).schema.fields.map((one) => [one.name, String(one.type)]));

  test("counts keep their type", async () => {
    expect(await types("v3", "X")).toEqual({ row: "Int32", col: "Int32", value: "Int32" });
    expect(await types("v3-features", "X")).toMatchObject({ value: "Uint32" });
    expect(await types("extra", "X")).toMatchObject({ value: "Float64" });
    expect((await openMatrix("v3")).table("X").metadata).toEqual({
      ...{ kind: "csr_matrix", shape: [40, 12], order: "row", indices: "int64", indptr: "int64" },
    });
  });

  test("flags are booleans, and columns stand in the order of scanpy", async () => {
    expect(await types("probes", "obs")).toEqual({ _index: "Utf8", filtered_barcodes: "Bool" });
    const columns = await types("probes", "var");
    expect(Object.keys(columns)).toEqual([
      ...["_index", "gene_ids", "probe_ids", "feature_types"],
      ...["filtered_probes", "gene_name", "genome", "probe_region"],
    ]);
    expect(columns.filtered_probes).toBe("Bool");
  });

  test("rows are cells and features, also of several genomes", async () => {
    const data = await openMatrix("v2-two-genomes");
    const axes = Object.fromEntries([...data.tables].map(([name, { axis }]) => [name, axis]));
    expect(axes).toMatchObject({ "hg19/X": "row", "hg19/obs": "row", "mm10/var": "col", "uns/filetype": null });
  });

  test("dataframes name their index for pandas", async () => {
    const { metadata } = (await openMatrix("v3")).table("obs").schema;
    expect(JSON.parse(metadata.get("pandas") ?? "{}")).toMatchObject({ index_columns: ["_index"] });
  });
});

describe("one group by its path", () => {
  test.each(["hg19", "mm10"])("the genome %s", async (path) => {
    const data = await openMatrix("v2-two-genomes", { path });
    const all = expectedOf("v2-two-genomes");
    const { tables, uns } = await split(data);
    expect(data).toMatchObject({ format: "10x", version: "2", shape: path === "hg19" ? [6, 9] : [5, 7] });
    expect(tables).toEqual(Object.fromEntries(["X", "obs", "var"].map((name) => [name, all[`${path}/${name}`]])));
    expect(uns).toEqual({ ...LIBRARY, genome: path });
  });

  test("the group matrix itself", async () => {
    const data = await openMatrix("extra", { path: "matrix" });
    const { tables, uns } = await split(data);
    expect(tables).toEqual(expectedOf("extra"));
    // What stands beside the group is not part of it.
    expect(Object.keys(uns).sort()).toEqual([
      ...["filetype", "matrix/features/interval", "matrix/features/note"],
      ...["matrix/latent_gene_encoding", "matrix/latent_scale", "metadata"],
    ]);
    const nodes = (await data.table("uns").read()).getChild("path")?.toArray() ?? [];
    expect([...nodes].slice(0, 3)).toEqual(["uns/matrix", "uns/matrix/features", "uns/matrix/features/interval"]);
  });
});

describe("other files", () => {
  test.each(["molecule_info", "molecule_info-v2", "feature_slice"])("%s is recognised, and not read", async (path) => {
    const opening = openMatrix("others", { path });
    await expect(opening).rejects.toMatchObject({ tag: "UnsupportedError" });
    await expect(opening).rejects.toThrow(/others\.h5: a (molecule_info|feature_slice) file, which .*feature-barcode/);
  });

  test("a table of PyTables is none of Cell Ranger", async () => {
    expect((await openMatrix("others", { path: "pytables" })).format).toBe("hdf5");
  });

  test("a store of BPCells in a group called matrix stays one", async () => {
    const data = await openMatrix("others", { path: "bpcells" });
    expect(data.format).toBe("bpcells");
    expect((await tableOf(data.table("matrix"))).columns).toEqual({ row: [1, 0], col: [0, 1], value: [5, 6] });
  });
});
