import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Field, FixedSizeList, Float64, Table, tableFromArrays, vectorFromArray } from "apache-arrow";
import { expect, test } from "vitest";
import { open, write } from "../../../packages/published/src/node.js";

const folder = mkdtempSync(join(tmpdir(), "annarrow-slash-keys-"));
const entries = (value: number) =>
  tableFromArrays({ row: Int32Array.of(0, 2), col: Int32Array.of(1, 0), value: Float64Array.of(value, 7) });
const places = new Table({
  value: vectorFromArray(
    [
      [1, 4],
      [2, 5],
      [3, 6],
    ],
    new FixedSizeList(2, new Field("item", new Float64(), false)),
  ),
});
const GIVEN = {
  X: entries(0.5),
  obs: tableFromArrays({ _index: ["a", "b", "c"] }),
  var: tableFromArrays({ _index: ["g0", "g1"] }),
  "layers/a/b": entries(3),
  "obsm/X/umap": places,
};

async function values(path: string, name: string): Promise<unknown> {
  const data = await open(path);
  const read = (await data.table(name).read()).getChild("value");
  const all = Array.from(read ?? [], (one) => (typeof one === "number" ? one : Array.from(one)));
  await data.close();
  return all;
}

test("an .h5ad with them says so by name, and with which option they get others", async () => {
  const path = join(folder, "keys.h5ad");
  const { warnings } = await write(path, GIVEN);
  expect(warnings).toEqual([
    'layers/a/b: a key with "/", with which anndata opens no file; give it another name (--rename layers/a/b=layers/a_b)',
    'obsm/X/umap: a key with "/", with which anndata opens no file; give it another name (--rename obsm/X/umap=obsm/X_umap)',
  ]);
  const renamed = join(folder, "renamed.h5ad");
  const rename = { "layers/a/b": "layers/a_b", "obsm/X/umap": "obsm/X_umap" };
  const data = await open(path);
  expect((await write(renamed, await data.select({ rename }))).warnings).toEqual([]);
  await data.close();
  expect(await values(renamed, "layers/a_b")).toEqual([3, 7]);
  expect(await values(renamed, "obsm/X_umap")).toEqual([
    [1, 4],
    [2, 5],
    [3, 6],
  ]);
});

test("a MuData names the modality, too", async () => {
  const named = Object.entries(GIVEN).map(([name, table]) => [`mod/rna/${name}`, table] as const);
  const { warnings } = await write(join(folder, "keys.h5mu"), Object.fromEntries(named));
  expect(warnings).toContain(
    'mod/rna/layers/a/b: a key with "/", with which anndata opens no file; give it another name (--rename mod/rna/layers/a/b=mod/rna/layers/a_b)',
  );
});

test.each(["keys.sce.rds", "keys5.seurat.rds"])("%s keeps them, which R takes as names", async (file) => {
  const path = join(folder, file);
  await write(path, GIVEN, file.includes("seurat") ? { seurat: "v5" } : {});
  expect(await values(path, "layers/a/b")).toEqual([3, 7]);
  expect(await values(path, "obsm/X/umap")).toEqual([
    [1, 4],
    [2, 5],
    [3, 6],
  ]);
});
