/** What a server that was killed has left is removed by the next one, and nothing else. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { tableFromArrays } from "apache-arrow";
import { afterEach, beforeEach, expect, test } from "vitest";
import { getReplacedName } from "../../../../../src/io/targets/renames.node.js";
import {
  createTemporaryName,
  type Owner,
  readProcessOwner,
  UPLOAD,
} from "../../../../../src/io/targets/temporary-output.node.js";
import { serve } from "../../../../published/src/node.js";
import { Uploads } from "../../../src/serve/answers/uploads.node.js";
import { Folders } from "../../../src/serve/datasets/folders.node.js";
import { removeLeft } from "../../../src/serve/datasets/leftovers.node.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-left-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const { signal } = new AbortController();

/** A process that does nothing until it is killed. */
async function other(): Promise<{ readonly child: ChildProcess; readonly owner: Owner }> {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  await once(child, "spawn");
  return { child, owner: await readProcessOwner(child.pid) };
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

/** The folder of an upload of that process, with a table in it. */
async function left(owner: Owner, where = folder): Promise<string> {
  const path = join(where, await createTemporaryName(UPLOAD, owner));
  mkdirSync(path);
  writeFileSync(join(path, "0.arrows"), "rows");
  return path;
}

/** Starts a server, stops it after `count` removals or when its time is over, and returns the removals that it logged. */
async function started(
  count: number,
  options: { readonly readOnly?: boolean } = {},
): Promise<readonly Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  const server = await serve(folder, { port: 0, log: (line) => lines.push(JSON.parse(line)), ...options });
  const removed = () => lines.filter(({ event }) => String(event).startsWith("left unfinished"));
  if (count === 0) await setTimeout(200);
  else await expect.poll(() => removed().length, { timeout: 10_000 }).toBe(count);
  await server.close(0);
  return removed();
}

test("of a server that was killed, with a line of the log; not by one that only reads", async () => {
  const { child, owner } = await other();
  mkdirSync(join(folder, "sub"));
  const paths = [await left(owner), await left(owner, join(folder, "sub"))];
  expect(await started(0)).toEqual([]);
  expect(paths.map(existsSync)).toEqual([true, true]);
  await killed(child);
  expect(await started(0, { readOnly: true })).toEqual([]);
  expect(paths.map(existsSync)).toEqual([true, true]);
  await removeLeft((await Folders.open([folder])).paths, () => undefined, AbortSignal.abort());
  expect(paths.map(existsSync)).toEqual([true, true]);
  const lines = await started(2);
  expect(lines.map(({ path, level }) => [path, level])).toEqual(paths.map((path) => [path, "info"]));
  expect(readdirSync(folder)).toEqual(["sub"]);
  expect(readdirSync(join(folder, "sub"))).toEqual([]);
});

test("two servers on one folder leave each other's uploads alone", async () => {
  const uploads = new Uploads(await Folders.open([folder]));
  const { schema, batches } = tableFromArrays({ _index: ["a", "b"] });
  async function* each() {
    yield* batches;
  }
  const name = { dataset: ["new.h5ad"], upload: "", client: "" };
  await uploads.put(name, "obs", { schema, batches: each() }, signal);
  const [own] = readdirSync(folder);
  utimesSync(join(folder, own), 0, 0);
  expect(await started(0)).toEqual([]);
  expect(readdirSync(folder)).toEqual([own]);
  await uploads.close();
  expect(readdirSync(folder)).toEqual([]);
});

test("of a process whose number another one has now", async () => {
  const { child, owner } = await other();
  expect(Number(owner.began)).toBeGreaterThan(0);
  const early = await left({ ...owner, began: String(Number(owner.began) - 1) });
  // Where the system cannot report when a process began, any process with that id counts as the owner.
  const untold = await left({ ...owner, began: "" });
  expect((await started(1)).map(({ path }) => path)).toEqual([early]);
  await killed(child);
  expect((await started(1)).map(({ path }) => path)).toEqual([untold]);
});

test("of another machine once nobody has touched it for a day", async () => {
  const { child, owner } = await other();
  await killed(child);
  const elsewhere = await left({ ...owner, system: "0123456789ab", machine: "" });
  const unnamed = await left({ ...owner, system: "", machine: "" });
  expect(await started(0)).toEqual([]);
  const hours = (count: number) => new Date(Date.now() - 3_600_000 * count);
  for (const path of [elsewhere, unnamed]) utimesSync(path, hours(23), hours(23));
  expect(await started(0)).toEqual([]);
  for (const path of [elsewhere, unnamed]) utimesSync(path, hours(25), hours(25));
  expect((await started(2)).map(({ path }) => path).sort()).toEqual([elsewhere, unnamed].sort());
});

test("datasets that were being written, and those that were being replaced", async () => {
  const { child, owner } = await other();
  await killed(child);
  const file = join(folder, await createTemporaryName("new.h5ad", owner));
  writeFileSync(file, "half");
  const replaced = getReplacedName(join(folder, await createTemporaryName("old.zarr", owner)));
  mkdirSync(replaced);
  expect((await started(1)).map(({ path }) => path)).toEqual([file]);
  expect(readdirSync(folder)).toEqual(["old.zarr"]);
});

test("nothing that is no upload's folder, in none that is a store, and through no link", async () => {
  const { child, owner } = await other();
  await killed(child);
  const outside = mkdtempSync(join(tmpdir(), "annarrow-outside-"));
  const beyond = await left(owner, outside);
  symlinkSync(outside, join(folder, "linked"));
  await left(owner);
  symlinkSync(beyond, join(folder, await createTemporaryName(UPLOAD, owner)));
  mkdirSync(join(folder, "store.zarr"));
  const inStore = await left(owner, join(folder, "store.zarr"));
  const file = join(folder, `.annarrow-upload-${owner.pid}`);
  writeFileSync(file, "mine");
  expect(await started(1)).toHaveLength(1);
  expect([beyond, inStore, file].map(existsSync)).toEqual([true, true, true]);
  expect(readdirSync(folder)).toHaveLength(4);
  rmSync(outside, { recursive: true });
});
