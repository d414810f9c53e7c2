/** zarrita with annarrow's codecs reads what it reads with its own, and more. */

import { readFileSync } from "node:fs";
import { unzipSync } from "fflate";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as zarr from "zarrita";
import { registerCodecs } from "../../../src/zarr.js";

const before = new Map(zarr.registry);
beforeEach(() => {
  registerCodecs(zarr.registry);
});
afterEach(restore);
function restore(): void {
  zarr.registry.clear();
  for (const [name, load] of before) zarr.registry.set(name, load);
}

const DATA = "test/fixtures/data";
const STORES = ["zarr/v2.zip", "zarr/v3.zip", "anndata/modern.v2.zarr.zip", "anndata/modern.v3.zarr.zip"];
STORES.push("anndata/modern.v3s.zarr.zip");

function storeOf(file: string): zarr.Readable {
  const keys = unzipSync(readFileSync(`${DATA}/${file}`));
  const get = (key: string): Uint8Array | undefined => keys[key.slice(1)];
  return {
    get,
    getRange: (key, range) => {
      const value = get(key);
      return "suffixLength" in range
        ? value?.slice(-range.suffixLength)
        : value?.slice(range.offset, range.offset + range.length);
    },
  };
}

function pathsOf(file: string): string[] {
  const documents = Object.entries(unzipSync(readFileSync(`${DATA}/${file}`)));
  return documents.flatMap(([key, bytes]) => {
    const isArray =
      key.endsWith("/.zarray") ||
      (key.endsWith("/zarr.json") && JSON.parse(new TextDecoder().decode(bytes)).node_type === "array");
    return isArray ? [key.slice(0, key.lastIndexOf("/"))] : [];
  });
}

/** All values as text; null where zarrita cannot open the array, why where it cannot read it. */
async function read(store: zarr.Readable, path: string): Promise<string | null> {
  const array = await zarr.open(zarr.root(store).resolve(encodeURI(path)), { kind: "array" }).catch(() => null);
  if (array === null) return null;
  try {
    const values: unknown = await zarr.get(array);
    if (typeof values !== "object" || values === null || !("data" in values)) return String(values);
    const { data } = values;
    const isIterable = typeof data === "object" && data !== null && Symbol.iterator in data;
    return JSON.stringify(isIterable ? Array.from(data as Iterable<unknown>, String) : data);
  } catch (error) {
    return `fails: ${error}`;
  }
}

/** zarrita overlooks codecs around shards, and takes the index of this one from compressed bytes. */
const MISREAD = ["sharded_compressed"];

describe.each(STORES)("%s", (file) => {
  test("has the values that it has through zarrita's own codecs", async () => {
    const store = storeOf(file);
    const paths = pathsOf(file);
    const ours = new Map<string, string | null>();
    for (const path of paths) ours.set(path, await read(store, path));
    restore();
    let compared = 0;
    for (const path of paths) {
      const theirs = await read(store, path);
      if (theirs === null || theirs.startsWith("fails")) continue;
      compared++;
      if (MISREAD.includes(path)) {
        expect(ours.get(path)).toMatch(/^fails: .*crc32c/);
        continue;
      }
      expect(ours.get(path), path).toBe(theirs);
    }
    expect(compared).toBeGreaterThan(10);
  });
});

describe("what zarrita has no codec for", () => {
  const arrays = pathsOf("zarr/v3.zip").filter((path) => /bz2|lzma|adler32|fletcher32|crc32$/.test(path));

  test.each(arrays)("%s is read", async (path) => {
    const found = await read(storeOf("zarr/v3.zip"), path);
    expect(found).not.toMatch(/^fails/);
    restore();
    expect(await read(storeOf("zarr/v3.zip"), path)).toMatch(/^fails: .*Unknown codec/i);
  });

  test("is tried on something", () => expect(arrays.length).toBeGreaterThan(0));
});

const CRC = [{ name: "bytes", configuration: { endian: "little" } }, { name: "crc32c" }] as zarr.CodecMetadata[];

test("a wrong checksum is an error", async () => {
  const store = new Map<string, Uint8Array>();
  const root = zarr.root(store);
  const array = await zarr.create(root, { shape: [4], chunkShape: [4], dtype: "int32", codecs: CRC });
  // CRC-32C of 16 zeros, by RFC 3720's polynomial as google-crc32c has it, is not 0.
  store.set("/c/0", new Uint8Array(20));
  await expect(zarr.get(array)).rejects.toMatchObject({ cause: { tag: "InvalidDataError" } });
});

test("writing stays zarrita's", async () => {
  const store = new Map<string, Uint8Array>();
  const codecs = [
    { name: "bytes", configuration: { endian: "little" } },
    { name: "zstd", configuration: { level: 3, checksum: false } },
  ];
  const array = await zarr.create(zarr.root(store), { shape: [1000], chunkShape: [300], dtype: "float64", codecs });
  const data = Float64Array.from({ length: 1000 }, (_, i) => i / 7);
  await zarr.set(array, null, { data, shape: [1000], stride: [1] });
  expect((await zarr.get(array)).data).toEqual(data);
  restore();
  expect((await zarr.get(await zarr.open(store, { kind: "array" }))).data).toEqual(data);
});

test("a codec that zarrita cannot write is not written", async () => {
  const load = zarr.registry.get("bz2");
  const codec = (await load?.())?.fromConfig({}, { dataType: "int8", shape: [1], codecs: [], fillValue: null });
  await expect(codec?.encode(new Uint8Array(1))).rejects.toMatchObject({ tag: "UnsupportedError" });
});
