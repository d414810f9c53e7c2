/** Dense matrices in HDF5 most of which is stored nowhere; libhdf5 wrote one chunk, and then declared the rest. */

import { tableFromArrays } from "apache-arrow";
import { File, type Group, ready } from "h5wasm";
import { afterEach, expect, test, vi } from "vitest";
import { open, writeBytes } from "../../../packages/published/src/node.js";
import { DatasetWriter } from "../../../src/containers/hdf5/write/dataset.js";

const CHUNK = 64;

afterEach(() => vi.restoreAllMocks());

function element(group: Group, type: string, version: string) {
  group.create_attribute("encoding-type", type);
  group.create_attribute("encoding-version", version);
}

/** An AnnData file with a layer of `cells` by `genes` values, of which the first 64 by 64 are stored. */
async function mostlyDeclared(cells: number, genes: number): Promise<Uint8Array> {
  const library = await ready;
  const path = "/declared.h5ad";
  const file = new File(path, "w");
  element(file, "anndata", "0.1.0");
  for (const [name, length] of [
    ["obs", cells],
    ["var", genes],
  ] as const) {
    const frame = file.create_group(name);
    element(frame, "dataframe", "0.2.0");
    frame.create_attribute("_index", "_index");
    const index = frame.create_dataset({ name: "_index", data: Int32Array.from({ length }, (_, i) => i) });
    index.create_attribute("encoding-type", "array");
    index.create_attribute("encoding-version", "0.2.0");
  }
  const layer = file.create_group("layers").create_dataset({
    name: "declared",
    data: Float32Array.from({ length: CHUNK * CHUNK }, () => 1),
    shape: [CHUNK, CHUNK],
    maxshape: [cells, genes],
    chunks: [CHUNK, CHUNK],
  });
  layer.create_attribute("encoding-type", "array");
  layer.create_attribute("encoding-version", "0.2.0");
  layer.resize([cells, genes]);
  file.close();
  const bytes = library.FS.readFile(path);
  library.FS.unlink(path);
  if (!(bytes instanceof Uint8Array)) throw new TypeError("h5wasm wrote no file");
  return bytes;
}

test("as the entries that Loom's writer takes, vast ones are not gone through without end", async () => {
  const vast = await open(await mostlyDeclared(2 ** 20, 2 ** 20));
  await expect(writeBytes("loom", vast)).rejects.toMatchObject({
    tag: "UnsupportedError",
    message: expect.stringMatching(/bytes of its values are stored nowhere in the file, which declares them alone/),
  });
  await vast.close();
});

test("a conversion whose blocks are all but empty ends when it is told to", async () => {
  const [cells, genes] = [2 ** 17, 2 ** 13];
  const names = (count: number) => ({ _index: Int32Array.from({ length: count }, (_, i) => i) });
  const ending = new AbortController();
  const last = tableFromArrays({ row: Int32Array.of(cells - 1), col: Int32Array.of(0), value: Float32Array.of(1) });
  async function* entries() {
    yield* last.batches;
    // Without turns of the event loop nothing of this kind, and no signal of the system, comes before all is written.
    setImmediate(() => ending.abort());
  }
  const X = { schema: last.schema, batches: entries() };
  const writes = vi.spyOn(DatasetWriter.prototype, "write");
  const writing = writeBytes("loom", { obs: names(cells), var: names(genes), X }, { signal: ending.signal });
  await expect(writing).rejects.toMatchObject({ name: "AbortError" });
  // All bands are 2048.
  expect(writes.mock.calls.length).toBeLessThan(cells / CHUNK / 2);
});
