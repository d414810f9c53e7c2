import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../../../test/build.js";
import { annarrow } from "./command.js";

const PBMC = "examples/pbmc.h5ad";
let folder: string;

beforeAll(async () => {
  await ensureBuilt();
  folder = mkdtempSync(join(tmpdir(), "annarrow-cli-union-"));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** The names of the datasets of a union, with their numbers of observations. */
async function datasets(union: string): Promise<string> {
  const sql = "select dataset_id, count(*) as cells from obs group by 1 order by 1";
  const { code, stdout, stderr } = await annarrow("query", union, sql, "--format", "csv");
  expect(stderr).toBe("");
  expect(code).toBe(0);
  return stdout;
}

test("union and union add name datasets by name=file", async () => {
  const atlas = join(folder, "atlas");
  const made = await annarrow("union", `one=${PBMC}`, PBMC, atlas);
  expect(made.stderr).toContain("2 datasets, 5,400 observations");
  expect(made.code).toBe(0);
  const list = join(folder, "list.txt");
  writeFileSync(list, `study 8=${PBMC}\n`);
  expect((await annarrow("union", "add", "--inputs", list, atlas)).stderr).toContain("3 datasets, 8,100 observations");
  expect(await datasets(atlas)).toBe("dataset_id,cells\none,2700\npbmc,2700\nstudy 8,2700\n");
}, 60_000);

test("a name is for one file", async () => {
  const { code, stderr } = await annarrow("union", "all=examples/pbmc.*", join(folder, "none"));
  expect(stderr).toMatch(/^annarrow: all= names one file, but examples\/pbmc\.\* matches \d+\n$/);
  expect(code).toBe(2);
});
