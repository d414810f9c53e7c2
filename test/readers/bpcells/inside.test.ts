import { expect, test } from "vitest";
import { inside, OBJECTS } from "../../../packages/r/test/readers/bpcells/objects.js";
import { open } from "../../../src/api/open.node.js";

const FILE = `${OBJECTS}/inside.h5ad`;

test("stores in a file of AnnData are tables under their paths, beside its own", async () => {
  const data = await open(FILE);
  expect(data).toMatchObject({ format: "anndata", shape: [4, 5] });
  expect([...data.failures]).toEqual([]);
  const names = [...data.tables.keys()];
  for (const own of ["X", "obs", "var", "uns", "uns/note", "uns/deep/number"]) expect(names).toContain(own);
  expect(names.filter((name) => /counts|other/.test(name))).toEqual([
    "layers/counts/matrix",
    "layers/counts/row_names",
    "uns/deep/other/matrix",
    "uns/deep/other/row_names",
  ]);
  for (const path of ["layers/counts", "uns/deep/other"]) {
    const { shape, row, col, value } = inside[path];
    const matrix = data.table(`${path}/matrix`);
    expect(matrix.metadata).toMatchObject({ kind: "csc_matrix", shape, version: "unpacked-uint-matrix-v2" });
    const read = await matrix.read();
    const found = Object.fromEntries(["row", "col", "value"].map((name) => [name, [...(read.getChild(name) ?? [])]]));
    expect(found).toEqual({ row, col, value });
  }
  const nodes = Array.from((await data.table("uns").read()).getChild("path") ?? [], String);
  expect(nodes).toEqual(["uns/deep", "uns/deep/number", "uns/deep/other", "uns/note"]);
  await data.close();
});

test("a part of the file does not have a store along its axes, which has genes as rows", async () => {
  const data = await open(FILE);
  const part = await data.select({ obs: [1, 0] });
  expect([...part.failures].map(([name, { tag, problem }]) => [name, tag, problem])).toEqual(
    ["layers/counts/matrix", "layers/counts/row_names"].map((name) => [
      name,
      "UnsupportedError",
      "a part of a store of BPCells inside of the file, which is not cut: open it by its path (layers/counts)",
    ]),
  );
  expect(part.tables.has("layers/counts/matrix")).toBe(false);
  expect(part.tables.has("uns/deep/other/matrix")).toBe(true);
  await data.close();
});

test("one of them alone, by its path", async () => {
  const data = await open(FILE, { path: "layers/counts" });
  expect(data).toMatchObject({ format: "bpcells", shape: [5, 4] });
  expect([...data.tables.keys()]).toEqual(["matrix", "row_names"]);
  await data.close();
});
