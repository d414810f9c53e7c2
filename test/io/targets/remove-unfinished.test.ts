/** What an interrupted process removes, while a thread that heard nothing of it still writes. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, test } from "vitest";
import { planWorkFolder } from "../../../src/io/targets/temporary-folder.node.js";
import {
  createTemporaryName,
  registerCleanup,
  removeUnfinished,
} from "../../../src/io/targets/temporary-output.node.js";
import { ensureBuilt } from "../../build.js";

let top: string;
beforeAll(async () => {
  top = mkdtempSync(join(tmpdir(), "annarrow-unfinished-"));
  await ensureBuilt();
}, 120_000);
afterAll(() => rmSync(top, { recursive: true }));

/** Makes files in a folder, as threads of DuckDB do, until there is no folder. */
const WRITER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { writeFileSync } = require("node:fs");
  for (let i = 0; ; i++) {
    try { writeFileSync(workerData + "/" + i, "x"); } catch { break; }
    if (i === 2000) parentPort.postMessage("begun");
  }
`;

test("a folder goes though threads make files in it all the time", async () => {
  for (let round = 0; round < 2; round++) {
    const parent = mkdtempSync(join(top, "parent-"));
    const folder = join(parent, await createTemporaryName("spill"));
    mkdirSync(folder);
    registerCleanup(folder);
    const writers = [0, 1, 2].map((n) => {
      mkdirSync(join(folder, `${n}`));
      return new Worker(WRITER, { eval: true, workerData: join(folder, `${n}`) });
    });
    await Promise.all(writers.map((writer) => once(writer, "message")));
    const ended = writers.map((writer) => once(writer, "exit"));
    removeUnfinished();
    expect(readdirSync(parent)).toEqual([]);
    await Promise.all(ended);
    expect(readdirSync(parent)).toEqual([]);
  }
}, 60_000);

test("a folder is there once it is registered: no creation is under way that would come after its removal", async () => {
  const folder = await planWorkFolder("annarrow-test");
  const created = folder.create();
  removeUnfinished();
  await created;
  expect(existsSync(folder.path)).toBe(false);
});

test("a reader that goes away leaves no temporary files behind", async () => {
  const temporary = mkdtempSync(join(top, "temporary-"));
  const env = { ...process.env, TMPDIR: temporary, NODE_DISABLE_COMPILE_CACHE: "1" };
  const sql = "select range, range * 2 from range(30000000)";
  const args = ["dist/cli/main.js", "query", "examples/pbmc.h5ad", sql, "--engine", "native", "--format", "csv"];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  child.stdout.destroy();
  expect([await text(child.stderr), await ended]).toEqual(["", [0, null]]);
  expect(readdirSync(temporary)).toEqual([]);
}, 60_000);
