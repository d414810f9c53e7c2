import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { directoryTarget } from "../../src/sinks/directory-target.node.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "annarrow-target-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function* chunks(...texts: string[]) {
  for (const text of texts) yield new TextEncoder().encode(text);
}

async function* failing() {
  yield* chunks("begun");
  throw new Error("no more");
}

test("a file that fails leaves neither itself nor an empty folder", async () => {
  const target = await directoryTarget(join(folder, "out"));
  await target.write("uns/kept/a.arrow", chunks("a", "b"));
  await expect(target.write("uns/deep/er/b.arrow", failing())).rejects.toThrow("no more");
  await expect(target.write("uns/kept/c.arrow", failing())).rejects.toThrow("no more");
  await target.commit();
  expect((await readdir(join(folder, "out"), { recursive: true })).sort()).toEqual([
    "uns",
    "uns/kept",
    "uns/kept/a.arrow",
  ]);
  expect(await readFile(join(folder, "out/uns/kept/a.arrow"), "utf8")).toBe("ab");
});

test("what is aborted leaves nothing", async () => {
  const target = await directoryTarget(join(folder, "out"));
  await target.write("a.arrow", chunks("a"));
  await target.abort();
  expect(await readdir(folder)).toEqual([]);
});
