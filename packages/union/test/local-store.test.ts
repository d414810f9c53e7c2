import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { encodeOwner, readProcessOwner } from "../../../src/io/targets/temporary-output.node.js";
import { readUnionManifest } from "../src/commit.node.js";
import { LocalStore } from "../src/local-store.node.js";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "annarrow-union-store-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

test("a manifest that is too large is not parsed", async () => {
  const store = new LocalStore(folder());
  await store.put("manifest.json", " ".repeat(2 ** 27 + 1));
  await expect(readUnionManifest(store)).rejects.toThrow("manifest.json has 134217729 bytes, at most 134217728");
});

describe("files", () => {
  test("have names that their content gives, and equal content is one file", async () => {
    const added: string[] = [];
    const store = new LocalStore(folder(), (path) => added.push(path));
    const nameOf = (hash: string) => `X/a/0-${hash}.parquet`;
    const one = await store.add(nameOf, chunks("ab", "c"));
    const again = await store.add(nameOf, chunks("a", "bc"));
    // sha256sum of abc
    expect(one).toEqual({
      file: "X/a/0-ba7816bf8f01cfea.parquet",
      bytes: 3,
      sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    });
    expect(again).toEqual(one);
    expect(added).toEqual([one.file]);
    expect(await store.list("")).toEqual([one.file]);
    expect(await store.text(one.file)).toBe("abc");
    expect(await store.size(one.file)).toBe(3);
    expect(await store.text("X/b")).toBeNull();
    expect(await store.size("X/b")).toBeNull();
  });

  test("that fail while they are written leave nothing", async () => {
    const store = new LocalStore(folder());
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield* chunks("abc");
      throw new Error("no more");
    }
    await expect(store.add((hash) => `X/${hash}`, failing())).rejects.toThrow("no more");
    expect(await store.list("")).toEqual([]);
  });

  test("are removed with folders that are empty then", async () => {
    const path = folder();
    const store = new LocalStore(path);
    await store.put("X/a/1", "1");
    await store.put("X/b/2", "2");
    await store.remove(["X/a/1", "not/there"]);
    expect(readdirSync(join(path, "X"))).toEqual(["b"]);
    await store.remove(["X/b/2"]);
    expect(existsSync(path)).toBe(false);
  });
});

describe("the manifest", () => {
  test("is replaced by who knows the present one, and by nobody else", async () => {
    const store = new LocalStore(folder());
    await store.replaceManifest(null, "1");
    await expect(store.replaceManifest(null, "other")).rejects.toThrow(/another commit came first/);
    await store.replaceManifest("1", "2");
    await expect(store.replaceManifest("1", "other")).rejects.toThrow(/another commit came first/);
    expect(await store.text("manifest.json")).toBe("2");
    expect(await store.list("")).toEqual(["manifest.json"]);
  });

  test("has one winner of many at once", async () => {
    const store = new LocalStore(folder());
    await store.replaceManifest(null, "0");
    const all = Array.from({ length: 8 }, (_, i) => store.replaceManifest("0", `${i + 1}`));
    const done = await Promise.allSettled(all);
    expect(done.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await store.text("manifest.json")).toBe(String(done.findIndex(({ status }) => status === "fulfilled") + 1));
  });

  test("waits for no process: a lock of a living one is an error that names it", async () => {
    const path = folder();
    writeFileSync(join(path, "manifest.json.lock"), encodeOwner(await readProcessOwner(process.ppid)));
    await expect(new LocalStore(path).replaceManifest(null, "1")).rejects.toThrow(/another commit is running.*\.lock/);
  });

  test("is replaced where a killed process has left its lock", async () => {
    const path = folder();
    const own = await readProcessOwner();
    writeFileSync(join(path, "manifest.json.lock"), encodeOwner({ ...own, pid: 2 ** 22 + 1 }));
    const store = new LocalStore(path);
    await store.replaceManifest(null, "1");
    expect(await store.list("")).toEqual(["manifest.json"]);
  });
});
