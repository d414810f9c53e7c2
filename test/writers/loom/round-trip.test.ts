/** Loom files that are read and written again: the tables stay what they were. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { convert, open } from "../../../packages/published/src/node.js";
import type { Dataset } from "../../../src/model/dataset.js";

const FILES = ["loompy", "spec-2", "bands", "dialect", "matrix-only"];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-loom-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Types and values of all tables but the version. */
async function contents(data: Dataset): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  for (const [name, table] of data.tables) {
    // Groups that the file had not are there now, and empty.
    if (table.derived || table.schema.fields.length === 0 || name === "attrs/LOOM_SPEC_VERSION") continue;
    const types = Object.fromEntries(table.schema.fields.map((field) => [field.name, String(field.type)]));
    const rows = (await table.read()).toArray();
    all[name.replace("_edges/", "_graphs/")] = {
      types,
      rows: JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? `${value}n` : value)),
    };
  }
  return all;
}

describe.each(["3.0.0", "2.0.1"] as const)("written as %s", (loomVersion) => {
  test.each(FILES)("%s", async (name) => {
    const source = `test/fixtures/data/loom/${name}.loom`;
    const target = join(folder, `${name}-${loomVersion}.loom`);
    await convert(source, target, { version: loomVersion, overwrite: true });
    const [before, after] = [await open(source), await open(target)];
    try {
      expect(after.format).toBe("loom");
      expect(after.version).toBe(loomVersion);
      expect(after.shape).toEqual(before.shape);
      expect(await contents(after)).toEqual(await contents(before));
    } finally {
      await before.close();
      await after.close();
    }
  });
});

test("the same input gives the same bytes, whatever was there before", async () => {
  const [a, b] = [join(folder, "a.loom"), join(folder, "b.loom")];
  await convert("test/fixtures/data/loom/loompy.loom", a);
  await convert(a, b);
  const { readFileSync } = await import("node:fs");
  expect(readFileSync(b).equals(readFileSync(a))).toBe(true);
});
