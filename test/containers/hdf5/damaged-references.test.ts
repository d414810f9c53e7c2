/** Values of variable length whose type says another size than that of a reference to a heap. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openHdf5 } from "../../../src/containers/hdf5/container.js";
import { bytesSource, openArray } from "./fixture.js";

/** Text of variable length in 16 bytes: the beginning of its datatype message. */
const TEXT = Uint8Array.of(0x19, 1, 1, 0, 16, 0, 0, 0);

async function withTextSize(size: number) {
  const bytes = new Uint8Array(readFileSync("test/fixtures/data/anndata/plain.h5ad"));
  const buffer = Buffer.from(bytes.buffer);
  for (let at = buffer.indexOf(TEXT); at >= 0; at = buffer.indexOf(TEXT, at + 1)) {
    new DataView(bytes.buffer).setUint32(at + 4, size, true);
  }
  return openHdf5(bytesSource(bytes));
}

test.each([1, 8, 15])("text in %i bytes is an unreadable attribute", async (size) => {
  const { root } = await withTextSize(size);
  expect(root.attributes.get("encoding-type")).toMatchObject({
    kind: "unreadable",
    reason: `values of variable length in ${size} bytes each; they have 16`,
  });
});

test("text in 8 bytes cannot be read", async () => {
  const names = await openArray(await withTextSize(8), "obs/_index");
  await expect(names.read(0, 1)).rejects.toThrow("values of variable length in 8 bytes each; they have 16");
});
