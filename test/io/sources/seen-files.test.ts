import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { openLocalPlan } from "../../../src/io/sources/blocking-file.node.js";
import { openDirectorySource } from "../../../src/io/sources/directory.node.js";
import { SeenFiles } from "../../../src/io/sources/seen-files.js";
import type { KeyValueSource } from "../../../src/io/sources/source.js";
import { cleanups } from "../../cleanups.js";

/** A folder as the main thread opens it, and as a worker opens it again. */
async function opened(): Promise<{ path: string; main: KeyValueSource; worker: KeyValueSource }> {
  const path = mkdtempSync(join(tmpdir(), "annarrow-seen-"));
  cleanups.test.add(() => rmSync(path, { recursive: true }));
  mkdirSync(join(path, "X"));
  for (const name of ["0", "1"]) writeFileSync(join(path, "X", name), "before");
  const main = await openDirectorySource(path);
  const { plan } = main;
  if (plan?.kind !== "directory") throw new TypeError("a directory has a plan");
  const worker = await openLocalPlan(structuredClone(plan));
  if (worker.kind !== "keys") throw new TypeError("a directory has keys");
  cleanups.test.add(async () => {
    await main.close();
    await worker.close();
  });
  return { path, main, worker };
}

test.each([
  ["written into", (path: string) => writeFileSync(path, "later")],
  [
    "replaced",
    (path: string) => {
      writeFileSync(`${path}.new`, "before");
      renameSync(`${path}.new`, path);
    },
  ],
  ["removed", (path: string) => rmSync(path)],
])("the main thread tells of a file that only a worker has read, and that is %s", async (_, change) => {
  const { path, main, worker } = await opened();
  await worker.get("X/1");
  await main.checkUnchanged?.();
  change(join(path, "X/1"));
  await expect(main.checkUnchanged?.()).rejects.toMatchObject({ code: "source-changed", source: path });
});

test("a file that nobody has read may change", async () => {
  const { path, main, worker } = await opened();
  await worker.get("X/1");
  writeFileSync(join(path, "X/0"), "later");
  await expect(main.checkUnchanged?.()).resolves.toBeUndefined();
});

test("two versions that two threads have read are a change", async () => {
  const { path, main, worker } = await opened();
  await main.get("X/0");
  writeFileSync(join(path, "X/0"), "later");
  await worker.get("X/0");
  await expect(main.checkUnchanged?.()).rejects.toMatchObject({ code: "source-changed" });
});

test("entries of several threads all arrive, as far as there is room", async () => {
  const seen = new SeenFiles();
  const code = `
    const { workerData: memory } = require("node:worker_threads");
    const [lengths, bytes] = [new Int32Array(memory), new Uint8Array(memory)];
    for (let i = 0; i < 500; i++) {
      const text = new TextEncoder().encode(JSON.stringify(["w" + i, "1"]));
      const size = 4 * Math.ceil((4 + text.length) / 4);
      const start = 4 + Atomics.add(lengths, 0, size);
      bytes.set(text, start + 4);
      Atomics.store(lengths, start / 4, text.length);
    }`;
  const worker = new Worker(code, { eval: true, workerData: seen.memory });
  const ended = new Promise((resolve, reject) => worker.on("exit", resolve).on("error", reject));
  for (let i = 0; i < 500; i++) {
    seen.append(`m${i}`, "2");
    if (i % 50 === 0) await new Promise(setImmediate);
  }
  await ended;
  const entries = [...seen.entries()];
  expect(new Set(entries.map(([path]) => path)).size).toBe(1000);
  expect(entries.every(([path, version]) => version === (path.startsWith("w") ? "1" : "2"))).toBe(true);
  for (let i = 0; i < 10_000; i++) seen.append(`ü${"x".repeat(100)}${i}`, "3");
  const all = [...seen.entries()];
  expect(all.length).toBeGreaterThan(2000);
  expect(all.slice(1000).map(([path]) => path)).toEqual(
    Array.from({ length: all.length - 1000 }, (_, i) => `ü${"x".repeat(100)}${i}`),
  );
});
