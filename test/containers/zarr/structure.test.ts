import { describe, expect, it } from "vitest";
import type { Container, Group, Node } from "../../../src/containers/tree/container.js";
import { openZarr } from "../../../src/containers/zarr/open.js";
import { mapSource } from "../../../src/io/sources/map.js";
import type { KeyValueSource } from "../../../src/io/sources/source.js";
import { InvalidDataError, NotFoundError, UnsupportedError } from "../../../src/model/errors.js";
import { arrayAt, numbersOf, openMap, readAll, storeEntries, zipStore } from "./stores.js";

async function groupAt(container: Container, ...names: string[]): Promise<Group> {
  let node: Node = container.root;
  for (const name of names) {
    if (node.kind !== "group") throw new Error(`${node.path} is no group`);
    node = await node.open(name);
  }
  if (node.kind !== "group") throw new Error(`${node.path} is no group`);
  return node;
}

/** The same store, without listing, and a record of what was asked for. */
function unlisted(source: KeyValueSource): { source: KeyValueSource; asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    source: {
      kind: "keys",
      name: source.name,
      get: (key, options) => {
        asked.push(key);
        return source.get(key, options);
      },
      getRanges: (key, ranges, options) => {
        asked.push(key);
        return source.getRanges(key, ranges, options);
      },
      list: async () => null,
      close: () => source.close(),
    },
  };
}

const GROUP2 = { zarr_format: 2 };
const GROUP3 = { zarr_format: 3, node_type: "group", attributes: {} };
const ARRAY2 = {
  zarr_format: 2,
  shape: [2],
  chunks: [2],
  dtype: "<i4",
  fill_value: 7,
  order: "C",
  filters: null,
  compressor: null,
};
const ARRAY3 = {
  zarr_format: 3,
  node_type: "array",
  shape: [2],
  data_type: "int32",
  chunk_grid: { name: "regular", configuration: { chunk_shape: [2] } },
  chunk_key_encoding: { name: "default" },
  fill_value: 7,
  codecs: [{ name: "bytes", configuration: { endian: "little" } }],
};

describe("attributes", () => {
  it("keep big integers and Python's NaN", async () => {
    const { root } = await openZarr(await zipStore("v2"));
    expect(Object.fromEntries(root.attributes)).toEqual({
      n: 9007199254740993n,
      x: Number.NaN,
      y: [-Infinity, { é: null }],
    });
    const container = await openZarr(await zipStore("v3"));
    expect(Object.fromEntries(container.root.attributes)).toEqual({ n: 9007199254740993n, s: "ü" });
    const inner = await groupAt(container, "group", "inner");
    expect(Object.fromEntries(inner.attributes)).toEqual({ k: [1, { a: null }] });
  });
});

describe("keys and names", () => {
  it("are sorted by code point and taken as they are", async () => {
    const odd = await groupAt(await openZarr(await zipStore("v2")), "odd");
    const names = await odd.keys();
    expect(names).toEqual([" x", "#h", ".hid", "a%20b", "c:d", "e\u0301", "p%", "q?", "é"]);
    for (const name of names) {
      const node = await odd.open(name);
      expect(node.path).toBe(`odd/${name}`);
      expect(node.id).toBe(node.path);
      expect(node.kind === "array" && numbersOf(await readAll(node))).toEqual([Array.from(`odd/${name}`).length]);
    }
  });

  it("sorts surrogates behind U+FFFF", async () => {
    const container = await openMap(
      ["\u{1F9EC}", "\uff5e", "a", "ab"].map((n) => [`${n}/.zgroup`, GROUP2]).concat([[".zgroup", GROUP2]]) as [
        string,
        object,
      ][],
    );
    expect(await container.root.keys()).toEqual(["a", "ab", "\uff5e", "\u{1F9EC}"]);
  });

  it.each(["", ".", "..", "a/b", "../x", "nothing", "readme.txt"])("finds no child %s", async (name) => {
    const group = await groupAt(await openZarr(await zipStore("v2")), "group");
    await expect(group.open(name)).rejects.toThrow(NotFoundError);
  });

  it("lists nodes alone, takes an array before a group, and goes through folders without a document", async () => {
    const container = await openZarr(await zipStore("v2"));
    expect(await (await groupAt(container, "group")).keys()).toEqual([]);
    expect((await container.root.open("chunks_beyond")).kind).toBe("array");
    expect(await container.root.keys()).toContain("implicit");
    expect(numbersOf(await readAll(await arrayAt(container, "implicit/deep/x")))).toEqual([15]);
  });

  it("lists what stands beside a folder of thousands of other files", async () => {
    const others = Array.from({ length: 1200 }, (_, i) => [`a/${i}`, ""] as [string, string]);
    const group = JSON.stringify({ zarr_format: 2 });
    const container = await openMap([[".zgroup", group], ["b/.zgroup", group], ["c/.zgroup", group], ...others]);
    expect(await container.root.keys()).toEqual(["b", "c"]);
  });

  it("has no implicit groups in v3", async () => {
    const container = await openMap([
      ["zarr.json", GROUP3],
      ["a/b/zarr.json", ARRAY3],
    ]);
    expect(await container.root.keys()).toEqual([]);
    await expect(container.root.open("a")).rejects.toThrow(NotFoundError);
  });
});

describe("consolidated metadata", () => {
  const v2 = new Map<string, object>([
    [".zgroup", GROUP2],
    [
      ".zmetadata",
      {
        zarr_consolidated_format: 1,
        metadata: {
          ".zgroup": GROUP2,
          ".zattrs": { from: "consolidated" },
          "a/.zarray": ARRAY2,
          "g/.zgroup": GROUP2,
          "g/b/.zarray": ARRAY2,
        },
      },
    ],
    ["new/.zarray", ARRAY2],
  ]);
  const v3 = new Map<string, object>([
    [
      "zarr.json",
      {
        ...GROUP3,
        consolidated_metadata: {
          kind: "inline",
          must_understand: false,
          metadata: { a: ARRAY3, g: GROUP3, "g/b": ARRAY3 },
        },
      },
    ],
    ["new/zarr.json", ARRAY3],
  ]);

  it.each([
    ["v2", v2],
    ["v3", v3],
  ])("of %s is all there is where the store cannot be listed", async (_, entries) => {
    const bytes = new Map([...entries].map(([key, value]) => [key, new TextEncoder().encode(JSON.stringify(value))]));
    const { source, asked } = unlisted(mapSource(bytes));
    const { root } = await openZarr(source);
    asked.length = 0;
    expect(await root.keys()).toEqual(["a", "g"]);
    const group = await root.open("g");
    expect(group.kind === "group" && (await group.keys())).toEqual(["b"]);
    await expect(root.open("new")).rejects.toThrow(NotFoundError);
    const array = await root.open("a");
    expect(asked).toEqual([]);
    expect(array.kind === "array" && numbersOf(await readAll(array))).toEqual([7, 7]);
    expect(asked).toHaveLength(1);
  });

  it.each([
    ["v2", v2],
    ["v3", v3],
  ])("of %s neither hides nor invents nodes of a store that can be listed", async (_, entries) => {
    const { root } = await openMap(entries);
    expect(await root.keys()).toEqual(["new"]);
    await expect(root.open("a")).rejects.toThrow(NotFoundError);
    expect((await root.open("new")).kind).toBe("array");
  });

  it("is named as the remedy where a store can neither be listed nor has it", async () => {
    const { source } = unlisted(await zipStore("v2"));
    const { root } = await openZarr(source);
    await expect(root.keys()).rejects.toThrow("consolidate_metadata");
    expect((await root.open("scalar")).kind).toBe("array");
  });
});

describe("a field of another kind", () => {
  it("is named with what stands there", async () => {
    const odd = { ...ARRAY2, dimension_separator: { "/": "." } };
    const { root } = await openMap(Object.entries({ ".zgroup": GROUP2, "a/.zarray": odd }));
    await expect(root.open("a")).rejects.toThrow('dimension_separator {"/":"."}');
  });
});

describe("what cannot be opened", () => {
  it.each<[string, Record<string, object | string>, new (...args: never[]) => Error, string]>([
    ["an empty store", {}, NotFoundError, "no Zarr store"],
    ["an array", { ".zarray": ARRAY2 }, UnsupportedError, "single array"],
    ["another version", { "zarr.json": { ...GROUP3, zarr_format: 4 } }, UnsupportedError, "zarr_format is 4"],
    ["no JSON", { "zarr.json": "{" }, InvalidDataError, "not JSON"],
    ["an extension", { "zarr.json": { ...GROUP3, new: { must_understand: true } } }, UnsupportedError, '"new"'],
    ["a node of no kind", { "zarr.json": { zarr_format: 3 } }, InvalidDataError, "node_type is missing"],
  ])("%s", async (_, entries, type, message) => {
    const opening = openMap(Object.entries(entries));
    await expect(opening).rejects.toThrow(type);
    await expect(opening).rejects.toThrow(message);
  });

  it.each<[string, object, new (...args: never[]) => Error, string]>([
    ["too many chunks", { shape: [2 ** 40] }, InvalidDataError, "549755813888 chunks, at most 268435456"],
    [
      "a huge chunk",
      { chunk_grid: { name: "regular", configuration: { chunk_shape: [2 ** 29] } } },
      InvalidDataError,
      "a chunk of 2147483648 bytes, at most 1073741824",
    ],
    [
      "a chunk of nothing",
      { chunk_grid: { name: "regular", configuration: { chunk_shape: [0] } } },
      InvalidDataError,
      "chunk_shape is 0",
    ],
    [
      "another rank",
      { chunk_grid: { name: "regular", configuration: { chunk_shape: [1, 1] } } },
      InvalidDataError,
      "1 dimensions, the chunks have 2",
    ],
    ["a negative shape", { shape: [-1] }, InvalidDataError, "shape is -1"],
    ["another grid", { chunk_grid: { name: "rectilinear" } }, UnsupportedError, '"rectilinear"'],
    ["a fill value out of range", { fill_value: 2 ** 31 }, InvalidDataError, "fill_value is 2147483648"],
    ["no fill value", { fill_value: null }, InvalidDataError, "fill_value is null"],
    ["an extension", { rotated: true }, UnsupportedError, '"rotated"'],
    ["a transformer", { storage_transformers: [{ name: "x" }] }, UnsupportedError, "storage transformers"],
  ])("an array with %s", async (_, changes, type, message) => {
    const { root } = await openMap([
      ["zarr.json", GROUP3],
      ["a/zarr.json", { ...ARRAY3, ...changes }],
    ]);
    await expect(root.open("a")).rejects.toThrow(type);
    await expect(root.open("a")).rejects.toThrow(message);
  });
});

describe("what opens but cannot be read", () => {
  it.each([
    ["pickle", "|O through pickle"],
    ["vlen_array", "|O through vlen-array"],
  ])("%s", async (path, message) => {
    const array = await arrayAt(await openZarr(await zipStore("v2")), path);
    expect(array.type).toEqual({ kind: "unsupported", name: message });
    await expect(readAll(array)).rejects.toThrow(UnsupportedError);
    await expect(readAll(array)).rejects.toThrow(message);
  });

  it.each<[string, object, string]>([
    ["a codec", { codecs: [...ARRAY3.codecs, { name: "middle-out" }] }, 'codec "middle-out" is not known'],
    [
      "a filter of values in the other byte order",
      { codecs: [{ name: "numcodecs.delta", configuration: { dtype: ">i4" } }, ...ARRAY3.codecs] },
      'codec numcodecs.delta of big-endian values (">i4")',
    ],
    [
      "a filter of a type without numbers",
      { codecs: [{ name: "numcodecs.delta", configuration: { dtype: "int33" } }, ...ARRAY3.codecs] },
      'dtype "int33"',
    ],
    ["a data type", { data_type: "float7", fill_value: 0 }, "data type float7"],
    ["codecs that make no bytes", { codecs: [{ name: "gzip" }] }, "no codec makes bytes: gzip"],
    ["two codecs that make bytes", { codecs: [...ARRAY3.codecs, ...ARRAY3.codecs] }, "cannot follow"],
    ["no byte order", { codecs: [{ name: "bytes" }] }, "endian of the codec bytes is missing"],
    [
      "a permutation that is none",
      { codecs: [{ name: "transpose", configuration: { order: [1] } }, ...ARRAY3.codecs] },
      "no permutation",
    ],
    ["no codec at all", { codecs: [] }, "codec"],
  ])("%s", async (_, changes, message) => {
    const { root } = await openMap([
      ["zarr.json", GROUP3],
      ["a/zarr.json", { ...ARRAY3, ...changes }],
    ]);
    const array = await root.open("a");
    if (array.kind !== "array") throw new Error("a group");
    await expect(readAll(array)).rejects.toThrow(message);
  });

  it("references", async () => {
    const container = await openMap(await storeEntries("v3"));
    await expect(container.dereference({ kind: "reference", bytes: new Uint8Array(8) })).rejects.toThrow(
      UnsupportedError,
    );
  });
});
