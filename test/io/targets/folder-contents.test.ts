/** Which folders `overwrite` replaces: stores alone, never the work of somebody that lies in them. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { convert } from "../../../packages/published/src/node.js";
import { createDiskFolderTree, readFolderContents } from "../../../src/io/targets/folder-contents.node.js";
import { tree } from "./tree.js";

const PBMC = "examples/pbmc.h5ad";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-contents-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes files below the folder, by their paths. */
function fill(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const BPCELLS = { version: "packed-uint-matrix-v2\n", shape: "", index_idx_offsets: "", val_data: "", row_names: "" };
const ZARR_V2 = {
  ".zgroup": "{}",
  ".zmetadata": "{}",
  "X/.zarray": "{}",
  "X/0.0": "",
  "X/1/0": "",
  "uns/0/.zgroup": "{}",
};
const ZARR_V3 = { "zarr.json": "{}", "X/zarr.json": "{}", "X/c/0/1": "", "scalar/zarr.json": "{}", "scalar/c": "" };
const TABLES = {
  "manifest.json": JSON.stringify({
    annarrow: 1,
    tables: [
      { name: "obs", file: "obs.parquet", categories: { a: "obs.categories/a.parquet" } },
      { name: "layers/a", file: "layers/a.parquet" },
    ],
  }),
  "obs.parquet": "",
  "obs.categories/a.parquet": "",
  "layers/a.parquet": "",
};

describe("a store and nothing else", () => {
  test.each<[string, Readonly<Record<string, string>>]>([
    ["a matrix of BPCells", BPCELLS],
    ["fragments of BPCells", { version: "unpacked-fragments-v2", cell: "", chr_ptr: "", cell_names: "", end_max: "" }],
    [
      "BPCells before its first release",
      { version: "packed-float-matrix-v1\n", row_data: "", col_ptr: "", row_count: "" },
    ],
    ["BPCells with what another version left", { ...BPCELLS, val: "", index: "" }],
    ["Zarr version 2", ZARR_V2],
    ["Zarr version 3", ZARR_V3],
    ["an array of Zarr alone", { ".zarray": "{}", "0.0": "", ".zattrs": "{}" }],
    ["tables", TABLES],
    [
      "what systems put into folders",
      { ...ZARR_V2, ".DS_Store": "", "X/._0.0": "", "Thumbs.db": "", "desktop.ini": "" },
    ],
  ])("%s", async (_, files) => {
    fill(files);
    mkdirSync(join(folder, "X"), { recursive: true });
    expect(await readFolderContents(createDiskFolderTree(folder))).toEqual({ kind: "store" });
  });

  test("or nothing at all", async () => {
    expect(await readFolderContents(createDiskFolderTree(folder))).toEqual({ kind: "nothing" });
  });
});

describe("something besides is named", () => {
  test.each<[string, Readonly<Record<string, string>>, string]>([
    ["in BPCells", BPCELLS, "notes.txt"],
    ["in a folder in BPCells", BPCELLS, "sub/val"],
    ["in a group of Zarr", ZARR_V2, "uns/thesis.doc"],
    ["among the chunks of an array", ZARR_V2, "X/1/thesis.doc"],
    ["chunks without an array", ZARR_V2, "obs/0"],
    ["a table beside a store", ZARR_V3, "points/part.0.parquet"],
    ["a file that the manifest does not list", TABLES, "layers/b.parquet"],
    ["a hidden file", ZARR_V3, ".git/config"],
  ])("%s", async (_, files, other) => {
    fill({ ...files, [other]: "mine" });
    expect(await readFolderContents(createDiskFolderTree(folder))).toEqual({
      kind: "other",
      file: other,
      inside: true,
    });
  });

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ["a file called version that says something else", { version: "1.2.3\n", shape: "" }, "shape"],
    ["a manifest of another program", { "manifest.json": '{"manifest_version": 3}', "icon.png": "" }, "icon.png"],
    ["a manifest that is no JSON", { "manifest.json": "before" }, "manifest.json"],
  ])("%s makes no store", async (_, files, first) => {
    fill(files);
    expect(await readFolderContents(createDiskFolderTree(folder))).toEqual({
      kind: "other",
      file: first,
      inside: false,
    });
  });

  test("links, whatever they are called", async () => {
    fill(ZARR_V2);
    symlinkSync("X", join(folder, "raw"));
    expect(await readFolderContents(createDiskFolderTree(folder))).toEqual({
      kind: "other",
      file: "raw",
      inside: true,
    });
  });
});

describe("overwrite", () => {
  const options = { overwrite: true, lossy: true };

  test.each([
    ["out.bpcells", { tables: ["X"] }],
    ["out.zarr", {}],
    ["out", { format: "parquet" }],
  ] as const)("replaces our own %s, unless somebody put a file into it", async (name, rest) => {
    const place = join(folder, name);
    await convert(PBMC, place, { ...options, ...rest });
    const before = tree(place);
    await expect(convert(PBMC, place, { ...rest, lossy: true })).rejects.toThrow("exists already");
    await convert(PBMC, place, { ...options, ...rest });
    expect(tree(place)).toBe(before);
    writeFileSync(join(place, "notes.txt"), "mine");
    await expect(convert(PBMC, place, { ...options, ...rest })).rejects.toThrow(
      `${place}: holds "notes.txt", which is no part of the store around it, and is not replaced`,
    );
    expect(readFileSync(join(place, "notes.txt"), "utf8")).toBe("mine");
    expect(readdirSync(folder)).toEqual([name]);
  });

  test("replaces one kind of store by another", async () => {
    const place = join(folder, "out");
    await convert(PBMC, place, { ...options, format: "parquet" });
    await convert(PBMC, place, { ...options, format: "bpcells", tables: ["X"] });
    expect(readdirSync(place)).toContain("version");
    await convert(PBMC, place, { ...options, format: "zarr" });
    expect(readdirSync(place)).toContain(".zgroup");
  });
});
