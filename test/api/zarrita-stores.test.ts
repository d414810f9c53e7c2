/** Stores of zarrita, as they are and in its wrappers, are read and written. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import FileSystemStore from "@zarrita/storage/fs";
import ZipFileStore from "@zarrita/storage/zip";
import { tableFromArrays } from "apache-arrow";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import * as zarr from "zarrita";
import {
  type Dataset,
  open,
  type ReadableStore,
  type WritableStore,
  write,
} from "../../packages/published/src/node.js";
import { type Server, serve } from "../browser/server.js";

const DATA = "test/fixtures/data/anndata";

/** By anndata: version 2, version 3, and version 3 with shards. */
const FIXTURES = ["modern.v2", "modern.v3", "modern.v3s"] as const;
type Fixture = (typeof FIXTURES)[number];

const folder = mkdtempSync(join(tmpdir(), "annarrow-zarrita-"));
let server: Server;

const zipOf = (name: Fixture) => new Uint8Array(readFileSync(`${DATA}/${name}.zarr.zip`));
const keysOf = (name: Fixture) => new Map(Object.entries(unzipSync(zipOf(name))));
const mapOf = (name: Fixture) => new Map([...keysOf(name)].map(([key, bytes]) => [`/${key}`, bytes]));

beforeAll(async () => {
  const served = new Map<string, Uint8Array>();
  for (const name of FIXTURES) {
    for (const [key, bytes] of keysOf(name)) {
      served.set(`/${name}/${key}`, bytes);
      // The root without what lists the nodes below it.
      if (key === "zarr.json") served.set(`/bare/${name}/${key}`, withoutConsolidated(bytes));
      else if (key !== ".zmetadata") served.set(`/bare/${name}/${key}`, bytes);
      const file = join(folder, name, key);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, bytes);
    }
  }
  server = await serve(served);
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

function withoutConsolidated(document: Uint8Array): Uint8Array {
  const { consolidated_metadata: _, ...rest } = JSON.parse(new TextDecoder().decode(document));
  return new TextEncoder().encode(JSON.stringify(rest));
}

/** All tables with all values, as text. */
async function contents(data: Dataset): Promise<ReadonlyMap<string, string>> {
  const tables = new Map<string, string>();
  for (const [name, table] of data.tables) tables.set(name, `${table.schema}\n${await table.read()}`);
  return tables;
}

/** A Map is a store for zarrita; the types of its wrappers take what answers with promises alone. */
const wrapped = (map: Map<string, Uint8Array>): ReadableStore & WritableStore =>
  Reflect.apply(zarr.withByteCaching, null, [map]);

const STORES: Readonly<Record<string, (name: Fixture) => ReadableStore | Promise<ReadableStore>>> = {
  "a Map of absolute keys": mapOf,
  "a Map of absolute keys in a wrapper": (name) => wrapped(mapOf(name)),
  "a Map in withConsolidatedMetadata": (name) => Reflect.apply(zarr.withConsolidatedMetadata, null, [mapOf(name)]),
  FileSystemStore: (name) => zarr.withConsolidatedMetadata(new FileSystemStore(join(folder, name))),
  ZipFileStore: (name) => zarr.withConsolidatedMetadata(ZipFileStore.fromBlob(new Blob([zipOf(name)]))),
  FetchStore: (name) => new zarr.FetchStore(`${server.url}/${name}`),
  "FetchStore in withConsolidatedMetadata": (name) =>
    zarr.withConsolidatedMetadata(new zarr.FetchStore(`${server.url}/${name}`)),
  "FetchStore that coalesces ranges": (name) => zarr.withRangeCoalescing(new zarr.FetchStore(`${server.url}/${name}`)),
  "get alone": (name) => {
    const keys = mapOf(name);
    return { get: (key) => keys.get(key) };
  },
};

describe.each(FIXTURES)("%s", (name) => {
  let expected: ReadonlyMap<string, string>;
  beforeAll(async () => {
    const data = await open(zipOf(name));
    expected = await contents(data);
  });

  test.each(Object.keys(STORES))("by %s", async (store) => {
    const data = await open(await STORES[store](name));
    expect(data.failures).toEqual(new Map());
    expect(await contents(data)).toEqual(expected);
  });

  test.each([
    ["FileSystemStore", () => new FileSystemStore(join(folder, "bare", name))],
    ["FetchStore", () => new zarr.FetchStore(`${server.url}/bare/${name}`)],
  ])("by %s that cannot be listed, and says so", async (_, store) => {
    const keys = keysOf(name);
    for (const [key, bytes] of keys) {
      if (key === ".zmetadata") continue;
      const file = join(folder, "bare", name, key);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, key === "zarr.json" ? withoutConsolidated(bytes) : bytes);
    }
    await expect(open(store())).rejects.toMatchObject({
      tag: "UnsupportedError",
      message: expect.stringMatching(/cannot be listed.*consolidate_metadata/),
    });
  });

  test("has the values that zarrita has", async () => {
    const store = new FileSystemStore(join(folder, name));
    const array = await zarr.open(zarr.root(store).resolve("obsm/X_pca"), { kind: "array" }).catch(() => null);
    if (array === null) return expect(name).toBe("no dense matrix");
    const { data: values, shape } = await zarr.get(array);
    const data = await open(store);
    const table = await data.table("obsm/X_pca").read();
    const rows = [...(table.getChild("value") ?? [])].map((row) => [...row]);
    expect(rows).toHaveLength(shape[0]);
    expect(rows.flat()).toEqual([...(values as Iterable<number>)]);
  });
});

test.each([
  ["FileSystemStore", () => new FileSystemStore(join(folder, "modern.v3s"))],
  ["ZipFileStore", () => ZipFileStore.fromBlob(new Blob([zipOf("modern.v3s")]))],
])("%s, which gives more than there is, invents no values", async (_, make) => {
  const { storeSource } = await import("../../src/io/sources/store.js");
  const source = storeSource(make());
  const key = "zarr.json";
  const whole = await source.get(key);
  if (whole === undefined) throw new Error("no root");
  const { length } = whole;
  const ranges = [{ start: length - 2, end: length + 30 }, { start: length, end: length + 9 }, { suffix: length + 5 }];
  for (const _ of [1, 2]) {
    expect((await source.getRanges(key, ranges))?.map((part) => Buffer.from(part))).toEqual([
      Buffer.from(whole.subarray(length - 2)),
      Buffer.alloc(0),
      Buffer.from(whole),
    ]);
  }
});

test("a server that knows no ranges sends values whole", async () => {
  const value = Uint8Array.from({ length: 100 }, (_, i) => i);
  const { storeSource } = await import("../../src/io/sources/store.js");
  const document = new TextEncoder().encode("{}");
  const source = storeSource({
    get: (key) => (key === "/zarr.json" ? document : value),
    getRange: async (key) => (key === "/zarr.json" ? document : value),
  });
  const parts = await source.getRanges("c/0", [{ start: 3, end: 5 }, { suffix: 2 }]);
  expect(parts?.map((part) => [...part])).toEqual([
    [3, 4],
    [98, 99],
  ]);
});

test("names that FetchStore would ask for as another URL are refused, not read as fill values", async () => {
  const keys = keysOf("modern.v2");
  const { storeSource } = await import("../../src/io/sources/store.js");
  expect(keys.size).toBeGreaterThan(0);
  const source = storeSource(new zarr.FetchStore(`${server.url}/modern.v2`));
  await expect(source.get("obs/a#b/0")).rejects.toMatchObject({ tag: "UnsupportedError", element: "obs/a#b/0" });
  expect(await storeSource(new FileSystemStore(folder)).get("obs/a#b/0")).toBeUndefined();
});

test("what a store throws names the key", async () => {
  const failing = { get: () => Promise.reject(new Error("Unexpected response status 403 Forbidden")) };
  await expect(open(failing)).rejects.toMatchObject({
    tag: "InvalidDataError",
    message: "store: zarr.json: the store fails: Unexpected response status 403 Forbidden",
  });
});

test("a store that gives text is refused", async () => {
  // As a program without types may have it.
  const store: ReadableStore = JSON.parse("{}");
  Object.assign(store, { get: () => "{}" });
  await expect(open(store)).rejects.toMatchObject({ tag: "InvalidInputError" });
});

const tables = () => ({
  X: tableFromArrays({ row: Int32Array.of(0, 2), col: Int32Array.of(1, 0), value: Float32Array.of(0.5, 7) }),
  obs: tableFromArrays({ _index: ["a", "b", "c"], depth: Int32Array.of(3, 2, 1) }),
  var: tableFromArrays({ _index: ["g0", "g1"] }),
});

describe.each([2, 3] as const)("what is written as version %i", (zarrFormat) => {
  const place = () => {
    const path = mkdtempSync(join(folder, "out-"));
    onTestFinished(() => rmSync(path, { recursive: true }));
    return path;
  };

  test("into FileSystemStore is the store that a path gets", async () => {
    const path = place();
    await write(new FileSystemStore(path), tables(), { zarrFormat });
    const other = join(place(), "other.zarr");
    await write(other, tables(), { zarrFormat });
    const files = (root: string) => readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
    expect(files(path)).toEqual(files(other));
    expect(await contents(await open(path))).toEqual(await contents(await open(other)));
    const root = zarr.root(new FileSystemStore(path));
    const depth = await zarr.get(await zarr.open(root.resolve("obs/depth"), { kind: "array" }));
    expect(depth.data).toEqual(Int32Array.of(3, 2, 1));
    await expect(write(new FileSystemStore(path), tables())).rejects.toThrow("holds a Zarr hierarchy already");
  });

  test("into a store in a wrapper is what zarrita opens there", async () => {
    const map = new Map<string, Uint8Array>();
    await write(wrapped(map), tables(), { zarrFormat });
    expect([...map.keys()].every((key) => /^\/[^/]/.test(key))).toBe(true);
    const group = await zarr.open(zarr.root(map), { kind: "group" });
    expect(group.attrs).toMatchObject({ "encoding-type": "anndata" });
  });

  test("into FileSystemStore is gone where it fails", async () => {
    const path = place();
    const { X, obs, var: genes } = tables();
    await expect(
      write(new FileSystemStore(path), { X, obs: obs.slice(0, 2), var: genes }, { zarrFormat }),
    ).rejects.toMatchObject({ tag: "InvalidInputError", message: expect.stringMatching(/obs/) });
    const left = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(left).toEqual([]);
  });
});
