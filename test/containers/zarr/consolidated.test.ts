/** Stores of many nodes behind a server: their one list of nodes is consolidated metadata. */

import { expect, test } from "vitest";
import { HierarchyV2, HierarchyV3 } from "../../../src/containers/zarr/metadata/hierarchy.js";
import type { Json } from "../../../src/containers/zarr/metadata/json.js";
import { openZarr } from "../../../src/containers/zarr/open.js";
import { mapSource } from "../../../src/io/sources/map.js";

const GROUPS = 20_000;
const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

function remote(documents: readonly (readonly [string, unknown])[]) {
  const source = mapSource(new Map(documents.map(([key, value]) => [key, json(value)])));
  return openZarr({ ...source, isRemote: true });
}

/** Documents that count the walks through all of them. */
class CountedDocuments extends Map<string, Json> {
  walks = 0;

  override keys() {
    this.walks++;
    return super.keys();
  }

  override values() {
    this.walks++;
    return super.values();
  }

  override entries() {
    this.walks++;
    return super.entries();
  }

  override [Symbol.iterator]() {
    return this.entries();
  }
}

const names = Array.from({ length: GROUPS }, (_, i) => `g${i}`);

test.each(["2", "3"])("a look at each group of Zarr v%s takes no walk through all nodes", async (version) => {
  const group: Json = version === "2" ? { zarr_format: 2 } : { zarr_format: 3, node_type: "group", attributes: {} };
  const paths = ["uns", ...names.map((name) => `uns/${name}`)];
  const documents = new CountedDocuments();
  for (const path of paths) documents.set(version === "2" ? `${path}/.zgroup` : path, group);
  const source = mapSource(new Map());
  const hierarchy = version === "2" ? new HierarchyV2(source, documents) : new HierarchyV3(source, group, documents);
  expect(await hierarchy.children("uns")).toEqual(names);
  for (const path of paths.slice(1)) {
    expect([(await hierarchy.node(path))?.kind, await hierarchy.children(path)]).toEqual(["group", []]);
  }
  expect(documents.walks).toBe(1);
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
