/** Parts, unions and reordered files whose process is killed: the output is whole or what was there before. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { ensureBuilt } from "../../../test/build.js";
import { draws } from "../../../test/draws.js";
import { expectSurvivesKills } from "../../../test/io/targets/survives-kills.js";

const MAIN = resolve("dist/cli/main.js");
const PBMC = resolve("examples/pbmc.h5ad");

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-parts-kill-"));
  await ensureBuilt();
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["out.h5ad", ["convert", PBMC, "{}", "--obs-slice", "5:900", "--var-slice", "0:700", "--drop-unused"]],
  ["out.h5ad", ["convert", PBMC, "{}", "--order", "csc", "--sort-obs", "n_counts"]],
  ["out.zarr", ["concat", PBMC, resolve("examples/pbmc.zarr.zip"), "-o", "{}", "--index-unique", "-"]],
])(
  "%s of %j",
  async (name, args) => {
    const top = mkdtempSync(join(folder, "outputs-"));
    mkdirSync(join(top, "x"));
    const place = join(top, "x", name);
    const command = [process.execPath, MAIN, ...args.map((one) => (one === "{}" ? place : one)), "--overwrite"];
    await expectSurvivesKills({ command, place, moments: draws(8).numRuns, seed: 19 });
  },
  120_000,
);
