/** `--compression keep` whose process is killed or interrupted, or whose input changes while its chunks are copied. */

import { spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { tableFromArrays } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../../../test/build.js";
import { draws } from "../../../test/draws.js";
import { expectSurvivesKills } from "../../../test/io/targets/survives-kills.js";
import { convert, open, slice, split, write } from "../../published/src/node.js";

const MAIN = "dist/cli/main.js";

/** Rows and entries of a matrix whose arrays have dozens of chunks. */
const ROWS = 100_000;
const ENTRIES = 10 * ROWS;

let folder: string;
const at = (name: string) => join(folder, name);

beforeAll(async () => {
  await ensureBuilt();
  folder = mkdtempSync(join(tmpdir(), "annarrow-keep-cli-"));
  await write(at("in.h5ad"), tables(), { compression: "gzip", level: 1 });
  // HDF5 can hold the chunks of this store, too: they are zlib's.
  await convert(at("in.h5ad"), at("in.zarr"), { compression: "keep" });
});
afterAll(() => rmSync(folder, { recursive: true }));

function tables() {
  const entry = Int32Array.from({ length: ENTRIES }, (_, i) => i);
  const names = (letter: string, count: number) => Array.from({ length: count }, (_, i) => `${letter}${i}`);
  return {
    X: tableFromArrays({
      row: entry.map((i) => Math.floor(i / 10)),
      col: entry.map((i) => 4 * (i % 10)),
      value: Float32Array.from(entry, (i) => Math.fround(Math.sin(i))),
    }),
    obs: tableFromArrays({ _index: names("c", ROWS) }),
    var: tableFromArrays({ _index: names("g", 40) }),
  };
}

/** From one container to another, with other arguments of the command. */
const PATHS: readonly (readonly [from: string, to: string, ...more: string[]])[] = [
  ["in.h5ad", "out.h5ad"],
  ["in.h5ad", "out.zarr"],
  ["in.h5ad", "out.zarr.zip"],
  ["in.zarr", "out.zarr"],
  ["in.zarr", "out.h5ad"],
  ["in.h5ad", "out.zarr", "--obs-slice", "0:90000"],
  ["in.zarr", "out.zarr", "--obs-slice", "0:90000"],
];

function commandOf([from, to, ...more]: readonly string[], top: string): string[] {
  return [MAIN, "convert", at(from), join(top, to), "--compression", "keep", "--overwrite", ...more];
}

test.each([...PATHS, ["in.h5ad", "parts", "split", "--rows", "40000", "--to", "h5ad"]])(
  "%s to %s is whole or not there after a kill",
  async (from, to, ...more) => {
    const top = mkdtempSync(at("killed-"));
    const isSplit = more[0] === "split";
    const args = isSplit
      ? [MAIN, "split", at(from), join(top, to), "--compression", "keep", "--overwrite", ...more.slice(1)]
      : commandOf([from, to, ...more], top);
    const command = [process.execPath, ...args];
    await expectSurvivesKills({ command, place: join(top, to), moments: draws(8).numRuns, seed: 3 });
  },
  120_000,
);

test.each(PATHS)("Ctrl-C from %s to %s leaves nothing", async (...path) => {
  const top = mkdtempSync(at("cut-"));
  const child = spawn(process.execPath, commandOf(path, top));
  const ended = new Promise((resolve) => child.on("exit", (code) => resolve(code)));
  while (child.exitCode === null && readdirSync(top).length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  child.kill("SIGINT");
  expect(await ended).toBe(130);
  expect(readdirSync(top)).toEqual([]);
});

test.each([
  ["concat", "in.zarr", "broken.zarr", "-o", "out.zarr"],
  ["concat", "broken.zarr", "-o", "out.zarr"],
  ["split", "broken.zarr", "parts", "--rows", "60000", "--to", "zarr"],
])("annarrow %s %s checks kept chunks if that is asked for", async (command, ...args) => {
  const top = mkdtempSync(at("checked-"));
  await convert(at("in.zarr"), join(top, "broken.zarr"), { compression: "none" });
  await convert(join(top, "broken.zarr"), join(top, "in.zarr"), { compression: "keep" });
  const indices = openSync(join(top, "broken.zarr/X/indices/0"), "r+");
  // There are 40 genes.
  writeSync(indices, Int32Array.of(40));
  closeSync(indices);
  const run = (...more: string[]) =>
    spawnSync(process.execPath, [resolve(MAIN), command, ...args, "--compression", "keep", ...more], {
      cwd: top,
      encoding: "utf8",
    });
  const names = readdirSync(top);
  const checked = run("--check");
  expect(checked.stderr).toMatch(/broken\.zarr.*X.*40/s);
  expect(checked.status).toBe(1);
  expect(readdirSync(top)).toEqual(names);
  expect(run().status).toBe(0);
});

describe("an input that changes while its chunks are copied is an error, and nothing is left", () => {
  /** Changes of a file, and of a folder in which a chunk that may be copied already is another one. */
  const FILE: Readonly<Record<string, (path: string) => void>> = {
    "a new time": (path) => utimesSync(path, 1, 1),
    "more bytes": (path) => appendFileSync(path, "more"),
  };
  const FOLDER: Readonly<Record<string, (path: string) => void>> = {
    "another chunk": (path) => {
      copyFileSync(join(path, "X/data/1"), join(path, "new"));
      renameSync(join(path, "new"), join(path, "X/data/0"));
    },
    "one chunk less": (path) => rmSync(join(path, "X/data/0")),
  };

  const changes = PATHS.flatMap((path) =>
    Object.keys(path[0] === "in.h5ad" ? FILE : FOLDER).map((change) => ({ change, path, title: path.join(" ") })),
  );

  test.each(changes)("$change: $title", async ({ change, path: [from, to, ...more] }) => {
    const top = mkdtempSync(at("changed-"));
    const source = join(top, from);
    cpSync(at(from), source, { recursive: true });
    mkdirSync(join(top, "to"));
    let count = 0;
    const onProgress = ({ element }: { readonly element: string }) => {
      if (element !== "X" || count > 0) return;
      count++;
      (FILE[change] ?? FOLDER[change])(source);
    };
    const data = await open(source);
    const part = more.length > 0 ? await data.select({ obs: slice(0, 90_000) }) : data;
    const copied = write(join(top, "to", to), part, { compression: "keep", onProgress });
    await expect(copied).rejects.toMatchObject({ code: "source-changed" });
    await data.close();
    expect(count).toBe(1);
    expect(readdirSync(join(top, "to"))).toEqual([]);
  });

  test.each(Object.keys(FILE))("%s: in.h5ad to parts", async (change) => {
    const top = mkdtempSync(at("changed-"));
    const source = join(top, "in.h5ad");
    copyFileSync(at("in.h5ad"), source);
    mkdirSync(join(top, "to"));
    let count = 0;
    const onProgress = ({ element }: { readonly element: string }) => {
      if (!element.endsWith(": X") || count > 0) return;
      count++;
      FILE[change](source);
    };
    const data = await open(source);
    const parts = split(data, join(top, "to", "parts"), { rows: 40_000, compression: "keep", onProgress });
    await expect(parts).rejects.toMatchObject({ code: "source-changed" });
    await data.close();
    expect(count).toBe(1);
    expect(readdirSync(join(top, "to"))).toEqual([]);
  });
});
