/** Codecs that annarrow has none of and zarrita's registry has. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { unzipSync } from "fflate";
import { afterEach, describe, expect, test } from "vitest";
import * as zarr from "zarrita";
import type { StoredArray } from "../../../src/containers/tree/container.js";
import { openZarr } from "../../../src/containers/zarr/open.js";
import { openFileSource } from "../../../src/io/sources/file.node.js";
import { mapSource } from "../../../src/io/sources/map.js";
import { zipSource } from "../../../src/io/sources/zip.js";
import type { StoredValues } from "../../../src/model/stored.js";

const DATA = new URL("../../fixtures/data/zarr/", import.meta.url);

/** Read back by zarr-python. */
const expected: Readonly<Record<string, readonly number[]>> = JSON.parse(
  readFileSync(new URL("scaled.json", DATA), "utf8"),
);
const keys = new Map(Object.entries(unzipSync(readFileSync(new URL("scaled.zip", DATA)))));

async function arrayOf(store: ReadonlyMap<string, Uint8Array>, name: string): Promise<StoredArray> {
  const node = await (await openZarr(mapSource(store))).root.open(name);
  if (node.kind !== "array") throw new Error("no array");
  return node;
}

function numbers(values: StoredValues): number[] {
  if (values.kind !== "fixed") throw new Error("no numbers");
  return [...values.values].map(Number);
}

/** What zarrita itself reads, in C order. */
async function byZarrita(name: string): Promise<number[]> {
  const get = (key: string) => keys.get(key.slice(1));
  const store: zarr.Readable = {
    get,
    getRange: (key, range) => {
      const value = get(key);
      return "suffixLength" in range
        ? value?.slice(-range.suffixLength)
        : value?.slice(range.offset, range.offset + range.length);
    },
  };
  const array = await zarr.open(zarr.root(store).resolve(name), { kind: "array" });
  if (!array.is("float32") && !array.is("int32")) throw new Error(`values of type ${array.dtype}`);
  const { data, shape, stride } = await zarr.get(array);
  const [rows, columns = 1] = shape;
  const [down, across = 0] = stride;
  return Array.from(
    { length: rows * columns },
    (_, i) => data[Math.floor(i / columns) * down + (i % columns) * across],
  );
}

describe.each(Object.keys(expected))("%s, through scale_offset and cast_value", (name) => {
  test("has the values that zarr-python and zarrita have", async () => {
    const array = await arrayOf(keys, name);
    const [rows] = array.shape ?? [0];
    const found = numbers(await array.read(0, rows));
    expect(found).toHaveLength(expected[name].length);
    // NumPy computes in 32 bits, JavaScript in 64.
    for (const [i, value] of found.entries()) expect(value).toBeCloseTo(expected[name][i], 5);
    expect(found).toEqual(await byZarrita(name));
    const row = found.length / rows;
    expect(numbers(await array.read(2, 5))).toEqual(found.slice(2 * row, 5 * row));
  });

  test("is not given to workers, which have a registry of their own", async () => {
    const source = await zipSource(await openFileSource(fileURLToPath(new URL("scaled.zip", DATA))));
    expect(source.plan).toBeDefined();
    const node = await (await openZarr(source)).root.open(name);
    expect(node).toMatchObject({ kind: "array" });
    expect("plan" in node && node.plan !== undefined).toBe(false);
    await source.close();
  });
});

type Entry = Awaited<ReturnType<NonNullable<ReturnType<typeof zarr.registry.get>>>>;

const own: string[] = [];
function register(name: string, entry: Entry): void {
  own.push(name);
  zarr.registry.set(name, async () => entry);
}
afterEach(() => {
  for (const name of own.splice(0)) zarr.registry.delete(name);
});

/** Every byte the other way round. */
const flipped = (bytes: Uint8Array) => bytes.map((byte) => 255 - byte);
const flip: Entry = {
  fromConfig: () => ({ kind: "bytes_to_bytes", encode: flipped, decode: flipped }),
};

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const GROUP = ["zarr.json", json({ zarr_format: 3, node_type: "group" })] as const;

const document = (codecs: unknown, changes: object = {}) =>
  json({
    zarr_format: 3,
    node_type: "array",
    shape: [5],
    data_type: "int32",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [3] } },
    chunk_key_encoding: { name: "default" },
    fill_value: -7,
    codecs,
    ...changes,
  });

const LITTLE = { name: "bytes", configuration: { endian: "little" } };
const OWN = { name: "example.flip", configuration: {} };

describe("a codec of a user's own", () => {
  test("decodes what zarrita wrote with it", async () => {
    register("example.flip", flip);
    const store = new Map<string, Uint8Array>();
    const root = zarr.root(store);
    await zarr.create(root);
    const array = await zarr.create(root.resolve("a%20b"), {
      shape: [5, 4],
      chunkShape: [2, 3],
      dtype: "int32",
      codecs: [{ name: "transpose", configuration: { order: [1, 0] } }, LITTLE, OWN],
      fillValue: 9,
    });
    const values = Int32Array.from({ length: 20 }, (_, i) => i * 2 ** 26);
    await zarr.set(array, null, { data: values, shape: [5, 4], stride: [4, 1] });
    // A chunk that is not there.
    expect(store.delete("/a b/c/2/1")).toBe(true);
    const found = await (await arrayOf(store, "a b")).read(0, 5);
    const wanted = values.slice();
    wanted[19] = 9;
    expect(found).toEqual({ kind: "fixed", values: wanted });
  });

  test("of version 2 stands in the registry under numcodecs.", async () => {
    register("numcodecs.flip", flip);
    const values = Int16Array.from([1, 2, 3, 4, 5, 6]);
    const big = new Uint8Array(12);
    // Column by column.
    const view = new DataView(big.buffer);
    for (const [to, from] of [0, 3, 1, 4, 2, 5].entries()) view.setInt16(2 * to, values[from], false);
    const store = new Map([
      [".zgroup", json({ zarr_format: 2 })],
      [
        "x/.zarray",
        json({
          zarr_format: 2,
          shape: [2, 3],
          chunks: [2, 3],
          dtype: ">i2",
          order: "F",
          fill_value: 0,
          filters: null,
          compressor: { id: "flip" },
        }),
      ],
      ["x/0.0", flipped(big)],
    ]);
    expect(await (await arrayOf(store, "x")).read(0, 2)).toEqual({ kind: "fixed", values });
  });

  test("makes texts", async () => {
    // As its arrays of texts, zarrita's own types have no codecs of them.
    const decode = (bytes: Uint8Array) => ({
      data: new TextDecoder().decode(bytes).split("\n"),
      shape: [3],
      stride: [1],
    });
    const lines = { kind: "array_to_bytes" as const, encode: flipped, decode: flipped };
    register("example.lines", { fromConfig: () => Object.assign(lines, { decode }) });
    const store = new Map([
      GROUP,
      ["x/zarr.json", document([{ name: "example.lines" }], { data_type: "string", fill_value: "" })],
      ["x/c/0", new TextEncoder().encode("a\nü\n")],
    ]);
    const found = await (await arrayOf(store, "x")).read(0, 4);
    if (found.kind !== "variable") throw new Error("no text");
    expect(new TextDecoder().decode(found.bytes)).toBe("aü");
    expect([...found.offsets]).toEqual([0, 1, 3, 3, 3]);
  });

  test.each([
    ["fewer bytes", (bytes: Uint8Array) => bytes.subarray(4), "2 items, expected 3"],
    ["more bytes", (bytes: Uint8Array) => new Uint8Array([...bytes, ...bytes]), "6 items, expected 3"],
    [
      "an error",
      () => {
        throw new Error("no such key");
      },
      "no such key",
    ],
  ])("that gives %s is an error of the chunk", async (_, decode, message) => {
    register("example.flip", { fromConfig: () => ({ kind: "bytes_to_bytes", encode: flipped, decode }) });
    const store = new Map([GROUP, ["x/zarr.json", document([LITTLE, OWN])], ["x/c/0", new Uint8Array(12)]]);
    await expect((await arrayOf(store, "x")).read(0, 5)).rejects.toMatchObject({
      tag: "InvalidDataError",
      message: expect.stringMatching(new RegExp(`^map: x: chunk x/c/0: .*${message}`)),
    });
  });

  test("for values that zarrita has no type for is refused by name", async () => {
    register("example.flip", flip);
    const store = new Map([
      GROUP,
      ["x/zarr.json", document([LITTLE, OWN], { data_type: "complex64", fill_value: [0, 0] })],
    ]);
    await expect((await arrayOf(store, "x")).read(0, 5)).rejects.toMatchObject({
      tag: "UnsupportedError",
      message: expect.stringContaining('"example.flip"'),
    });
  });
});

test.each([
  ["3", document([LITTLE, OWN]), "example.flip"],
  [
    "2",
    json({
      zarr_format: 2,
      shape: [5],
      chunks: [5],
      dtype: "<i4",
      order: "C",
      fill_value: 0,
      filters: null,
      compressor: { id: "flip" },
    }),
    "numcodecs.flip",
  ],
])("a codec of version %s that nobody has is refused, and told where one may be put", async (version, array, name) => {
  const store = new Map([
    version === "3" ? GROUP : ([".zgroup", json({ zarr_format: 2 })] as const),
    [version === "3" ? "x/zarr.json" : "x/.zarray", array],
  ]);
  await expect((await arrayOf(store, "x")).read(0, 5)).rejects.toMatchObject({
    tag: "UnsupportedError",
    message: expect.stringMatching(new RegExp(`codec "(example\\.)?flip" is not known; .*"${name}"`)),
  });
});
