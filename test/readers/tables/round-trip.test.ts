/** What our own sinks write to a directory is read back as it was: types, values, dictionaries, metadata. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import { convertTo } from "../../../src/api/convert.node.js";
import { listFiles } from "../../architecture/import-graph.js";
import { plainTable } from "./plain-table.js";

const folder = mkdtempSync(join(tmpdir(), "annarrow-tables-"));
afterAll(() => rmSync(folder, { recursive: true }));

const DATA = "test/fixtures/data/anndata";
const FILES = listFiles(DATA, /^(modern|plain|odd|empty|legacy)[^.]*(?<!_broken)\.(h5ad|zarr\.zip|v.*zip)$/);

describe.each(["parquet", "arrow"])("as %s", (to) => {
  test.each(FILES)("%s", async (file) => {
    const original = await open(`${DATA}/${file}`, { text: "latin1" });
    const place = join(folder, `${to}_${file.replaceAll(".", "_")}`);
    const { tables } = await convertTo(original, place, { format: to, lossy: true });
    const copy = await open(place);
    expect([...copy.failures]).toEqual([]);
    expect([...copy.tables.keys()]).toEqual(tables.map(({ name }) => name));
    for (const property of ["format", "version", "container", "shape"] as const) {
      expect(copy[property]).toEqual(original[property]);
    }
    for (const [name, found] of copy.tables) {
      const table = original.table(name);
      expect(plainTable(await found.read()), name).toEqual(plainTable(await table.read()));
      for (const property of ["metadata", "derived", "axis"] as const) expect(found[property]).toEqual(table[property]);
    }
    expect(copy.tables.size).toBeGreaterThan(0);
    await Promise.all([original.close(), copy.close()]);
  });
});

test("a zip of a directory, and a map of its files, are read like it", async () => {
  const original = await open(`${DATA}/plain.h5ad`);
  const place = join(folder, "plain");
  await convertTo(original, place, { format: "parquet" });
  const { readFileSync, statSync } = await import("node:fs");
  const files = listFiles(place, /./).filter((file) => statSync(join(place, file)).isFile());
  const map = new Map(files.map((file) => [file, new Uint8Array(readFileSync(join(place, file)))]));
  const { zipSync } = await import("fflate");
  const within = Object.fromEntries([...map].map(([file, bytes]) => [`plain/${file}`, bytes]));
  for (const input of [map, zipSync(within), zipSync(Object.fromEntries(map))]) {
    const copy = await open(input);
    expect([...copy.tables.keys()]).toEqual([...original.tables.keys()]);
    const obs = await copy.table("obs").read();
    expect(plainTable(obs)).toEqual(plainTable(await original.table("obs").read()));
    await copy.close();
  }
  await original.close();
});
