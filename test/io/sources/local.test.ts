import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDirectorySource } from "../../../src/io/sources/directory.node.js";
import { openFileSource } from "../../../src/io/sources/file.node.js";
import { mapSource } from "../../../src/io/sources/map.js";
import { createBlobSource, createBytesSource } from "../../../src/io/sources/memory.js";
import type { ByteSource, KeyValueSource } from "../../../src/io/sources/source.js";
import { InvalidDataError, InvalidInputError, NotFoundError, UnsupportedError } from "../../../src/model/errors.js";

const data = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-sources-"));
  mkdirSync(join(folder, "store/a/b"), { recursive: true });
  mkdirSync(join(folder, "outside"));
  writeFileSync(join(folder, "outside/secret"), "secret");
  for (const name of ["x", "a/y", "a/b/z", "a/p%20q#?"]) writeFileSync(join(folder, "store", name), data);
});

afterAll(() => rmSync(folder, { recursive: true }));

describe.each<[string, () => Promise<ByteSource>]>([
  ["bytesSource", async () => createBytesSource(data)],
  ["blobSource", async () => createBlobSource(new File([data], "data.bin"))],
  ["fileSource", () => openFileSource(join(folder, "store/x"))],
])("%s", (_, open) => {
  it("gives exactly the bytes that are asked for", async () => {
    const source = await open();
    expect(source.size).toBe(1000);
    expect(await source.read(0, 1000)).toEqual(data);
    expect(await source.read(300, 310)).toEqual(data.slice(300, 310));
    expect(await source.read(1000, 1000)).toEqual(new Uint8Array(0));
    await source.close();
  });

  it.each([
    [990, 1001],
    [-1, 5],
    [5, 4],
  ])("refuses [%d, %d)", async (start, end) => {
    const source = await open();
    await expect(source.read(start, end)).rejects.toThrow(InvalidDataError);
    await source.close();
  });

  it("stops when it is cancelled", async () => {
    const source = await open();
    await expect(source.read(0, 1, { signal: AbortSignal.abort() })).rejects.toThrow(
      expect.objectContaining({ name: "AbortError" }),
    );
    await source.close();
  });
});

describe("fileSource", () => {
  it("names what is not there or no file", async () => {
    await expect(openFileSource(join(folder, "nothing"))).rejects.toThrow(NotFoundError);
    await expect(openFileSource(folder)).rejects.toThrow(InvalidInputError);
  });

  it.skipIf(process.platform === "win32")("waits for nobody at a pipe", async () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    await expect(openFileSource(pipe)).rejects.toMatchObject({
      tag: "InvalidInputError",
      message: `${pipe}: no regular file: save what comes from a pipe or a device as a file first`,
    });
  });

  it("says what may not be read", async () => {
    const place = join(folder, "forbidden");
    mkdirSync(place);
    writeFileSync(join(place, "x"), data);
    const asRoot = process.geteuid?.() === 0;
    chmodSync(folder, 0o755);
    chmodSync(place, 0);
    if (asRoot) process.seteuid?.(65534);
    try {
      await expect(openFileSource(join(place, "x"))).rejects.toMatchObject({
        tag: "InvalidInputError",
        message: `${join(place, "x")}: cannot be read: permission denied (EACCES)`,
      });
      await expect((await openDirectorySource(place)).list("")).rejects.toMatchObject({
        tag: "InvalidInputError",
        message: `${place}: cannot be read: permission denied (EACCES)`,
      });
    } finally {
      if (asRoot) process.seteuid?.(0);
      chmodSync(place, 0o755);
    }
  });
});

describe.each<[string, () => Promise<KeyValueSource>]>([
  ["mapSource", async () => mapSource(new Map(["x", "/a/y", "a/b/z", "a/p%20q#?"].map((key) => [key, data])))],
  ["mapSource of an object", async () => mapSource({ x: data, "a/y": data, "a/b/z": data, "a/p%20q#?": data })],
  ["directorySource", () => openDirectorySource(join(folder, "store"))],
])("%s", (_, open) => {
  it("gets values, whole and in parts, and says which are absent", async () => {
    const source = await open();
    for (const key of ["x", "a/y", "a/b/z", "a/p%20q#?"]) expect(await source.get(key)).toEqual(data);
    const parts = await source.getRanges("x", [
      { start: 5, end: 8 },
      { suffix: 3 },
      { start: 998, end: 2000 },
      { start: 2000, end: 2001 },
      { suffix: 5000 },
    ]);
    expect(parts).toEqual([data.slice(5, 8), data.slice(997), data.slice(998), new Uint8Array(0), data]);
    for (const key of ["nothing", "a", "a/b", "x/y", "a/nothing/z"]) {
      expect(await source.get(key)).toBeUndefined();
      expect(await source.getRanges(key, [{ suffix: 1 }])).toBeUndefined();
    }
  });

  it("lists direct children", async () => {
    const source = await open();
    expect((await source.list(""))?.sort()).toEqual(["a", "x"]);
    expect((await source.list("a"))?.sort()).toEqual(["b", "p%20q#?", "y"]);
    expect(await source.list("nothing")).toEqual([]);
  });
});

describe("directorySource", () => {
  it.each(["../outside/secret", "a/../../outside/secret", "/etc/passwd", "a//y", "", ".", "a/./y", "a\0"])(
    "refuses the key %j",
    async (key) => {
      const source = await openDirectorySource(join(folder, "store"));
      await expect(source.get(key)).rejects.toThrow(InvalidInputError);
      await expect(source.getRanges(key, [{ suffix: 1 }])).rejects.toThrow(InvalidInputError);
    },
  );

  it("follows links inside and names those that lead out, and what is no file", async () => {
    const root = join(folder, "linked");
    mkdirSync(root);
    writeFileSync(join(root, "x"), data);
    symlinkSync(join(folder, "outside/secret"), join(root, "file"));
    symlinkSync(join(folder, "outside"), join(root, "folder"));
    symlinkSync("x", join(root, "inside"));
    symlinkSync("gone", join(root, "dangling"));
    execFileSync("mkfifo", [join(root, "pipe")]);
    const source = await openDirectorySource(root);
    expect(await source.get("inside")).toEqual(data);
    expect(await source.get("dangling")).toBeUndefined();
    for (const key of ["file", "folder/secret"]) {
      await expect(source.get(key)).rejects.toThrow(UnsupportedError);
      await expect(source.get(key)).rejects.toThrow(`${key} is a symbolic link that leads out of the store`);
    }
    await expect(source.list("folder")).rejects.toThrow(UnsupportedError);
    await expect(source.get("pipe")).rejects.toThrow("neither a file nor a directory");
  });

  it("names what is not there or no directory", async () => {
    await expect(openDirectorySource(join(folder, "nothing"))).rejects.toThrow(NotFoundError);
    await expect(openDirectorySource(join(folder, "store/x"))).rejects.toThrow(InvalidInputError);
  });
});
