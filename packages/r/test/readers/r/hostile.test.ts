import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isAnnarrowError } from "../../../../../src/model/errors.js";
import { open } from "../../../../published/src/node.js";

async function plain(name: string): Promise<Uint8Array> {
  const file = new Blob([readFileSync(`test/fixtures/data/r/${name}.rds`)]);
  return new Uint8Array(await new Response(file.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}

const FILES = await Promise.all(["frame", "sce", "se", "seurat", "seurat5", "list"].map(plain));

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

describe("whatever a damaged object holds, it is named or read", () => {
  test("with other bytes in it", async () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });
    const checked = fc.assert(
      fc.asyncProperty(fc.constantFrom(...FILES), damage, async (file, changes) => {
        const bytes = file.slice();
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        await readAll(bytes);
        return true;
      }),
      { numRuns: 400 },
    );
    await expect(checked).resolves.toBeUndefined();
  });

  test("with other words in it", async () => {
    const words = fc.constantFrom(0, 1, 3, -1, 2 ** 31 - 1, -(2 ** 31), 1 << 20);
    const damage = fc.array(fc.tuple(fc.nat(), words), { minLength: 1, maxLength: 2 });
    const checked = fc.assert(
      fc.asyncProperty(fc.constantFrom(...FILES), damage, async (file, changes) => {
        const bytes = file.slice();
        const view = new DataView(bytes.buffer);
        for (const [at, value] of changes) view.setInt32(at % (bytes.length - 4), value);
        await readAll(bytes);
        return true;
      }),
      { numRuns: 400 },
    );
    await expect(checked).resolves.toBeUndefined();
  });

  test("cut off", async () => {
    for (const file of FILES) {
      const cut = file.subarray(0, Math.floor(file.length / 2));
      await expect(open(cut)).rejects.toSatisfy((error) => isAnnarrowError(error, "InvalidDataError"));
    }
  });
});
