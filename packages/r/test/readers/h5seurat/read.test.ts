import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compare } from "../../../../../test/values-of-r.js";
import { open } from "../../../../published/src/node.js";

/** Files that SeuratDisk wrote, and what R says is in them (test/fixtures/r/make_h5seurat.R). */
const FOLDER = "test/fixtures/data/h5seurat";
const EXPECTED: Record<string, Record<string, object>> = JSON.parse(readFileSync(`${FOLDER}/expected.json`, "utf8"));
const file = (name: string) => `${FOLDER}/${name.includes(".") ? name : `${name}.h5seurat`}`;

describe("what SeuratDisk wrote", () => {
  test.each(Object.keys(EXPECTED))("%s", async (name) => {
    const data = await open(file(name));
    const format = name.endsWith(".h5ad") ? "anndata" : "h5seurat";
    expect(data).toMatchObject({ format, container: "hdf5" });
    expect(Object.fromEntries(data.failures)).toEqual({});
    for (const [table, values] of Object.entries(EXPECTED[name])) await compare(data, table, { ...values });
    await data.close();
  });
});

test("types, levels and the version", async () => {
  const data = await open(file("object"));
  expect(data).toMatchObject({ version: "4.1.3", shape: [5, 6] });
  const obs = await data.table("obs").read();
  const types = Object.fromEntries(obs.schema.fields.map(({ name, type }) => [name, String(type)]));
  expect(types).toMatchObject({
    ...{ _index: "Utf8", cluster: "Dictionary<Int32, Utf8>", score: "Float64", n: "Int32" },
    ...{ "is.control": "Bool", text: "Utf8", ident: "Dictionary<Int32, Utf8>" },
  });
  expect(Array.from(obs.getChild("cluster")?.data[0].dictionary ?? [])).toEqual(["b", "unused", "a"]);
  await data.close();
});

test("several assays are modalities, the default one first; a modality is chosen", async () => {
  const data = await open(file("assays"));
  const modalities = new Set([...data.tables.keys()].flatMap((name) => /^mod\/([^/]+)/.exec(name)?.[1] ?? []));
  expect([...modalities]).toEqual(["ADT", "RNA", "SCT"]);
  await data.close();
});

test("columns of a matrix are the features", async () => {
  const data = await open(file("dense"));
  const columns = await data.table("X").layout("columns");
  expect(columns.schema.fields.map(({ name }) => name)).toEqual(["CD3E", "MS4A1", "café", "LYZ", "NKG7", "GNLY"]);
  await data.close();
});
