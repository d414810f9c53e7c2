/** Text that spreadsheets would run, in files of tables that are written with `safeText`. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { convert, write } from "../../packages/published/src/node.js";

let folder: string;
let input: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-safe-text-"));
  input = join(folder, "in.h5ad");
  const obs = { _index: ["=1+1", "b"], "@note": ["-x", "-5"], n: Int32Array.of(-1, 2) };
  const X = { row: Int32Array.of(0), col: Int32Array.of(0), value: Float32Array.of(-1.5) };
  await write(input, { X, obs, var: { _index: ["+gene"] } });
});
afterAll(() => rmSync(folder, { recursive: true }));

test("one table, a folder of tables, and a sheet", async () => {
  const expected = "_index,'@note,n\n'=1+1,'-x,-1\nb,-5,2\n";
  await convert(input, join(folder, "obs.csv"), { tables: ["obs"], safeText: true });
  expect(readFileSync(join(folder, "obs.csv"), "utf8")).toBe(expected);
  await convert(input, join(folder, "tables"), { format: "tsv", safeText: true });
  expect(readFileSync(join(folder, "tables/obs.tsv"), "utf8")).toBe(expected.replaceAll(",", "\t"));
  await convert(input, join(folder, "X.csv"), { tables: ["X"], layout: "dense", safeText: true });
  expect(readFileSync(join(folder, "X.csv"), "utf8")).toBe("\"\",'+gene\n'=1+1,-1.5\nb,0\n");
});

test.each(["out.h5ad", "out.parquet", "out.duckdb", "fragments.tsv.gz"])("no %s", async (name) => {
  const before = readdirSync(folder);
  const written = convert(input, join(folder, name), {
    ...(name === "out.parquet" ? { tables: ["obs"] } : {}),
    safeText: true,
  });
  await expect(written).rejects.toMatchObject({
    tag: "InvalidInputError",
    message: expect.stringContaining("only CSV and TSV have safe text"),
  });
  expect(readdirSync(folder)).toEqual(before);
});
