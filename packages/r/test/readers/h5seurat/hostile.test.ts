import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isAnnarrowError } from "../../../../../src/model/errors.js";
import { open } from "../../../../published/src/node.js";

const FILES = ["object", "compound", "dense"].map(
  (name) => new Uint8Array(readFileSync(`test/fixtures/data/h5seurat/${name}.h5seurat`)),
);

/** Opens bytes, and reads all tables; every error must be one of ours. */
async function readAll(bytes: Uint8Array): Promise<void> {
  try {
    const data = await open(bytes);
    for (const table of data.tables.values()) {
      try {
        await table.read();
      } catch (error) {
        if (!isAnnarrowError(error)) throw error;
      }
    }
  } catch (error) {
    if (!isAnnarrowError(error)) throw error;
  }
}

test("whatever a damaged file holds, it is named or read", { timeout: 120_000 }, async () => {
  const words = fc.constantFrom(0, 1, 3, -1, 2 ** 31 - 1, -(2 ** 31), 1 << 20);
  const damage = fc.array(fc.tuple(fc.nat(), words), { minLength: 1, maxLength: 4 });
  const checked = fc.assert(
    fc.asyncProperty(fc.constantFrom(...FILES), damage, async (file, changes) => {
      const bytes = file.slice();
      const view = new DataView(bytes.buffer);
      for (const [at, value] of changes) view.setInt32(at % (bytes.length - 4), value, true);
      await readAll(bytes);
      return true;
    }),
    { numRuns: 150 },
  );
  await expect(checked).resolves.toBeUndefined();
});
