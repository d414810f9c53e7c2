import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createDirectoryTarget } from "../../../src/io/targets/directory.node.js";
import { removeUnfinished } from "../../../src/io/targets/temporary-output.node.js";
import { keyValueContract } from "./key-value-contract.js";

let folder: string;
let place: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "annarrow-target-"));
  place = join(folder, "out.zarr");
});
afterEach(() => rm(folder, { recursive: true }));

const bytes = (text: string) => new TextEncoder().encode(text);

async function* chunks(...texts: string[]) {
  for (const text of texts) yield bytes(text);
}

async function* failing() {
  yield* chunks("begun");
  throw new Error("no more");
}

/** Paths of files, with what is in them. */
async function contents(top: string): Promise<Map<string, Uint8Array>> {
  const entries = await readdir(top, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [file.slice(top.length + 1), new Uint8Array(readFileSync(file))]));
}

/** What a folder at `place` holds, by the name of the file that says what it is. */
const text = (name: string) =>
  name === "manifest.json" ? JSON.stringify({ annarrow: 1, tables: [{ name: "X", file: "X/0" }] }) : "before";

async function before(name: string) {
  await mkdir(join(place, "X"), { recursive: true });
  await writeFile(join(place, name), text(name));
  if (name.startsWith(".z")) await writeFile(join(place, "X", ".zarray"), "before");
  if (name === "zarr.json") await writeFile(join(place, "X", name), "before");
  await writeFile(join(place, "X", "0"), "before");
}

async function expectBefore(name = ".zgroup") {
  expect(await readdir(folder)).toEqual(["out.zarr"]);
  expect(
    [...(await contents(place)).entries()]
      .map(([path, found]) => [path, Buffer.from(found).toString()])
      .filter(([path]) => !/^X\/(\.zarray|zarr\.json)$/.test(path))
      .sort(),
  ).toEqual(
    [
      [name, text(name)],
      ["X/0", "before"],
    ].sort(),
  );
}

describe("keys", () => {
  keyValueContract(async () => ({
    target: await createDirectoryTarget(place),
    read: async () => (existsSync(place) ? contents(place) : null),
  }));

  test("that are files and folders at once are refused", async () => {
    const target = await createDirectoryTarget(place);
    await target.set("a", bytes("1"));
    await target.set("b/c", bytes("1"));
    const both = async () => {
      await target.set("a/b", bytes("2"));
      await target.set("b", bytes("2"));
      await target.commit();
    };
    await expect(both()).rejects.toThrow(
      /out\.zarr\/(a\/b|b|b\/c): cannot be written: (not|is) a directory|b: is set twice/,
    );
    await target.abort();
    expect(await readdir(folder)).toEqual([]);
  });

  test("by the hundreds, which are flushed together, are all there", async () => {
    const target = await createDirectoryTarget(place);
    const keys = Array.from({ length: 1200 }, (_, i) => `X/${i % 3}/${i}`);
    for (const key of keys) await target.set(key, bytes(key));
    await target.commit();
    const found = await contents(place);
    expect([...found.keys()].sort()).toEqual([...keys].sort());
    for (const key of keys) expect(found.get(key)).toEqual(bytes(key));
    expect(await readdir(folder)).toEqual(["out.zarr"]);
  });

  test.each(["fast", "slow"])("with a name that is too long are named, on a %s file system", async (speed) => {
    const target = await createDirectoryTarget(place);
    if (speed === "slow") await slowDown(target);
    const key = `obs/${"x".repeat(256)}`;
    const written = async () => {
      await target.set(key, bytes("1"));
      await target.commit();
    };
    const message = `${place}/${key}: cannot be written: name too long (ENAMETOOLONG)`;
    await expect(written()).rejects.toThrow(message);
    await expect(target.commit()).rejects.toThrow(message);
    await target.abort();
    expect(await readdir(folder)).toEqual([]);
  });

  test("are there whole on a slow file system, where threads write them", async () => {
    const target = await createDirectoryTarget(place);
    await slowDown(target);
    const memory = new Uint8Array(100);
    for (let i = 0; i < 300; i++) await target.set(`c/${i}`, memory.fill(i % 256));
    await target.commit();
    const found = await contents(place);
    for (let i = 0; i < 300; i++) expect(found.get(`c/${i}`)).toEqual(new Uint8Array(100).fill(i % 256));
  });
});

/** Lets the clock show that a file takes long, so that the next files are left to threads. */
async function slowDown(target: Awaited<ReturnType<typeof createDirectoryTarget>>): Promise<void> {
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => {
    now += 50;
    return now;
  });
  await target.set("first", bytes("1"));
  clock.mockRestore();
}

describe("streams", () => {
  test("a file that fails leaves neither itself nor an empty folder", async () => {
    const target = await createDirectoryTarget(place);
    await target.write("uns/kept/a.arrow", chunks("a", "b"));
    await expect(target.write("uns/deep/er/b.arrow", failing())).rejects.toThrow("no more");
    await expect(target.write("uns/kept/c.arrow", failing())).rejects.toThrow("no more");
    await target.commit();
    expect((await readdir(place, { recursive: true })).sort()).toEqual(["uns", "uns/kept", "uns/kept/a.arrow"]);
    expect(await readFile(join(place, "uns/kept/a.arrow"), "utf8")).toBe("ab");
  });

  test("stand beside keys", async () => {
    const target = await createDirectoryTarget(place);
    await target.set("a/b", bytes("key"));
    await target.write("a/c", chunks("stream"));
    await target.commit();
    expect([...(await contents(place)).keys()].sort()).toEqual(["a/b", "a/c"]);
  });

  test("never lead out of the directory", async () => {
    const target = await createDirectoryTarget(place);
    await expect(target.write("../a", chunks("a"))).rejects.toThrow("is not a path inside the store");
    await target.abort();
  });
});

describe("a directory that is written", () => {
  test("is not there under its name before it is committed", async () => {
    const target = await createDirectoryTarget(place);
    await target.set("X/0", bytes("after"));
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^\.out\.zarr\.[0-9a-f]{12}-.*\.tmp$/)]);
    await target.commit();
    expect(await readdir(folder)).toEqual(["out.zarr"]);
  });

  test.each(["manifest.json", "zarr.json", ".zgroup", ".zattrs"])(
    "replaces one with %s, where it may",
    async (name) => {
      await before(name);
      await expect(createDirectoryTarget(place)).rejects.toThrow(`${place}: exists already`);
      const aborted = await createDirectoryTarget(place, { overwrite: true });
      await aborted.set("Y/0", bytes("after"));
      await aborted.abort();
      await expectBefore(name);
      const target = await createDirectoryTarget(place, { overwrite: true });
      await target.set("Y/0", bytes("after"));
      await target.commit();
      expect(await readdir(folder)).toEqual(["out.zarr"]);
      expect([...(await contents(place)).keys()]).toEqual(["Y/0"]);
    },
  );

  test("never replaces a folder of other things, or a file", async () => {
    await before("thesis.doc");
    await expect(createDirectoryTarget(place, { overwrite: true })).rejects.toThrow(
      /out\.zarr: holds "(X\/\.zarray|X|thesis\.doc|X\/0)", and is neither/,
    );
    await expectBefore("thesis.doc");
    await writeFile(join(folder, "file"), "before");
    const error = "is a file, and not replaced by a folder; choose another name";
    await expect(createDirectoryTarget(join(folder, "file"), { overwrite: true })).rejects.toThrow(error);
    await expect(createDirectoryTarget(join(folder, "file"))).rejects.toThrow("exists already");
  });

  test("takes the place of an empty folder", async () => {
    await mkdir(place);
    const target = await createDirectoryTarget(place);
    await target.set("Y/0", bytes("after"));
    await target.commit();
    expect([...(await contents(folder)).keys()]).toEqual(["out.zarr/Y/0"]);
  });

  test("does not replace what came meanwhile without leave", async () => {
    const target = await createDirectoryTarget(place);
    await target.set("Y/0", bytes("after"));
    await before(".zgroup");
    await expect(target.commit()).rejects.toThrow("exists already");
    await target.abort();
    await expectBefore();
  });

  test("does not replace a folder of other things that came meanwhile", async () => {
    await before(".zgroup");
    const target = await createDirectoryTarget(place, { overwrite: true });
    await rename(join(place, ".zgroup"), join(place, "thesis.doc"));
    await expect(target.commit()).rejects.toThrow(
      /out\.zarr: holds "(X\/\.zarray|X|thesis\.doc|X\/0)", and is neither/,
    );
    await target.abort();
    await expectBefore("thesis.doc");
  });

  test("is removed by an interrupted process, and what was there before stays", async () => {
    await before(".zgroup");
    const target = await createDirectoryTarget(place, { overwrite: true });
    await Promise.all(Array.from({ length: 40 }, (_, i) => target.set(`c/${i}`, new Uint8Array(100))));
    removeUnfinished();
    await target.abort();
    await expectBefore();
  });

  test("replaces what a symbolic link leads to", async () => {
    await before(".zgroup");
    await rename(place, join(folder, "true.zarr"));
    await symlink("true.zarr", place);
    const target = await createDirectoryTarget(place, { overwrite: true });
    await target.set("Y/0", bytes("after"));
    await target.commit();
    expect((await readdir(folder)).sort()).toEqual(["out.zarr", "true.zarr"]);
    expect([...(await contents(join(folder, "true.zarr"))).keys()]).toEqual(["Y/0"]);
  });

  test("has to have a folder", async () => {
    await expect(createDirectoryTarget(join(folder, "no", "out.zarr"))).rejects.toThrow(
      "no: no such folder; create it first",
    );
    await expect(createDirectoryTarget("/proc/out.zarr")).rejects.toThrow(/^\/proc: /);
  });
});

describe("a directory from which something else removes files while it is written", () => {
  const chunk = new Uint8Array(1 << 20);

  test.each<[string, (top: string) => Promise<void>]>([
    ["all of them", (top) => rm(top, { recursive: true })],
    ["one", (top) => rm(join(top, "X", "c", "7"))],
  ])("%s: nothing appears under its name", async (_, remove) => {
    const target = await createDirectoryTarget(place);
    // More than is flushed at once, so that no flush finds them missing.
    for (let i = 0; i < 40; i++) await target.set(`X/c/${i}`, chunk);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const [temporary] = await readdir(folder);
    await remove(join(folder, temporary));
    const rest = async () => {
      for (let i = 40; i < 45; i++) await target.set(`X/c/${i}`, chunk);
      await target.commit();
    };
    await expect(rest()).rejects.toMatchObject({ tag: "InvalidInputError", message: expect.stringContaining(place) });
    await target.abort();
    expect(await readdir(folder)).toEqual([]);
  });
});

test("a copied file that has grown, or is gone, is an error", async () => {
  const chunk = join(folder, "chunk");
  await writeFile(chunk, "four");
  const target = await createDirectoryTarget(place);
  await target.copyFile?.("X/0", chunk, 4);
  const changed = { name: "InvalidDataError", code: "source-changed" };
  await expect(target.copyFile?.("X/1", chunk, 3)).rejects.toMatchObject(changed);
  await expect(target.copyFile?.("X/2", join(folder, "none"), 4)).rejects.toMatchObject(changed);
  await target.abort();
  expect(await readdir(folder)).toEqual(["chunk"]);
});
