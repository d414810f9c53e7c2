import { describe, expect, test } from "vitest";
import { createBytesTarget, mapTarget } from "../../../src/io/targets/memory.js";
import { storeTarget, type WritableStore } from "../../../src/io/targets/store.js";
import { keyValueContract } from "./key-value-contract.js";

const shown = (map: ReadonlyMap<string, Uint8Array>) => (map.size === 0 ? null : map);

describe("a map", () => {
  keyValueContract(async () => {
    const map = new Map<string, Uint8Array>();
    return { target: mapTarget(map), read: async () => shown(map) };
  });

  test("that holds something is replaced as a whole, and only with leave", async () => {
    const map = new Map([["old", new Uint8Array(1)]]);
    expect(() => mapTarget(map)).toThrow("map: holds 1 keys already; give an empty map, or overwrite");
    const target = mapTarget(map, { overwrite: true });
    await target.set("new", new Uint8Array(2));
    expect([...map.keys()]).toEqual(["old"]);
    await target.commit();
    expect([...map.keys()]).toEqual(["new"]);
  });
});

describe("a store of the caller's", () => {
  keyValueContract(async () => {
    const map = new Map<string, Uint8Array>();
    const bare = () => new Map([...map].map(([key, bytes]) => [key.replace(/^\//, ""), bytes]));
    return { target: await storeTarget(map), read: async () => shown(bare()) };
  });

  test("gets what describes the whole last", async () => {
    const keys: string[] = [];
    const target = await storeTarget({ set: (key) => keys.push(key) });
    for (const key of ["zarr.json", "X/zarr.json", "X/c/0"]) await target.set(key, new Uint8Array(1));
    expect(keys).toEqual(["/X/zarr.json", "/X/c/0"]);
    await target.commit();
    expect(keys).toEqual(["/X/zarr.json", "/X/c/0", "/zarr.json"]);
  });

  test("that holds a hierarchy is refused", async () => {
    const store = new Map([["/.zgroup", new Uint8Array(1)]]);
    await expect(storeTarget(store)).rejects.toThrow("store: .zgroup: holds a Zarr hierarchy already");
  });

  test("that fails says which key, and is emptied", async () => {
    const map = new Map<string, Uint8Array>();
    const store: WritableStore = {
      async set(key, bytes) {
        if (map.size === 3) throw new Error("quota exceeded");
        map.set(key, bytes);
      },
      delete: async (key) => map.delete(key),
    };
    const target = await storeTarget(store, "opfs");
    for (const key of ["a", "b", "c"]) await target.set(key, new Uint8Array(1));
    await expect(target.set("d", new Uint8Array(1))).rejects.toMatchObject({
      tag: "InvalidInputError",
      message: "opfs: d: cannot be written: quota exceeded",
    });
    await expect(target.commit()).rejects.toThrow("quota exceeded");
    await target.abort();
    expect([...map.keys()]).toEqual([]);
  });

  test("is asked to delete only what it was given, and to go on where that fails", async () => {
    const map = new Map<string, Uint8Array>();
    const store: WritableStore = {
      set: (key, bytes) => map.set(key, bytes),
      async delete(key) {
        if (key === "/a" || !map.delete(key)) throw new Error("ENOENT");
      },
    };
    const target = await storeTarget(store);
    for (const key of ["zarr.json", "a", "b"]) await target.set(key, new Uint8Array(1));
    await target.abort();
    expect([...map.keys()]).toEqual(["/a"]);
    const other = await storeTarget(store);
    await other.set("a", new Uint8Array(1));
    await expect(other.anew?.()).rejects.toThrow("store: a: cannot be deleted");
  });

  test("that cannot delete keeps what does not open", async () => {
    const keys: string[] = [];
    const target = await storeTarget({ set: (key) => keys.push(key) });
    await target.set("zarr.json", new Uint8Array(1));
    await target.set("X/c/0", new Uint8Array(1));
    await target.abort();
    expect(keys).toEqual(["/X/c/0"]);
  });
});

describe("bytes in memory", () => {
  test("are those that were written, zeros between them", async () => {
    const target = createBytesTarget();
    const memory = new Uint8Array(600_000).fill(1);
    await target.write(100, memory);
    memory.fill(2);
    await target.write(900_000, memory.subarray(0, 10));
    await target.write(50, memory.subarray(0, 100));
    await target.commit();
    const expected = new Uint8Array(900_010);
    expected.fill(1, 100, 600_100).fill(2, 900_000).fill(2, 50, 150);
    expect(Buffer.compare(target.bytes(), expected)).toBe(0);
  });

  test("are there when they are committed, not before, and never where they are aborted", async () => {
    const target = createBytesTarget("X");
    await target.write(0, new Uint8Array(1));
    expect(() => target.bytes()).toThrow("X: has no bytes before it is committed");
    await target.abort();
    expect(() => target.bytes()).toThrow(TypeError);
    await expect(target.commit()).rejects.toThrow("X: committed after it was aborted");
    await expect(target.write(0, new Uint8Array(1))).rejects.toThrow("X: written to after it was aborted");
  });

  test("that are too many are refused", async () => {
    const target = createBytesTarget();
    await target.write(2 ** 52, new Uint8Array(1));
    await expect(target.commit()).rejects.toThrow(`bytes: ${2 ** 52 + 1} bytes do not fit in memory; write to a file`);
  });
});
