import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { VERSION } from "../../../src/model/version.js";
import type { ColumnTable } from "../../../src/tables/column-table.js";
import { writeAnnData } from "../../../src/writers/anndata/write.js";
import { USER_BLOCK, writeMuData } from "../../../src/writers/mudata/write.js";
import { Recorder } from "../recorder.js";
import { floats, ints, lists, names, table, text } from "../tables.js";

async function written(tables: readonly ColumnTable[]) {
  const out = new Recorder("hdf5");
  const options = { profile: "portable", lossy: false, shape: null } as const;
  const given = new Map(tables.map((one) => [one.name, one]));
  const result = await writeMuData(out, given, (root, own, layout) =>
    writeAnnData({ kind: out.kind, root }, own, options, layout),
  );
  await out.close();
  return { out, ...result };
}

const frame = (name: string, n: number, prefix: string, metadata: object = {}) => ({
  ...table(name, [{ _index: names(n, prefix) }]),
  metadata: { kind: "dataframe", index: "_index", ...metadata },
});
const rna = [frame("mod/rna/obs", 2, "c"), frame("mod/rna/var", 1, "g")];
const encoder = { encoder: "annarrow", "encoder-version": VERSION };

test("the version is that of the package", () => {
  expect(VERSION).toBe(JSON.parse(readFileSync("package.json", "utf8")).version);
});

test("the user block is what mudata looks for", () => {
  expect(new TextDecoder().decode(USER_BLOCK)).toBe(
    `MuData (format-version=0.1.0;creator=annarrow;creator-version=${VERSION})`,
  );
});

describe("a MuData", () => {
  test("has the attributes, groups and mappings that mudata writes", async () => {
    const tables = [frame("obs", 2, "c"), frame("var", 1, "g"), ...rna, frame("mod/atac/obs", 1, "c")];
    const { out, tables: names } = await written([...tables, frame("mod/atac/var", 3, "p")]);
    expect(out.at("").attributes).toEqual({
      ...{ axis: 0n, "encoding-type": "MuData", "encoding-version": "0.1.0" },
      ...encoder,
    });
    expect(out.at("mod").attributes).toEqual({ "mod-order": ["rna", "atac"] });
    for (const name of ["rna", "atac"]) {
      expect(out.at(`mod/${name}`).attributes).toEqual({
        ...{ "encoding-type": "anndata", "encoding-version": "0.1.0" },
        ...encoder,
      });
      for (const mapping of ["layers", "obsm", "varm", "obsp", "varp", "uns"]) out.at(`mod/${name}/${mapping}`);
    }
    for (const mapping of ["obsm", "varm", "obsp", "varp", "uns", "obsmap", "varmap"]) out.at(mapping);
    expect(out.nodes.has("layers")).toBe(false);
    expect(names).toEqual([
      ...[
        { name: "obs", rows: 2 },
        { name: "var", rows: 1 },
      ],
      ...[
        { name: "mod/rna/obs", rows: 2 },
        { name: "mod/rna/var", rows: 1 },
      ],
      ...[
        { name: "mod/atac/obs", rows: 1 },
        { name: "mod/atac/var", rows: 3 },
      ],
    ]);
  });

  test.each([0, 1, -1])("keeps the axis %i that a table remembers", async (axis) => {
    const { out } = await written([frame("obs", 2, "c", { axis }), frame("var", 1, "g"), ...rna]);
    expect(out.at("").attributes.axis).toBe(BigInt(axis));
  });

  test("leaves out the mappings that the file had not", async () => {
    const absent = ["uns", "obsmap"];
    const { out } = await written([frame("obs", 2, "c", { absent }), frame("var", 1, "g"), ...rna]);
    for (const name of absent) expect(out.nodes.has(name)).toBe(false);
    expect(out.nodes.has("varmap")).toBe(true);
    expect(out.nodes.has("mod/rna/uns")).toBe(true);
  });

  test("needs no obs and var of the whole, nor of a modality whose matrix tells their lengths", async () => {
    const X = table("mod/rna/X", [{ value: lists(2, floats(Float32Array.of(1, 2, 3, 4, 5, 6))) }]);
    const { out } = await written([X]);
    expect(out.nodes.has("obs")).toBe(false);
    expect(out.at("mod/rna/obs/_index").values).toEqual(["0", "1", "2"]);
  });

  test("of no modality has an empty order", async () => {
    const { out } = await written([frame("obs", 2, "c"), frame("var", 1, "g")]);
    expect(out.at("mod").attributes).toEqual({ "mod-order": [] });
  });

  test("has the empty mappings that a modality's table of contents lists", async () => {
    const paths = text("mod/rna/uns/pca", "mod/rna/uns/pca/none");
    const contents = table("mod/rna/uns", [{ path: paths, kind: text("dict", "dict") }], { derived: true });
    const { out } = await written([...rna, contents]);
    expect(out.at("mod/rna/uns/pca/none").attributes["encoding-type"]).toBe("dict");
  });
});

describe("is refused", () => {
  const whole = [frame("obs", 2, "c"), frame("var", 1, "g")];
  test.each([
    ["X", /X: a MuData has matrices in its modalities alone: name it mod\/<modality>\/X/],
    ["layers/counts", /layers\/counts: .* mod\/<modality>\/layers\/counts/],
    ["mod/rna", /mod\/rna: no element of a modality/],
    ["mod", /mod: no element of a modality/],
    ["mod//X", /mod\/\/X: no element of a modality/],
    ["mod/rna/uns//x", /mod\/rna\/uns\/\/x: an empty name/],
  ])("%s", async (name, message) => {
    const one = table(name, [{ value: ints(Int32Array.of(1, 2)) }]);
    await expect(written([...whole, ...rna, one])).rejects.toThrow(message);
  });

  test("a map that is not as long as its axis", async () => {
    const map = table("obsmap/rna", [{ value: ints(Uint32Array.of(1)) }]);
    await expect(written([...whole, ...rna, map])).rejects.toThrow(/obsmap\/rna: 1 rows, obs has 2/);
  });

  test("an element of a modality, under its full path", async () => {
    const X = table("mod/rna/obsm/X_pca", [{ value: ints(Int32Array.of(1, 2, 3)) }]);
    await expect(written([...whole, ...rna, X])).rejects.toMatchObject({
      ...{ tag: "InvalidInputError", element: "mod/rna/obsm/X_pca" },
      message: "mod/rna/obsm/X_pca: 3 rows, obs has 2 rows",
    });
  });
});
