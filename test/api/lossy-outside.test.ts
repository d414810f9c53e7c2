/** A store that fails, with losses allowed: it says nothing about the element, which is therefore not left out. */

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { concat, convert, open, write } from "../../packages/published/src/node.js";

let folder: string;
let keys: Map<string, Uint8Array>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-outside-"));
  keys = new Map();
  const X = { row: Int32Array.of(0, 1), col: Int32Array.of(0, 0), value: Float32Array.of(1, 2) };
  const tables = {
    X,
    obs: { _index: ["a", "b"], depth: Int32Array.of(3, 4) },
    var: { _index: ["g"] },
    "layers/counts": X,
  };
  await write(keys, tables, { zarrFormat: 3 });
  // Without the metadata of all nodes in the root, each is read by itself.
  const { consolidated_metadata: _, ...root } = JSON.parse(new TextDecoder().decode(keys.get("zarr.json")));
  keys.set("zarr.json", new TextEncoder().encode(JSON.stringify(root)));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The store, which fails for keys that begin so; its `contents` are those of zarrita's `withConsolidatedMetadata`. */
const failing = (prefix: string) => ({
  get(key: string): Uint8Array | undefined {
    if (key.startsWith(`/${prefix}`)) throw new Error("connection lost");
    return keys.get(key.slice(1));
  },
  contents: () =>
    [...keys].flatMap(([key, bytes]) => {
      if (!key.endsWith("zarr.json")) return [];
      const { node_type: kind } = JSON.parse(new TextDecoder().decode(bytes));
      return [
        {
          path: `/${key.replace(/\/?zarr\.json$/, "")}`,
          kind: kind === "array" ? ("array" as const) : ("group" as const),
        },
      ];
    }),
});

afterEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
});

const OUTPUTS = ["out.h5ad", "out.zarr", "out.loom", "out.mat", "tables"] as const;

// The description fails when the dataset is opened, values when they are read.
test.each(["layers/counts/data/zarr.json", "layers/counts/data/c"])("%s", async (prefix) => {
  const data = await open(failing(prefix));
  for (const name of OUTPUTS) {
    const format = name === "tables" ? { format: "parquet" as const } : {};
    const written = write(join(folder, name), data, { ...format, lossy: true });
    await expect(written, name).rejects.toThrow(/connection lost/);
  }
  const all = concat([data, data], { lossy: true, indexUnique: "-" });
  const written = all.then((joined) => write(join(folder, "all.h5ad"), joined, { lossy: true }));
  await expect(written).rejects.toThrow(/connection lost/);
  const part = await data.select({ obs: [1] });
  const ofPart = write(join(folder, "part.h5ad"), part, { lossy: true });
  await expect(ofPart).rejects.toThrow(/connection lost/);
  expect(readdirSync(folder)).toEqual([]);
});

// A conversion reads columns before, to leave out those whose values are damaged: these are not.
test.each(["out.h5ad", "out.zarr", "tables"])("a column of obs, converted to %s", async (name) => {
  const format = name === "tables" ? { format: "parquet" as const } : {};
  const converted = convert(failing("obs/depth/c"), join(folder, name), { ...format, lossy: true });
  await expect(converted).rejects.toThrow(/connection lost/);
  expect(readdirSync(folder)).toEqual([]);
});
