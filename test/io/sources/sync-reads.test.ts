import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SyncReads } from "../../../src/io/sources/sync-reads.node.js";

const BYTES = Uint8Array.from({ length: 200_000 }, (_, i) => (i * 7) % 251);
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "annarrow-reads-"));
  await writeFile(join(folder, "bytes"), BYTES);
});
afterAll(() => rm(folder, { recursive: true }));

test("short reads give their bytes, and now and then leave this thread to others", async () => {
  const handle = await open(join(folder, "bytes"));
  const reads = new SyncReads();
  let sync = 0;
  for (let i = 0; i < 440; i++) {
    const target = new Uint8Array(1 + (i % 100));
    if (!reads.read(handle, i * 450, target)) continue;
    sync++;
    expect(target).toEqual(BYTES.slice(i * 450, i * 450 + target.length));
  }
  expect(sync).toBeGreaterThan(0);
  expect(sync).toBeLessThan(440);
  await handle.close();
});

test("after 16 MiB everything else gets its turn", async () => {
  const handle = await open(join(folder, "bytes"));
  const reads = new SyncReads();
  const target = new Uint8Array(2 ** 17);
  let ordinary = 0;
  for (let i = 0; i < 129; i++) if (!reads.read(handle, 0, target)) ordinary++;
  expect(ordinary).toBeGreaterThan(0);
  await handle.close();
});

test("what is long, beyond the end, or of a closed file is read in the ordinary way", async () => {
  const handle = await open(join(folder, "bytes"));
  const reads = new SyncReads();
  expect(reads.read(handle, 0, new Uint8Array(2 ** 20 + 1))).toBe(false);
  expect(reads.read(handle, BYTES.length - 5, new Uint8Array(10))).toBe(false);
  await handle.close();
  expect(reads.read(handle, 0, new Uint8Array(10))).toBe(false);
});
