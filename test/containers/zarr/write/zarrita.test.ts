/** zarrita reads what is written: every version, compression and type that it knows. */

import { describe, expect, it } from "vitest";
import * as zarr from "zarrita";
import type { ContainerWriter } from "../../../../src/containers/tree/container-writer.js";
import type { ZarrCompression } from "../../../../src/containers/zarr/write/compression.js";
import type { NumberArray, StoredType } from "../../../../src/model/stored.js";
import { TEXT, textOf } from "../../../stored-array.js";
import { put, putNumbers, putTexts, texts, type Written, written } from "./written.js";

const COMPRESSIONS: readonly ZarrCompression[] = [
  { kind: "none" },
  { kind: "gzip", level: 4 },
  { kind: "zstd", level: 3 },
  { kind: "blosc", cname: "lz4", clevel: 5, shuffle: "byte" },
  { kind: "blosc", cname: "zstd", clevel: 3, shuffle: "byte" },
];

const LAYOUTS = [{ version: 2 }, { version: 3, sharding: false }, { version: 3, sharding: true }] as const;

const CASES = LAYOUTS.flatMap((layout) => COMPRESSIONS.map((compression) => [{ ...layout, compression }] as const));

const count = (length: number) => Array.from({ length }, (_, i) => i);
const LONG = Int32Array.from(count(100_003), (i) => 7 * i);
const MATRIX = Float32Array.from(count(270 * 501));
const NUMBERS: Readonly<Record<string, NumberArray>> = {
  int8: Int8Array.of(-1, 0, 127),
  uint8: Uint8Array.of(1, 255),
  int16: Int16Array.of(-300, 300),
  uint16: Uint16Array.of(65_535),
  uint32: Uint32Array.of(2 ** 32 - 1),
  int64: BigInt64Array.of(-(2n ** 63n), 2n ** 53n + 1n),
  uint64: BigUint64Array.of(2n ** 64n - 1n),
  float64: Float64Array.of(Number.NaN, Number.POSITIVE_INFINITY, -0, 5e-324),
  zeros: new Float32Array(100),
};
const WORDS = ["", "x", "日本", "a\0b", "\u{1f600}"];

async function fill({ root }: ContainerWriter): Promise<void> {
  for (const [name, values] of Object.entries(NUMBERS)) await putNumbers(root, name, values);
  await putNumbers(root, "long", LONG, { chunks: [10_000] });
  const float: StoredType = { kind: "float", bits: 32 };
  await put(root, "matrix", { type: float, shape: [270, 501], chunks: [100, 64] }, { kind: "fixed", values: MATRIX });
  await put(root, "bool", { type: { kind: "bool" }, shape: [3] }, { kind: "fixed", values: Uint8Array.of(1, 0, 1) });
  await put(
    root,
    "scalar",
    { type: { kind: "int", bits: 32, signed: true }, shape: [] },
    { kind: "fixed", values: Int32Array.of(42) },
  );
  await put(root, "text", { type: TEXT, shape: [] }, textOf(["hé"]));
  const group = await root.group("group", texts({ "encoding-type": "dataframe" }));
  await putTexts(group, "words", WORDS, { chunks: [2], attributes: texts({ "encoding-type": "string-array" }) });
}

/** The store as zarrita takes one. */
function storeOf({ keys }: Written): zarr.AsyncReadable {
  const get = async (key: string) => keys.get(key.slice(1));
  return {
    get,
    getRange: async (key, range) => {
      const value = await get(key);
      if (value === undefined) return undefined;
      return "suffixLength" in range
        ? value.slice(-range.suffixLength)
        : value.slice(range.offset, range.offset + range.length);
    },
  };
}

/** Equality of many numbers, which `toEqual` takes seconds for. */
function same(found: unknown, expected: Int32Array | Float32Array): boolean {
  return (
    (found instanceof Int32Array || found instanceof Float32Array) &&
    found[Symbol.toStringTag] === expected[Symbol.toStringTag] &&
    Buffer.from(found.buffer, found.byteOffset, found.byteLength).equals(Buffer.from(expected.buffer))
  );
}

describe.each(CASES)("%j", (options) => {
  it("has the same values, shapes and attributes", async () => {
    const store = await written(options, fill);
    const root = await zarr.open(storeOf(store), { kind: "group" });
    const read = async (path: string) => {
      const array = await zarr.open(root.resolve(path), { kind: "array" });
      return { array, values: await zarr.get(array) };
    };
    const data = (values: unknown) => {
      if (typeof values !== "object" || values === null || !("data" in values)) throw new Error("no array");
      return values.data;
    };
    for (const [name, expected] of Object.entries(NUMBERS)) {
      const { array, values } = await read(name);
      expect(array.shape).toEqual([expected.length]);
      expect(data(values)).toEqual(expected);
    }
    expect(same(data((await read("long")).values), LONG)).toBe(true);
    const matrix = await read("matrix");
    expect(matrix.array.shape).toEqual([270, 501]);
    expect(matrix.array.chunks).toEqual([100, 64]);
    expect(same(data(matrix.values), MATRIX)).toBe(true);
    const bool = data((await read("bool")).values);
    if (!(bool instanceof zarr.BoolArray)) throw new Error("no BoolArray");
    expect([...bool]).toEqual([true, false, true]);
    expect((await read("scalar")).values).toBe(42);
    expect((await read("text")).values).toBe("hé");
    const words = await read("group/words");
    expect(data(words.values)).toEqual(WORDS);
    expect(words.array.attrs).toEqual({ "encoding-type": "string-array" });
  });

  it("is listed by its consolidated metadata", async () => {
    const store = await written(options, fill);
    const listed = await zarr.withConsolidatedMetadata(storeOf(store));
    const names = [...Object.keys(NUMBERS), "long", "matrix", "bool", "scalar", "text", "group", "group/words"];
    const contents = listed.contents().map(({ path }) => path.slice(1));
    expect(contents.filter((path) => path !== "").sort()).toEqual(names.sort());
    const group = await zarr.open(zarr.root(listed).resolve("group"), { kind: "group" });
    expect(group.attrs).toEqual({ "encoding-type": "dataframe" });
  });
});
