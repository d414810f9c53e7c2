import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";

/**
 * Made by test/fixtures/hdf5/make_shared_messages.c. Newer versions of libhdf5 than 1.10, as in h5wasm, do not read the cache image
 * of that version; what they read of the others is compared in the cross-check.
 */
const FOLDER = "test/fixtures/data";

describe.each(["hdf5/shared_messages", "hdf5/shared_list", "hdf5-image/cache_image"])("%s", (name) => {
  test("has the values and attributes that were written", async () => {
    await using data = await open(`${FOLDER}/${name}.h5`);
    expect([...data.failures.keys()]).toEqual([]);
    expect(data.warnings).toEqual([]);
    expect(data.tables.size).toBe(12 * 3 + 1);
    for (const group of ["group 0", "group 11"]) {
      const records = await data.table(`${group}/records`).read();
      expect(Array.from(records.getChild("a") ?? [])).toEqual([0, 1, 2, 3, 4, 5]);
      expect(Array.from(records.getChild("b") ?? [])).toEqual([0, 0.5, 1, 1.5, 2, 2.5]);
      const unwritten = await data.table(`${group}/unwritten`).read();
      expect(Array.from(unwritten.getChild("a") ?? [])).toEqual([7, 7, 7, 7, 7, 7]);
      expect(Array.from(unwritten.getChild("b") ?? [])).toEqual([-0.5, -0.5, -0.5, -0.5, -0.5, -0.5]);
      const matrix = await data.table(`${group}/matrix`).read();
      expect(Array.from(matrix.getChild("value") ?? [], (row) => Array.from(row ?? []))).toEqual(
        Array.from({ length: 4 }, (_, i) => Array.from({ length: 6 }, (__, k) => 6 * i + k)),
      );
      const { attributes } = data.table(`${group}/records`).metadata;
      const count = group === "group 0" ? 40 : 1;
      expect(attributes).toEqual(
        Object.fromEntries(Array.from({ length: count }, (_, i) => [`number ${i}`, [i, 2 * i, 3 * i]])),
      );
    }
  });

  test("no damage of its structures makes anything but errors", async () => {
    const stored = readFileSync(`${FOLDER}/${name}.h5`);
    const marks = ["SMTB", "SMLI", "MDCI", "FRHP", "BTHD"];
    const starts = marks.map((mark) => stored.indexOf(mark)).filter((at) => at >= 0);
    for (const start of starts) {
      for (let at = start; at < Math.min(start + 48, stored.length); at += 5) {
        const bytes = new Uint8Array(stored);
        bytes[at] ^= 0xff;
        const read = open(bytes).then(async (data) => {
          for (const table of data.tables.values()) await table.read().catch((error: unknown) => expectOurs(error));
          await data.close();
        });
        await read.catch((error: unknown) => expectOurs(error));
      }
    }
  });
});

function expectOurs(error: unknown): void {
  expect(error).toMatchObject({ tag: expect.stringMatching(/Error$/) });
}
