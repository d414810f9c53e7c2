import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DirectFiles } from "../../../src/io/targets/direct-files.node.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "annarrow-direct-"));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

/** Lets every file take `milliseconds`. */
function clock(milliseconds: number): void {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => {
    now += milliseconds;
    return now;
  });
}

test("a file has the bytes, and is never replaced", async () => {
  const files = new DirectFiles();
  const path = join(folder, "a");
  files.create(path, new Uint8Array([1, 2, 3]));
  expect(() => files.create(path, new Uint8Array([4]))).toThrow("EEXIST");
  expect([...(await readFile(path))]).toEqual([1, 2, 3]);
});

test("files that take a tenth of a millisecond are all written here", () => {
  clock(0.1);
  const files = new DirectFiles();
  for (let i = 0; i < 100; i++) {
    expect(files.take()).toBe(true);
    files.create(join(folder, String(i)), new Uint8Array(1));
  }
});

test("files that take two milliseconds are left to threads, until the file system is tried again", () => {
  clock(2);
  const files = new DirectFiles();
  const takes = Array.from({ length: 600 }, (_, i) => {
    const take = files.take();
    if (take) files.create(join(folder, String(i)), new Uint8Array(1));
    return take;
  });
  const first = takes.indexOf(false);
  expect(first).toBeLessThan(16);
  const again = takes.indexOf(true, first);
  expect(again - first).toBe(256);
  expect(takes.filter((take) => take).length).toBeLessThan(30);
});
