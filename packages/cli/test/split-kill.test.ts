/**
 * A split that is killed: its folder is whole or what it was, and no copies stay behind. Here are outputs of each kind
 * (files, folders, folders of tables); .ci/lanes/code/kill.sh kills splits to every format.
 */

import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTemporarySpill } from "../../../src/jobs/external-sort/spill.node.js";
import { ensureBuilt } from "../../../test/build.js";
import { draws } from "../../../test/draws.js";
import { expectSurvivesKills } from "../../../test/io/targets/survives-kills.js";

const MAIN = resolve("dist/cli/main.js");
const PBMC = resolve("examples/pbmc.h5ad");
const MUDATA = resolve("test/fixtures/data/mudata/axis0.h5mu");
const FRAGMENTS = resolve("test/fixtures/data/fragments/fragments.tsv.gz");

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-split-kill-"));
  await ensureBuilt();
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** Splits by cells in mixed order, whose rows are copied, and by genes, whose entries are copied to a temporary file. */
const BY_CELLS = ["--by", "cell_type", "--elements", "X,obs,var"];
const BY_GENES = ["--axis", "var", "--rows", "250", "--var-slice", "0:700", "--elements", "X,obs,var"];

test.each([
  ["h5ad", PBMC, ...BY_CELLS],
  ["h5ad", PBMC, ...BY_GENES],
  ["zarr", PBMC, ...BY_CELLS],
  ["parquet", PBMC, ...BY_CELLS],
  ["h5mu", MUDATA, "--rows", "2", "--lossy"],
  ["10x", FRAGMENTS, "--rows", "3", "--lossy"],
] as const)(
  "to %s: %s, %j %j, is whole or what it was",
  async (format, input, ...flags) => {
    const top = mkdtempSync(join(folder, "outputs-"));
    const temporary = mkdtempSync(join(folder, "temporary-"));
    mkdirSync(join(top, "x"));
    const place = join(top, "x", "parts");
    const split = [process.execPath, MAIN, "split", input, place, "--to", format, "--overwrite", ...flags];
    // Node 22 and later keep the compiled modules of the command in TMPDIR: no file of a split.
    const command = ["env", `TMPDIR=${temporary}`, "NODE_DISABLE_COMPILE_CACHE=1", ...split];
    await expectSurvivesKills({ command, place, moments: draws(8).numRuns, seed: 11 });
    // A process may be killed before its temporary file has lost its name: the next one to make such a file removes it.
    const spill = createTemporarySpill(temporary);
    await spill.append([new Uint8Array(1)]);
    await spill.remove();
    expect(readdirSync(temporary)).toEqual([]);
  },
  120_000,
);
