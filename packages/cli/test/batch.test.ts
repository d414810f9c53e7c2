/** Several inputs of `annarrow convert`. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../../../test/build.js";
import { folder, open } from "../../../test/formats/conversion/opened.js";

const COUNTS = resolve("test/fixtures/data/annotated/counts.h5ad");
const MAIN = resolve("dist/cli/main.js");

beforeAll(ensureBuilt, 120_000);

/** A new folder with copies of one file under these names. */
function copies(...names: string[]): string {
  const place = join(folder(), `batch-${Math.random().toString(36).slice(2)}`);
  mkdirSync(place, { recursive: true });
  for (const name of names) copyFileSync(COUNTS, join(place, name));
  return place;
}

function run(cwd: string, ...args: string[]): Promise<{ readonly code: number | null; readonly stderr: string }> {
  return new Promise((done) => {
    const child: ChildProcess = execFile(process.execPath, [MAIN, "convert", ...args], { cwd }, (_, __, stderr) =>
      done({ code: child.exitCode, stderr }),
    );
  });
}

describe("several inputs", () => {
  test("have one output each, named after the input", async () => {
    const place = copies("a.h5ad", "b.c.h5ad");
    const { code, stderr } = await run(
      place,
      "a.h5ad",
      "b.c.h5ad",
      "new/out",
      "--to",
      "zarr",
      "--elements",
      "X,obs,var",
    );
    expect({ code, lines: stderr.trimEnd().split("\n").sort() }).toEqual({
      code: 0,
      lines: ["a", "b.c"].map((name) => expect.stringMatching(`^new/out/${name}\\.zarr: 3 tables, [\\d,]+ rows$`)),
    });
    expect(readdirSync(join(place, "new/out")).sort()).toEqual(["a.zarr", "b.c.zarr"]);
    expect((await open(join(place, "new/out/b.c.zarr"))).shape).toEqual([70, 45]);
  });

  test("that fail are listed at the end, and stop no other", async () => {
    const place = copies("a.h5ad", "b.h5ad", "z.h5ad");
    truncateSync(join(place, "a.h5ad"), 3000);
    const { code, stderr } = await run(
      place,
      "a.h5ad",
      "b.h5ad",
      "no.h5ad",
      "z.h5ad",
      "out",
      "--to",
      "h5ad",
      "--jobs",
      "1",
    );
    const lines = stderr.trimEnd().split("\n");
    expect(lines.slice(0, 2)).toEqual(["b", "z"].map((name) => expect.stringContaining(`out/${name}.h5ad: `)));
    expect(lines.slice(2)).toEqual([
      expect.stringMatching(/^annarrow: a\.h5ad: .*3000 bytes/),
      "annarrow: no.h5ad: no such file or directory",
      "annarrow: 2 of 4 inputs failed",
    ]);
    expect(code).toBe(1);
    expect(readdirSync(join(place, "out")).sort()).toEqual(["b.h5ad", "z.h5ad"]);
  });

  test("that all fail leave no folder", async () => {
    const place = copies("a.h5ad", "b.h5ad");
    const { code, stderr } = await run(place, "a.h5ad", "b.h5ad", "x/y", "--to", "h5ad", "--elements", "Y");
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/a\.h5ad: .*no element "Y".*\n.*b\.h5ad/),
    });
    expect(readdirSync(place).sort()).toEqual(["a.h5ad", "b.h5ad"]);
  });

  test("after Ctrl-C, finished outputs stay, and no half one", async () => {
    const names = Array.from({ length: 40 }, (_, i) => `${i}.h5ad`);
    const place = copies(...names);
    const child = spawn(process.execPath, [MAIN, "convert", ...names, "out", "--to", "zarr"], { cwd: place });
    await once(child.stderr, "data");
    child.kill("SIGINT");
    const [code] = await once(child, "exit");
    const left = readdirSync(join(place, "out"));
    expect(code).toBe(130);
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThan(names.length);
    for (const name of left) expect((await open(join(place, "out", name))).tables.size).toBe(10);
  });
});

describe("patterns that the shell has left", () => {
  test("are expanded, and one match goes into the folder, too", async () => {
    const place = copies("a.h5ad", "b.h5ad", ".c.h5ad");
    mkdirSync(join(place, "out"));
    const flags = ["--to", "csv", "--table", "obs"];
    expect(await run(place, "{a,b}.h5ad", "out/", ...flags)).toMatchObject({ code: 0 });
    expect(readdirSync(join(place, "out")).sort()).toEqual(["a.csv", "b.csv"]);
    expect(await run(place, "[!b]*d", "tables", "--to", "parquet")).toMatchObject({ code: 0 });
    expect(readdirSync(join(place, "tables"))).toEqual(["a"]);
    expect((await open(join(place, "tables/a"))).format).toBe("anndata");
  });

  test("of a file that has such a name mean this file", async () => {
    const place = copies("a.h5ad", "[a].h5ad");
    expect(await run(place, "[a].h5ad", "one.zarr")).toMatchObject({ code: 0 });
  });
});

test("one input goes into a folder where the format is one file", async () => {
  const place = copies("a.h5ad");
  expect(await run(place, "a.h5ad", "out/", "--to", "zarr.zip")).toMatchObject({ code: 0 });
  expect(readdirSync(join(place, "out"))).toEqual(["a.zarr.zip"]);
});

describe("refused before anything is written", () => {
  test.each<[string, readonly string[], number, RegExp]>([
    ["a pattern that matches nothing", ["x*.h5ad", "out"], 1, /^annarrow: x\*\.h5ad: no file matches this pattern/],
    [
      "two outputs of one name",
      ["a.h5ad", "sub/a.h5ad", "out"],
      2,
      /out\/a\.h5ad: a\.h5ad and sub\/a\.h5ad would both/,
    ],
    ["one input twice", ["a.h5ad", "b.h5ad", "a.h5ad", "out"], 2, /out\/a\.h5ad: a\.h5ad is given twice/],
    ["an output that is an input", ["sub/a.h5ad", "b.h5ad", "sub", "--overwrite"], 1, /sub\/a\.h5ad: is the input sub/],
    [
      "an output that is an input behind a link",
      ["a.h5ad", "b.h5ad", "link"],
      1,
      /link\/a\.h5ad: is the input a\.h5ad/,
    ],
    ["the name of one file", ["a.h5ad", "b.h5ad", "c.h5ad"], 2, /c\.h5ad: several inputs.* need a folder/],
    ["a file as the folder", ["a.h5ad", "b.h5ad", "list"], 2, /list: a file, but several inputs need a folder/],
    ["the standard output", ["a.h5ad", "b.h5ad", "-"], 2, /-: several inputs.* need a folder/],
    ["no jobs", ["a.h5ad", "b.h5ad", "out", "--jobs", "0"], 2, /It must be a whole number from 1 on/],
  ])("%s", async (_, args, code, message) => {
    const place = copies("a.h5ad", "b.h5ad");
    mkdirSync(join(place, "sub"));
    copyFileSync(COUNTS, join(place, "sub/a.h5ad"));
    writeFileSync(join(place, "list"), "");
    symlinkSync(place, join(place, "link"));
    const found = await run(place, ...args, "--to", "h5ad");
    expect(found.stderr).toMatch(message);
    expect(found.code).toBe(code);
    expect(existsSync(join(place, "out"))).toBe(false);
    expect(readdirSync(join(place, "sub"))).toEqual(["a.h5ad"]);
  });

  test("several inputs without a format", async () => {
    const place = copies("a.h5ad", "b.h5ad");
    const found = await run(place, "a.h5ad", "b.h5ad", "out");
    expect(found).toEqual({
      code: 2,
      stderr: expect.stringMatching(/need a folder for their outputs, as out\/ --to par/),
    });
  });
});
