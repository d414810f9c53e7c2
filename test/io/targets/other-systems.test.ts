/** Outputs on Windows and macOS, over a file system in memory that refuses what theirs refuse. */

import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { createFileTarget } from "../../../src/io/targets/file.node.js";
import { createTemporaryOutput } from "../../../src/io/targets/output-folder.node.js";
import { publishFolder, type TargetOptions } from "../../../src/io/targets/output-path.node.js";
import { getReplacedName } from "../../../src/io/targets/renames.node.js";
import { createTemporaryName, readProcessOwner } from "../../../src/io/targets/temporary-output.node.js";
import { type Behaviour, MemoryFiles } from "./memory-files.js";

/** Paths are compared in capitals on Windows. */
const OUT = String.raw`C:\DATA\OUT.H5AD`;
const GIVEN = String.raw`C:\data\out.h5ad`;

const windows = (behaviour?: Behaviour) => new MemoryFiles("win32", [String.raw`C:\data`], behaviour);
const macos = (behaviour?: Behaviour) => new MemoryFiles("darwin", ["/data"], behaviour);

/** Writes a file as an output is written; the target is aborted where it fails. */
async function written(path: string, text: string, options: TargetOptions): Promise<void> {
  const target = await createFileTarget(path, options);
  try {
    await target.write(0, new TextEncoder().encode(text));
    await target.commit();
  } catch (error) {
    await target.abort();
    throw error;
  }
}

describe("a file on Windows", () => {
  test("appears beside others, though folders are not flushed", async () => {
    const files = windows();
    await written(GIVEN, "new", { files });
    expect(files.contents).toEqual({ [OUT]: "new" });
  });

  test("appears where the file system has no links, as exFAT", async () => {
    const files = windows({ hasLinks: false });
    await written(GIVEN, "new", { files });
    expect(files.contents).toEqual({ [OUT]: "new" });
  });

  test("is not written over one whose name differs in case alone", async () => {
    const files = windows();
    files.put(String.raw`C:\data\Out.h5ad`, "old");
    await expect(written(GIVEN, "new", { files })).rejects.toThrow(`${GIVEN}: exists already`);
    expect(files.contents).toEqual({ [OUT]: "old" });
  });

  test.each([
    ["con.parquet", "is that of a device on Windows"],
    ["AUX", "is that of a device on Windows"],
    ["com¹.csv", "is that of a device on Windows"],
    ["a?b.h5ad", 'has "?", which Windows allows in no name'],
    ["part:1.h5ad", 'has ":", which Windows allows in no name'],
    ["out.", "ends in a dot or space, which Windows drops"],
    ["out ", "ends in a dot or space, which Windows drops"],
  ])("is refused by the name %j", async (name, problem) => {
    const files = windows();
    const path = `C:\\data\\${name}`;
    await expect(written(path, "new", { files })).rejects.toThrow(`${path}: the name ${problem}; choose another name`);
    expect(files.contents).toEqual({});
  });

  test.each(["console.h5ad", "com10.csv", "auxiliary", "nullable.zarr", ".con"])("has the name %j", async (name) => {
    const files = windows();
    await written(`C:\\data\\${name}`, "new", { files });
    expect(files.contents).toEqual({ [`C:\\DATA\\${name.toUpperCase()}`]: "new" });
  });

  test("replaces one that is open as our own input", async () => {
    const files = windows();
    files.put(GIVEN, "old");
    const close = files.open(GIVEN, true);
    await written(GIVEN, "new", { files, overwrite: true });
    expect(files.contents).toEqual({ [OUT]: "new" });
    close();
  });

  test("waits for a program that looks at it for a moment", async () => {
    const waited: number[] = [];
    let close = (): void => undefined;
    const files = windows({
      onPause: (milliseconds) => {
        waited.push(milliseconds);
        if (waited.length === 3) close();
      },
    });
    files.put(GIVEN, "old");
    close = files.open(GIVEN, false);
    await written(GIVEN, "new", { files, overwrite: true });
    expect(files.contents).toEqual({ [OUT]: "new" });
    expect(waited).toEqual([10, 20, 50]);
  });

  test("says that a program has the old one open, which stays, and nothing else", async () => {
    let waited = 0;
    const files = windows({
      onPause: (milliseconds) => {
        waited += milliseconds;
      },
    });
    files.put(GIVEN, "old");
    files.open(GIVEN, false);
    await expect(written(GIVEN, "new", { files, overwrite: true })).rejects.toThrow(
      `${GIVEN}: cannot be replaced: resource busy or locked (EBUSY); close it where a program has it open, or choose another name`,
    );
    expect(files.contents).toEqual({ [OUT]: "old" });
    expect(waited).toBe(1580);
  });
});

/** Writes a folder with one file as an output is written. */
async function folderWritten(path: string, text: string, options: TargetOptions & { files: MemoryFiles }) {
  const { place, unregister } = await createTemporaryOutput(path, options);
  options.files.put(options.files.rules.path.join(place.temporary, "zarr.json"), text);
  await publishFolder(place, options).finally(unregister);
}

describe("a folder on Windows", () => {
  const STORE = String.raw`C:\data\out.zarr`;
  const DOCUMENT = String.raw`C:\DATA\OUT.ZARR\zarr.json`;

  test("appears, and replaces another one", async () => {
    const files = windows();
    await folderWritten(STORE, "old", { files });
    expect(Object.values(files.contents)).toEqual(["old"]);
    await folderWritten(STORE, "new", { files, overwrite: true });
    expect(files.contents).toEqual({ [DOCUMENT.toUpperCase()]: "new" });
  });

  test("takes the place of an empty one, onto which Windows renames nothing", async () => {
    const files = windows();
    await files.makeFolder(STORE);
    await folderWritten(STORE, "new", { files });
    expect(files.contents).toEqual({ [DOCUMENT.toUpperCase()]: "new" });
  });

  test("stays whole where a program has a file of it open", async () => {
    const files = windows();
    await folderWritten(STORE, "old", { files });
    files.open(`${STORE}\\zarr.json`, false);
    await expect(folderWritten(STORE, "new", { files, overwrite: true })).rejects.toThrow(
      `${STORE}: cannot be replaced: resource busy or locked (EBUSY); close it where a program has it open`,
    );
    expect(files.contents[DOCUMENT.toUpperCase()]).toBe("old");
  });
});

describe("on macOS", () => {
  test("a file is not written over one whose name differs in case or in its normal form", async () => {
    const files = macos();
    files.put("/data/Zelle-Ä.h5ad", "old");
    await expect(written("/data/zelle-A\u0308.h5ad", "new", { files })).rejects.toThrow("exists already");
    expect(Object.values(files.contents)).toEqual(["old"]);
  });

  test.each([
    ["macOS, which lists names decomposed", "darwin", "/data", "zellen-ä.zarr"],
    ["Windows", "win32", String.raw`C:\data`, "out.zarr"],
  ] as const)("a folder that a killed process was replacing is put back: %s", async (_, platform, folder, name) => {
    const files = new MemoryFiles(platform, [folder], { listed: (one) => one.normalize("NFD") });
    const { join } = files.rules.path;
    const ended = { ...(await readProcessOwner()), pid: spawnSync(process.execPath, ["--version"]).pid };
    const old = join(folder, getReplacedName(await createTemporaryName(name, ended)));
    await files.makeFolder(old);
    files.put(join(old, "zarr.json"), "old");
    const { warnings, unregister } = await createTemporaryOutput(join(folder, name), { files, overwrite: true });
    unregister();
    expect(warnings).toEqual([`${join(folder, name)}: was being replaced by a process that has ended; put back`]);
    expect(Object.values(files.contents)).toEqual(["old"]);
  });
});
