/** Stores of many nodes behind a server: their one list of nodes is consolidated metadata. */

import { expect, test } from "vitest";
import { openZarr } from "../../../src/containers/zarr/open.js";
import { mapSource } from "../../../src/sources/map.js";

const GROUPS = 20_000;
const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

function remote(documents: readonly (readonly [string, unknown])[]) {
  const source = mapSource(new Map(documents.map(([key, value]) => [key, json(value)])));
  return openZarr({ ...source, isRemote: true });
}

const paths = Array.from({ length: GROUPS }, (_, i) => `uns/g${i}`);

test.each(["2", "3"])("a look at each group of Zarr v%s takes no look at all nodes", async (version) => {
  const group = version === "2" ? { zarr_format: 2 } : { zarr_format: 3, node_type: "group", attributes: {} };
  const entries = [...["uns", ...paths].map((path) => (version === "2" ? `${path}/.zgroup` : path))];
  const metadata = Object.fromEntries(entries.map((key) => [key, group]));
  const { root } = await remote(
    version === "2"
      ? [
          [".zgroup", group],
          [".zmetadata", { zarr_consolidated_format: 1, metadata: { ".zgroup": group, ...metadata } }],
        ]
      : [["zarr.json", { ...group, consolidated_metadata: { kind: "inline", must_understand: false, metadata } }]],
  );
  const uns = await root.open("uns");
  if (uns.kind !== "group") throw new TypeError("uns is no group");
  const names = await uns.keys();
  expect(names.length).toBe(GROUPS);
  const began = performance.now();
  for (const name of names) {
    const child = await uns.open(name);
    expect(child.kind === "group" && (await child.keys())).toEqual([]);
  }
  expect(performance.now() - began).toBeLessThan(3000);
});

test("a group without a document of its own is found above its nodes", async () => {
  const group = { zarr_format: 2 };
  const metadata = { ".zgroup": group, "uns/a/b/.zgroup": group, "obs/.zattrs": {} };
  const { root } = await remote([
    [".zgroup", group],
    [".zmetadata", { zarr_consolidated_format: 1, metadata }],
  ]);
  expect(await root.keys()).toEqual(["uns"]);
  const uns = await root.open("uns");
  expect(uns.kind === "group" && (await uns.keys())).toEqual(["a"]);
});
