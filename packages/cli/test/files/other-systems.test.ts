/** Patterns and the outputs of a batch on Windows and macOS. */

import { expect, test } from "vitest";
import { hasScheme } from "../../../../src/model/input-name.js";
import { getSystemRules } from "../../../../src/platform/system-rules.node.js";
import { planBatchItems } from "../../src/actions/batch.js";
import { expandInputs } from "../../src/files/file-pattern.js";
import type { FileTree } from "../../src/files/file-tree.js";

const rules = getSystemRules("win32");

/** Files by their paths with `/`; asked for others, it has none. */
function treeOf(...paths: readonly string[]): FileTree {
  const folders = new Set(paths.flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index))));
  const below = (folder: string) => (folder === "" || folder.endsWith("/") ? folder : `${folder}/`);
  return {
    async entries(folder) {
      const inside = [...paths, ...folders].filter((path) => path.startsWith(below(folder)) && path !== folder);
      const names = new Set(inside.map((path) => path.slice(below(folder).length).split("/")[0]));
      return [...names].map((name) => ({ name, isFolder: folders.has(below(folder) + name) }));
    },
    exists: async (path) => paths.includes(path) || folders.has(path.replace(/\/$/, "")),
    isFolder: async (path) => folders.has(path),
  };
}

test.each([
  [String.raw`runs\*.h5ad`, ["runs/A.H5AD", "runs/b.h5ad"], [String.raw`runs\A.H5AD`, String.raw`runs\b.h5ad`]],
  ["runs/B.*", ["runs/A.H5AD", "runs/b.h5ad"], ["runs/b.h5ad"]],
  [String.raw`C:\*.h5ad`, ["C:/1.h5ad"], [String.raw`C:\1.h5ad`]],
  [String.raw`C:\data\**\[1-2].h5ad`, ["C:/data/x/1.h5ad", "C:/data/3.h5ad"], [String.raw`C:\data\x\1.h5ad`]],
  [String.raw`\\server\share\*.zarr`, ["//server/share/a.zarr"], [String.raw`\\server\share\a.zarr`]],
])("cmd.exe leaves %s to the command", async (pattern, paths, expected) => {
  const found = await expandInputs([pattern], {}, { files: treeOf(...paths), rules });
  expect(found).toEqual({ paths: expected, matched: true });
});

test("a backslash divides no names elsewhere", async () => {
  const machine = { files: treeOf("a\\b.h5ad"), rules: getSystemRules("linux") };
  expect((await expandInputs(["a\\*"], {}, machine)).paths).toEqual(["a\\b.h5ad"]);
});

test("names that macOS lists decomposed match what a keyboard gives", async () => {
  const machine = { files: treeOf("a\u0308pfel.h5ad"), rules: getSystemRules("darwin") };
  expect((await expandInputs(["\u00e4*.h5ad"], {}, machine)).paths).toEqual(["a\u0308pfel.h5ad"]);
});

test("outputs of a batch that are one file are refused, where case makes no difference", () => {
  const inputs = ["one/X.h5ad", "two/x.h5ad"];
  const given = { folder: "out", ending: "zarr" };
  expect(planBatchItems(inputs, { ...given, rules: getSystemRules("linux") }).map(({ output }) => output)).toEqual([
    "out/X.zarr",
    "out/x.zarr",
  ]);
  expect(() => planBatchItems(inputs, { ...given, rules: getSystemRules("darwin") })).toThrow(
    "out/x.zarr: one/X.h5ad and two/x.h5ad would both be written to it",
  );
  expect(() => planBatchItems(inputs, { ...given, rules })).toThrow(
    String.raw`out\x.zarr: one/X.h5ad and two/x.h5ad would both be written to it`,
  );
});

test("a drive is no scheme", () => {
  expect(["C:\\data\\x.h5ad", "C:/x.h5ad", "c://x.h5ad"].map(hasScheme)).toEqual([false, false, false]);
  expect(["s3://bucket/x", "https://host/x"].map(hasScheme)).toEqual([true, true]);
});
