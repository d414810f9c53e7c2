/** What newer programs write that is not read: the error names it, and everything else of the file is read. */

import { expect, test } from "vitest";
import { open, write } from "../../../packages/published/src/node.js";

type Store = Map<string, Uint8Array>;

async function storeWith(path: string, change: (document: Record<string, unknown>) => void): Promise<Store> {
  const store: Store = new Map();
  const X = { row: Int32Array.of(0, 1), col: Int32Array.of(0, 1), value: Float32Array.of(1, 2) };
  await write(store, { X, obs: { _index: ["a", "b"] }, var: { _index: ["g", "h"] } }, { zarrFormat: 3 });
  const key = `${path}/zarr.json`;
  const document: Record<string, unknown> = JSON.parse(new TextDecoder().decode(store.get(key)));
  change(document);
  store.set(key, new TextEncoder().encode(JSON.stringify(document)));
  return store;
}

async function expectFailure(store: Store, problem: string): Promise<void> {
  const data = await open(store);
  expect([...data.failures].map(([name, error]) => [name, error.tag, error.problem])).toEqual([
    ["X", "UnsupportedError", expect.stringContaining(problem)],
  ]);
  expect((await data.table("obs").read()).toArray().map((row) => row.toJSON()._index)).toEqual(["a", "b"]);
  await data.close();
}

// The names that vsparse/_io.py registers, https://github.com/meyer-lab/vsparse.
test.each(["vcsc", "vcsr", "ivcsc", "ivcsr"])("a matrix of vsparse, %s", async (type) => {
  const store = await storeWith("X", (document) => {
    document.attributes = { "encoding-type": type, "encoding-version": "0.1.0", shape: [2, 2] };
  });
  await expectFailure(
    store,
    `encoding-type "${type}" 0.1.0 of vsparse is not read: write the matrix as one of scipy's`,
  );
});

// The form of https://github.com/zarr-developers/zarr-extensions/tree/main/chunk-grids/rectilinear.
test("chunks of several shapes", async () => {
  const store = await storeWith("X/data", (document) => {
    document.chunk_grid = { name: "rectilinear", configuration: { kind: "inline", chunk_shapes: [[1, [1, 1]]] } };
  });
  await expectFailure(store, 'chunk grid "rectilinear", chunks of several shapes: write it with chunks of one shape');
});
