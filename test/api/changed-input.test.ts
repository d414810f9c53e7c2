/** Inputs that change between their opening and the end of reading. */

import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { concat, convert, open, split, write } from "../../packages/published/src/node.js";
import { cleanups } from "../cleanups.js";

const COUNTS = "test/fixtures/data/annotated/counts.h5ad";

async function copied(name: string, format?: "parquet"): Promise<{ folder: string; input: string }> {
  const folder = await mkdtemp(join(tmpdir(), "annarrow-changed-"));
  cleanups.test.add(() => rmSync(folder, { recursive: true }));
  const input = join(folder, name);
  if (name.endsWith(".h5ad")) cpSync(COUNTS, input);
  else await convert(COUNTS, input, format === undefined ? {} : { format });
  return { folder, input };
}

/** A file in the place of another one, as writers replace chunks. */
function replace(path: string): void {
  writeFileSync(`${path}.new`, readFileSync(path));
  renameSync(`${path}.new`, path);
}

const outputs = ["out.h5ad", "out.zarr", "out.zarr.zip", "out.parquet"] as const;

test.each(outputs)("a file with a later time: no %s", async (output) => {
  const { folder, input } = await copied("in.h5ad");
  const data = await open(input);
  utimesSync(input, 1, 1);
  const tables = output.endsWith("parquet") ? { tables: ["obs"] } : {};
  const options = output.endsWith("parquet") ? { ...tables, format: "parquet" as const } : {};
  await expect(write(join(folder, output), data, options)).rejects.toMatchObject({
    code: "source-changed",
    message: expect.stringContaining("in.h5ad"),
  });
  await data.close();
  expect(readdirSync(folder)).toEqual(["in.h5ad"]);
});

test("a file that becomes shorter is no broken file", async () => {
  const { folder, input } = await copied("in.h5ad");
  const data = await open(input);
  truncateSync(input, 3000);
  await expect(write(join(folder, "out.h5ad"), data)).rejects.toMatchObject({ code: "source-changed" });
  await data.close();
  expect(readdirSync(folder)).toEqual(["in.h5ad"]);
});

test("a part of it, and a split", async () => {
  const { folder, input } = await copied("in.h5ad");
  const data = await open(input);
  const part = await data.select({ obs: [3, 1] });
  utimesSync(input, 1, 1);
  await expect(write(join(folder, "out.zarr"), part)).rejects.toMatchObject({ code: "source-changed" });
  await expect(split(data, join(folder, "parts"), { rows: 40 })).rejects.toMatchObject({ code: "source-changed" });
  await data.close();
  expect(readdirSync(folder)).toEqual(["in.h5ad"]);
});

test.each([
  ["replaced", (path: string) => replace(path)],
  ["written into", (path: string) => writeFileSync(path, readFileSync(path).reverse())],
])("a chunk of a Zarr store that is %s", async (_, change) => {
  const { folder, input } = await copied("in.zarr");
  const data = await open(input);
  await data.table("X").read();
  change(join(input, "X/data/0"));
  await expect(write(join(folder, "out.h5ad"), data)).rejects.toMatchObject({
    code: "source-changed",
    message: expect.stringContaining("in.zarr"),
  });
  await data.close();
  expect(readdirSync(folder)).toEqual(["in.zarr"]);
});

test("a zip, and a folder of Parquet files", async () => {
  for (const [name, file] of [["in.zarr.zip"], ["in", "obs.parquet"]]) {
    const { folder, input } = await copied(name, file === undefined ? undefined : "parquet");
    const data = await open(input);
    if (file === undefined) utimesSync(input, 1, 1);
    else replace(join(input, file));
    await expect(write(join(folder, "out.h5ad"), data)).rejects.toMatchObject({ code: "source-changed" });
    await data.close();
    expect(readdirSync(folder)).toEqual([name]);
  }
});

/** As many inputs as stay open, and more: the first ones are closed meanwhile. */
const MANY = 70;

describe("an input of concat", () => {
  const changes: [input: string, what: string, change: (path: string) => void][] = [
    ["in.h5ad", "has a later time", (path) => utimesSync(path, 1, 1)],
    ["in.h5ad", "is replaced", replace],
    ["in.h5ad", "is shorter", (path) => truncateSync(path, 3000)],
    ["in.h5ad", "is removed", (path) => rmSync(path)],
    ["in.zarr.zip", "has a later time", (path) => utimesSync(path, 1, 1)],
    ["in.zarr", "has another chunk", (path) => replace(join(path, "X/data/0"))],
    ["in.zarr", "has other bytes in a chunk", (path) => appendFileSync(join(path, "X/indices/0"), "x")],
  ];

  test.each(changes)("%s %s", async (name, _, change) => {
    const { folder, input } = await copied(name);
    const all = await concat([COUNTS, input, COUNTS]);
    await all.table("X").read();
    change(input);
    for (const output of ["out.h5ad", "out.zarr"]) {
      const written = write(join(folder, output), all);
      await expect(written).rejects.toMatchObject({ code: "source-changed", source: expect.stringContaining(name) });
    }
    await expect(split(all, join(folder, "parts"), { rows: 40 })).rejects.toMatchObject({ code: "source-changed" });
    await all.close();
    expect(readdirSync(folder)).toEqual(existsSync(input) ? [name] : []);
  });

  test.each(changes)("%s %s, and was closed meanwhile", async (name, _, change) => {
    const { folder, input } = await copied(name);
    const all = await concat([input, ...Array(MANY).fill(COUNTS)], { label: "file" });
    change(input);
    const written = write(join(folder, "out.h5ad"), all);
    await expect(written).rejects.toMatchObject({ code: "source-changed", source: expect.stringContaining(name) });
    await all.close();
    expect(readdirSync(folder)).toEqual(existsSync(input) ? [name] : []);
  });

  test("that is a dataset", async () => {
    const { folder, input } = await copied("in.h5ad");
    const data = await open(input);
    const all = await concat([data, await data.select({ obs: [3, 1] })]);
    utimesSync(input, 1, 1);
    await expect(write(join(folder, "out.h5ad"), all)).rejects.toMatchObject({ code: "source-changed" });
    await data.close();
    expect(readdirSync(folder)).toEqual(["in.h5ad"]);
  });

  test("was written within the millisecond in which it is opened", async () => {
    const { input } = await copied("in.zarr");
    const counts = await open(COUNTS);
    const counted = counts.table("obs").rows ?? 0;
    await counts.close();
    const files = [
      input,
      ...readdirSync(input, { recursive: true, encoding: "utf8" }).map((file) => join(input, file)),
    ];
    const written = Math.max(...files.map((file) => statSync(file).ctimeMs));
    const clock = vi.spyOn(Date, "now").mockReturnValue(Math.floor(written));
    onTestFinished(() => clock.mockRestore());
    const all = await concat([input, COUNTS]);
    expect(all.table("obs").rows).toBe(2 * counted);
    await all.close();
  });

  test("stays as it is", async () => {
    const { folder, input } = await copied("in.zarr");
    const all = await concat([input, COUNTS, input]);
    await write(join(folder, "out.h5ad"), all);
    await all.close();
    expect(readdirSync(folder)).toEqual(["in.zarr", "out.h5ad"]);
  });
});

test("an input may be replaced by its own output", async () => {
  for (const name of ["in.h5ad", "in.zarr"]) {
    const { input } = await copied(name);
    await convert(input, input, { overwrite: true });
    const data = await open(input);
    expect(data.shape).toEqual([70, 45]);
    await data.close();
  }
});
