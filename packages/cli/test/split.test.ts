/** `annarrow split`: outputs in a folder that appears whole or not at all. */

import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ensureBuilt } from "../../../test/build.js";
import { open } from "../../../test/formats/conversion/opened.js";
import { isMounted, mountSmallDisk, unmount } from "../../../test/io/targets/small-disk.js";

const PBMC = resolve("examples/pbmc.h5ad");
const MAIN = resolve("dist/cli/main.js");

beforeAll(ensureBuilt, 120_000);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-split-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(...args: string[]): Promise<Ended> {
  return new Promise((done) => {
    const child = execFile(process.execPath, [MAIN, "split", ...args], { cwd: folder }, (_, stdout, stderr) =>
      done({ code: child.exitCode, stdout, stderr }),
    );
  });
}

/** Options of a split that copies to a temporary file, since the size of a part of the genes is not known before. */
const SPILLED = ["--axis", "var", "--rows", "250", "--var-slice", "0:700", "--elements", "X,obs,var"];

describe("split", () => {
  test("--help names the options, and gives examples", async () => {
    const { code, stdout } = await run("--help");
    expect(code).toBe(0);
    for (const flag of ["--by <column>", "--rows <number>", "--axis <axis>", "--to <format>", "--drop-unused"]) {
      expect(stdout).toContain(flag);
    }
    expect(stdout).toContain("annarrow split pbmc.h5ad parts/ --rows 10000");
  });

  test("--rows writes blocks of cells, and split.json lists them", async () => {
    const { code, stderr } = await run(PBMC, "blocks", "--rows", "1000", "--elements", "obs,var,obsm/X_umap");
    expect(stderr).toMatch(/^blocks: 3 outputs, 2,700 cells\n$/m);
    expect(code).toBe(0);
    const { parts } = JSON.parse(readFileSync(join(folder, "blocks/split.json"), "utf8"));
    const whole = await open(PBMC);
    const names = await whole.obsNames();
    expect(parts.map((part: { readonly count: number }) => part.count)).toEqual([1000, 1000, 700]);
    for (const { file, start, count } of parts) {
      const part = await open(join(folder, "blocks", file));
      expect(await part.obsNames()).toEqual(names?.slice(start, start + count));
    }
  });

  test.each([
    [["--by", "no_such_column"], /obs has no column "no_such_column"; did you mean/, 1],
    [["--rows", "0"], /--rows.*whole number from 1 on/, 2],
    [["--rows", "1e3"], /--rows.*whole number from 1 on/, 2],
    [[], /give either --by COLUMN or --rows NUMBER/, 2],
    [["--by", "cell_type", "--rows", "5"], /give either --by COLUMN or --rows NUMBER/, 2],
  ] as const)("%j is an error, and writes nothing", async (flags, message, expected) => {
    const { code, stderr } = await run(PBMC, "out", ...flags);
    expect(stderr).toMatch(message);
    expect(code).toBe(expected);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("no cells make no outputs", async () => {
    const { code, stderr } = await run(PBMC, "out", "--by", "cell_type", "--obs-slice", "0:0");
    const warning = `annarrow: warning: ${PBMC}: the options choose no cell\n`;
    expect({ code, stderr }).toEqual({ code: 0, stderr: `${warning}out: 0 outputs, 0 cells\n` });
    expect(readdirSync(join(folder, "out"))).toEqual(["split.json"]);
    expect(JSON.parse(readFileSync(join(folder, "out/split.json"), "utf8"))).toMatchObject({ parts: [] });
  });

  test("an input that is not there, or no file of cells, is named", async () => {
    expect(await run("none.h5ad", "out", "--rows", "5")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("none.h5ad: no such file"),
    });
    writeFileSync(join(folder, "broken.h5ad"), readFileSync(PBMC).subarray(0, 5000));
    expect(await run("broken.h5ad", "out", "--rows", "5")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("broken.h5ad"),
    });
    expect(readdirSync(folder)).toEqual(["broken.h5ad"]);
  });

  test("a folder that is there stays, unless it has the parts of a split and --overwrite is given", async () => {
    mkdirSync(join(folder, "out"));
    writeFileSync(join(folder, "out/mine.txt"), "mine");
    const flags = ["--rows", "2000", "--elements", "obs,var"];
    for (const more of [[], ["--overwrite"]]) {
      const { code, stderr } = await run(PBMC, "out", ...flags, ...more);
      expect(stderr).toMatch(/out/);
      expect(code).toBe(1);
      expect(readdirSync(folder)).toEqual(["out"]);
      expect(readdirSync(join(folder, "out"))).toEqual(["mine.txt"]);
    }
    expect(await run(PBMC, "parts", ...flags)).toMatchObject({ code: 0 });
    expect(await run(PBMC, "parts", ...flags)).toMatchObject({ code: 1 });
    expect(await run(PBMC, "parts", ...flags, "--to", "zarr", "--overwrite")).toMatchObject({ code: 0 });
    expect(readdirSync(join(folder, "parts")).filter((name) => name.endsWith(".h5ad"))).toEqual([]);
  });

  test("Ctrl-C ends it, and leaves nothing", async () => {
    const child = spawn(process.execPath, [MAIN, "split", PBMC, "out", "--rows", "10"], { cwd: folder });
    const ended = once(child, "exit");
    while (child.exitCode === null && readdirSync(folder).length === 0) {
      await new Promise((wait) => setTimeout(wait, 2));
    }
    child.kill("SIGINT");
    const [code] = await ended;
    expect(code).toBe(130);
    expect(existsSync(join(folder, "out"))).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("a full folder for temporary files is named, with the way to give another one", async () => {
    const disk = join(folder, "disk");
    const refusal = mountSmallDisk(disk);
    if (!isMounted(refusal)) return;
    try {
      const command = [MAIN, "split", PBMC, "out", ...SPILLED];
      const child = spawnSync(process.execPath, command, {
        cwd: folder,
        // Node 22 and later keep the compiled modules of the command in TMPDIR: no file of a split.
        env: { ...process.env, TMPDIR: disk, NODE_DISABLE_COMPILE_CACHE: "1" },
        encoding: "utf8",
      });
      expect(child.stderr).toBe(
        `annarrow: temporary file in ${disk}: X: cannot be written: no space left on device (ENOSPC); set TMPDIR to a folder with more room\n`,
      );
      expect(child.status).toBe(1);
      expect(readdirSync(disk)).toEqual([]);
      expect(readdirSync(folder)).toEqual(["disk"]);
    } finally {
      unmount(disk);
    }
  });
});
