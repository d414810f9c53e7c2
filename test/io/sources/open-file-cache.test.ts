import { existsSync } from "node:fs";
import { type FileHandle, mkdir, mkdtemp, open, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openDirectorySource } from "../../../src/io/sources/directory.node.js";
import { OpenFileCache } from "../../../src/io/sources/open-file-cache.node.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "annarrow-kept-"));
  for (let i = 0; i < 30; i++) await writeFile(join(folder, String(i)), `file ${i}`);
  await mkdir(join(folder, "folder"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Files of the folder, and the handles that were opened; a closed one has no descriptor. */
function files() {
  const handles: FileHandle[] = [];
  const kept = new OpenFileCache(async (key) => {
    const path = join(folder, key);
    if (!existsSync(path)) return undefined;
    const handle = await open(path);
    handles.push(handle);
    return { handle, size: (await handle.stat()).size };
  });
  return { kept, handles, opened: () => handles.filter(({ fd }) => fd >= 0).length };
}

test("a file is opened once, and closed in the end", async () => {
  const { kept, handles, opened } = files();
  const sizes = await Promise.all([1, 2, 3].map(() => kept.use("7", async ({ size }) => size)));
  expect(sizes).toEqual([6, 6, 6]);
  expect(handles.length).toBe(1);
  expect(opened()).toBe(1);
  await kept.close();
  expect(opened()).toBe(0);
});

test("only so many stay open, those used last", async () => {
  const { kept, handles, opened } = files();
  for (let i = 0; i < 30; i++) await kept.use(String(i), async () => null);
  expect(opened()).toBe(16);
  await kept.use("29", async () => null);
  expect(handles.length).toBe(30);
  await kept.use("0", async () => null);
  expect(handles.length).toBe(31);
  await kept.close();
  expect(opened()).toBe(0);
});

test("one that is in use is closed by its user, and what is opened later too", async () => {
  const { kept, opened } = files();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const using = kept.use("1", () => held);
  await kept.use("2", async () => null);
  await kept.close();
  expect(opened()).toBe(1);
  release();
  await using;
  expect(opened()).toBe(0);
  expect(await kept.use("3", async ({ size }) => size)).toBe(6);
  expect(opened()).toBe(0);
});

test("a file that is not there may be there the next time; one that failed is opened anew", async () => {
  const { kept, handles, opened } = files();
  expect(await kept.use("new", async () => 1)).toBeUndefined();
  await writeFile(join(folder, "new"), "now");
  expect(await kept.use("new", async () => 1)).toBe(1);
  await expect(kept.use("new", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(opened()).toBe(0);
  expect(await kept.use("new", async () => 2)).toBe(2);
  expect(handles.length).toBe(2);
  await kept.close();
  await rm(join(folder, "new"));
});

test("what nobody uses is closed after a while", async () => {
  const { kept, opened } = files();
  await kept.use("1", async () => null);
  await kept.use("2", async () => null);
  expect(opened()).toBe(2);
  await vi.waitFor(() => expect(opened()).toBe(0), { timeout: 10_000 });
  await kept.use("1", async () => null);
  expect(opened()).toBe(1);
  await vi.waitFor(() => expect(opened()).toBe(0), { timeout: 10_000 });
});

test("a directory reads into memory of the caller, as far as a file goes", async () => {
  const source = await openDirectorySource(folder);
  const target = new Uint8Array(9);
  expect(await source.readInto?.("12", 2, target)).toBe(5);
  expect(new TextDecoder().decode(target.subarray(0, 5))).toBe("le 12");
  expect(await source.readInto?.("12", 7, target)).toBe(0);
  expect(await source.readInto?.("nothing", 0, target)).toBeUndefined();
  expect(await source.readInto?.("folder", 0, target)).toBeUndefined();
  await expect(source.readInto?.("12", 0, target, { signal: AbortSignal.abort() })).rejects.toThrow(/aborted/);
  await source.close();
  expect((await readdir(folder)).length).toBe(31);
});
