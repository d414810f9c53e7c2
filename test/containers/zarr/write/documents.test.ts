/** Documents against those of zarr-python: 2.18 and 3.4 for version 2, 3.4 for version 3. */

import { describe, expect, it } from "vitest";
import type { ContainerWriter } from "../../../../src/containers/tree/container-writer.js";
import type { ZarrCompression } from "../../../../src/containers/zarr/write/compression.js";
import { UnsupportedError } from "../../../../src/model/errors.js";
import type { StoredType } from "../../../../src/model/stored.js";
import { TEXT, textOf } from "../../../stored-array.js";
import { attribute, put, putNumbers, putTexts, texts, written } from "./written.js";

const RECORD: StoredType = {
  kind: "record",
  fields: [
    { name: "a", type: { kind: "int", bits: 32, signed: true }, shape: [] },
    {
      name: "c",
      type: { kind: "text", storage: { form: "fixed", encoding: "ascii", width: 3, padding: "nullpad" } },
      shape: [],
    },
    {
      name: "u",
      type: { kind: "text", storage: { form: "fixed", encoding: "utf-32", width: 8, padding: "nullpad" } },
      shape: [],
    },
    { name: "b", type: { kind: "bool" }, shape: [] },
    {
      name: "n",
      type: {
        kind: "record",
        fields: [
          { name: "x", type: { kind: "float", bits: 64 }, shape: [] },
          { name: "y", type: { kind: "int", bits: 8, signed: false }, shape: [] },
        ],
      },
      shape: [],
    },
  ],
};

const UTF32 = { kind: "text", storage: { form: "fixed", encoding: "utf-32", width: 8, padding: "nullpad" } } as const;
const ASCII = { kind: "text", storage: { form: "fixed", encoding: "ascii", width: 2, padding: "nullpad" } } as const;

const int = (bits: 8 | 16 | 32 | 64, signed = true): StoredType => ({ kind: "int", bits, signed });
const length = (name: string, bytes: number) => ({ name, configuration: { length_bytes: bytes } });
const time = (name: string, unit: string, scale: number) => ({ name, configuration: { unit, scale_factor: scale } });

/** Type, numpy's text, v3's name, the fill value in both, whether `bytes` has an order. */
const TYPES: readonly [StoredType, unknown, unknown, unknown, boolean][] = [
  [{ kind: "bool" }, "|b1", "bool", false, false],
  [int(8), "|i1", "int8", 0, false],
  [int(16), "<i2", "int16", 0, true],
  [int(32), "<i4", "int32", 0, true],
  [int(64), "<i8", "int64", 0, true],
  [int(8, false), "|u1", "uint8", 0, false],
  [int(16, false), "<u2", "uint16", 0, true],
  [int(32, false), "<u4", "uint32", 0, true],
  [int(64, false), "<u8", "uint64", 0, true],
  [{ kind: "float", bits: 16 }, "<f2", "float16", 0, true],
  [{ kind: "float", bits: 32 }, "<f4", "float32", 0, true],
  [{ kind: "float", bits: 64 }, "<f8", "float64", 0, true],
  [{ kind: "complex", bits: 64 }, "<c8", "complex64", [0, 0], true],
  [{ kind: "complex", bits: 128 }, "<c16", "complex128", [0, 0], true],
  [{ kind: "datetime", unit: "ns", step: 1 }, "<M8[ns]", time("numpy.datetime64", "ns", 1), 0, true],
  [{ kind: "timedelta", unit: "s", step: 25 }, "<m8[25s]", time("numpy.timedelta64", "s", 25), 0, true],
  [{ kind: "timedelta", unit: "generic", step: 1 }, "<m8", time("numpy.timedelta64", "generic", 1), 0, true],
  [ASCII, "|S2", length("null_terminated_bytes", 2), "", false],
  [UTF32, "<U2", length("fixed_length_utf32", 8), "", true],
  [{ kind: "bytes", width: 3 }, "|V3", length("raw_bytes", 3), "AAAA", false],
];

async function emptyArray(version: 2 | 3, type: StoredType, more = {}) {
  return written({ version, sharding: false, ...more }, async ({ root }) => {
    await (await root.array("a", { type, shape: [0] })).close();
  });
}

describe("types", () => {
  it.each(TYPES)("%j is %j in version 2", async (type, dtype, _, fill) => {
    const store = await emptyArray(2, type);
    expect(store.document("a/.zarray")).toEqual({
      zarr_format: 2,
      shape: [0],
      chunks: [1],
      dtype,
      fill_value: fill,
      order: "C",
      filters: null,
      dimension_separator: ".",
      compressor: null,
    });
  });

  it.each(TYPES)("%j has its name in version 3", async (type, _, name, fill, ordered) => {
    const store = await emptyArray(3, type);
    expect(store.document("a/zarr.json")).toEqual({
      shape: [0],
      data_type: name,
      chunk_grid: { name: "regular", configuration: { chunk_shape: [1] } },
      chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
      fill_value: fill,
      codecs: [ordered ? { name: "bytes", configuration: { endian: "little" } } : { name: "bytes" }],
      attributes: {},
      zarr_format: 3,
      node_type: "array",
      storage_transformers: [],
    });
  });

  it.each([
    [TEXT, "vlen-utf8", "string"],
    [{ kind: "bytes", width: null } as const, "vlen-bytes", "variable_length_bytes"],
  ])("%j is made by an object codec", async (type, codec, name) => {
    const v2 = await emptyArray(2, type);
    expect(v2.document("a/.zarray")).toMatchObject({ dtype: "|O", fill_value: "", filters: [{ id: codec }] });
    const v3 = await emptyArray(3, type);
    const codecs = [{ name: codec, configuration: {} }];
    expect(v3.document("a/zarr.json")).toMatchObject({ data_type: name, fill_value: "", codecs });
  });

  it("records have numpy's list of fields in version 2", async () => {
    expect((await emptyArray(2, RECORD)).document("a/.zarray")).toMatchObject({
      dtype: [
        ["a", "<i4"],
        ["c", "|S3"],
        ["u", "<U2"],
        ["b", "|b1"],
        [
          "n",
          [
            ["x", "<f8"],
            ["y", "|u1"],
          ],
        ],
      ],
      fill_value: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==",
    });
  });

  it("records are struct in version 3, and structured where that is asked for", async () => {
    expect((await emptyArray(3, RECORD)).document("a/zarr.json")).toMatchObject({
      data_type: {
        name: "struct",
        configuration: {
          fields: [
            { name: "a", data_type: "int32" },
            { name: "c", data_type: length("null_terminated_bytes", 3) },
            { name: "u", data_type: length("fixed_length_utf32", 8) },
            { name: "b", data_type: "bool" },
            {
              name: "n",
              data_type: {
                name: "struct",
                configuration: {
                  fields: [
                    { name: "x", data_type: "float64" },
                    { name: "y", data_type: "uint8" },
                  ],
                },
              },
            },
          ],
        },
      },
      fill_value: { a: 0, c: "", u: "", b: false, n: { x: 0, y: 0 } },
      codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    });
    const bytes: StoredType = { kind: "record", fields: [{ name: "a", type: int(8, false), shape: [] }] };
    expect((await emptyArray(3, bytes)).document("a/zarr.json")).toMatchObject({ codecs: [{ name: "bytes" }] });
    expect((await emptyArray(3, bytes, { records: "structured" })).document("a/zarr.json")).toMatchObject({
      data_type: { name: "structured", configuration: { fields: [["a", "uint8"]] } },
      fill_value: "AA==",
    });
  });

  it("a boolean enum is bool, other enums have no form", async () => {
    const base = { kind: "int", bits: 8, signed: true } as const;
    const members = ["FALSE", "TRUE"].map((name, value) => ({ name, value }));
    expect((await emptyArray(2, { kind: "enum", base, members })).document("a/.zarray")).toMatchObject({
      dtype: "|b1",
    });
    const more = [...members, { name: "NA", value: -1 }];
    await expect(emptyArray(2, { kind: "enum", base, members: more })).rejects.toThrow(
      new UnsupportedError("Zarr has no form for an enum (FALSE, TRUE, NA)", { source: "map", element: "a" }),
    );
  });

  it.each([
    [{ kind: "sequence", item: TEXT } as const, "sequences of variable length"],
    [{ kind: "reference" } as const, "references"],
    [{ kind: "unsupported", name: "float128" } as const, "float128"],
    [{ kind: "record", fields: [] } as const, "records without fields"],
    [
      { kind: "record", fields: [{ name: "t", type: TEXT, shape: [] }] } as const,
      "records with a field of variable size",
    ],
    [
      { kind: "record", fields: [{ name: "t", type: int(8), shape: [2] }] } as const,
      'records with a sub-array ("t") that zarr-python 3 reads',
    ],
  ])("%j has no form", async (type, problem) => {
    for (const version of [2, 3] as const) {
      const store = written({ version }, async ({ root }) => {
        await root.array("x", { type, shape: [1] });
      });
      await expect(store).rejects.toThrow(UnsupportedError);
      await expect(store).rejects.toThrow(`map: x: Zarr has no form for ${problem}`);
    }
  });
});

describe("compression", () => {
  const CASES: readonly [ZarrCompression, object, object[], object[]][] = [
    [
      { kind: "gzip", level: 4 },
      { id: "gzip", level: 4 },
      [{ name: "gzip", configuration: { level: 4 } }],
      [{ name: "gzip", configuration: { level: 4 } }],
    ],
    [
      { kind: "zstd", level: 3 },
      { id: "zstd", level: 3 },
      [{ name: "zstd", configuration: { level: 3, checksum: true } }],
      [{ name: "zstd", configuration: { level: 3, checksum: true } }],
    ],
    [
      { kind: "blosc", cname: "lz4", clevel: 5, shuffle: "byte" },
      { id: "blosc", cname: "lz4", clevel: 5, shuffle: 1, blocksize: 0 },
      [
        { name: "blosc", configuration: { typesize: 4, cname: "lz4", clevel: 5, shuffle: "shuffle", blocksize: 0 } },
        { name: "crc32c" },
      ],
      [
        { name: "blosc", configuration: { typesize: 1, cname: "lz4", clevel: 5, shuffle: "noshuffle", blocksize: 0 } },
        { name: "crc32c" },
      ],
    ],
  ];

  it.each(CASES)("%j", async (compression, compressor, numbers, strings) => {
    const fill = async ({ root }: ContainerWriter) => {
      await putNumbers(root, "n", Int32Array.of(1, 2));
      await putTexts(root, "t", ["a"]);
      await putNumbers(root, "plain", Int32Array.of(1), { compressed: false });
      await put(root, "scalar", { type: int(8), shape: [] }, { kind: "fixed", values: Int8Array.of(1) });
    };
    const v2 = await written({ compression }, fill);
    expect(v2.document("n/.zarray")).toMatchObject({ compressor });
    expect(v2.document("plain/.zarray")).toMatchObject({ compressor: null });
    expect(v2.document("scalar/.zarray")).toMatchObject({ compressor: null, shape: [], chunks: [] });
    const v3 = await written({ version: 3, compression }, fill);
    expect(v3.document("n/zarr.json")).toMatchObject({
      chunk_grid: { name: "regular", configuration: { chunk_shape: [2] } },
      codecs: [
        {
          name: "sharding_indexed",
          configuration: {
            chunk_shape: [2],
            codecs: [{ name: "bytes", configuration: { endian: "little" } }, ...numbers],
            index_codecs: [{ name: "bytes", configuration: { endian: "little" } }, { name: "crc32c" }],
            index_location: "end",
          },
        },
      ],
    });
    expect(v3.document("t/zarr.json")).toMatchObject({
      codecs: [{ configuration: { codecs: [{ name: "vlen-utf8", configuration: {} }, ...strings] } }],
    });
    expect(v3.document("scalar/zarr.json")).toMatchObject({ codecs: [{ name: "bytes" }] });
  });
});

describe("attributes", () => {
  const number = (type: StoredType, values: Float64Array | Float32Array | BigInt64Array | Uint16Array) =>
    attribute(type, { kind: "fixed", values }, values.length === 1 ? [] : [values.length]);

  it("are the JSON that Python reads the same values from", async () => {
    const store = await written({}, async ({ root }) => {
      const group = await root.group("g", texts({ text: 'é \0 "q"' }));
      group.attribute("int", number({ kind: "int", bits: 64, signed: true }, BigInt64Array.of(2n ** 63n - 1n)));
      group.attribute("float", number({ kind: "float", bits: 64 }, Float64Array.of(1, -0, 0.1, 1e300, 1e16)));
      group.attribute("single", number({ kind: "float", bits: 32 }, Float32Array.of(2)));
      group.attribute("half", number({ kind: "float", bits: 16 }, Uint16Array.of(0x3c00)));
      group.attribute("special", number({ kind: "float", bits: 64 }, Float64Array.of(Number.NaN, -1 / 0, 1 / 0)));
      group.attribute("flags", attribute({ kind: "bool" }, { kind: "fixed", values: Uint8Array.of(1, 0) }, [2]));
      group.attribute("none", { type: TEXT, shape: null, values: null });
      group.attribute("empty", attribute(TEXT, textOf([]), [0]));
      group.attribute("texts", attribute(TEXT, textOf(["a", "b"]), [2, 1]));
      group.attribute("__proto__", attribute(TEXT, textOf(["p"])));
    });
    expect(store.text("g/.zattrs")).toBe(
      '{"text": "é \\u0000 \\"q\\"", "int": 9223372036854775807, "float": [1.0, -0.0, 0.1, 1e+300, 10000000000000000.0], ' +
        '"single": 2.0, "half": 1.0, "special": [NaN, -Infinity, Infinity], "flags": [true, false], "none": null, ' +
        '"empty": [], "texts": [["a"], ["b"]], "__proto__": "p"}',
    );
  });

  it("JSON has nothing for some types", async () => {
    const complex = attribute({ kind: "complex", bits: 64 }, { kind: "fixed", values: Float32Array.of(1, 2) });
    await expect(
      written({}, async ({ root }) => {
        root.attribute("c", complex);
      }),
    ).rejects.toThrow('attribute "c" is of type complex, which JSON has nothing for');
  });
});

describe("groups and consolidated metadata", () => {
  const fill = async ({ root }: ContainerWriter) => {
    const obs = await root.group("obs", texts({ "encoding-type": "dataframe" }));
    await putTexts(obs, "_index", ["a"], { attributes: texts({ "encoding-type": "string-array" }) });
    await putNumbers(obs, "n", Int32Array.of(1));
    await root.group("uns");
    obs.attribute("late", attribute(TEXT, textOf(["yes"])));
    root.attribute("encoding-type", attribute(TEXT, textOf(["anndata"])));
  };

  it("version 2 has .zmetadata with every document", async () => {
    const store = await written({}, fill);
    expect(store.document(".zgroup")).toEqual({ zarr_format: 2 });
    expect(store.document(".zattrs")).toEqual({ "encoding-type": "anndata" });
    expect(store.document("obs/.zattrs")).toEqual({ "encoding-type": "dataframe", late: "yes" });
    const documents = [...store.keys.keys()].filter((key) => /\.z(?!metadata)/.test(key));
    expect(documents.sort()).toEqual(
      [".zattrs", ".zgroup", "obs/.zattrs", "obs/.zgroup", "obs/_index/.zarray", "obs/_index/.zattrs"].concat([
        "obs/n/.zarray",
        "uns/.zgroup",
      ]),
    );
    expect(store.document(".zmetadata")).toEqual({
      zarr_consolidated_format: 1,
      metadata: Object.fromEntries(documents.map((key) => [key, store.document(key)])),
    });
  });

  it("version 3 has it inline in the root", async () => {
    const store = await written({ version: 3 }, fill);
    const nodes = ["obs", "obs/_index", "obs/n", "uns"];
    expect(store.document("zarr.json")).toEqual({
      attributes: { "encoding-type": "anndata" },
      zarr_format: 3,
      node_type: "group",
      consolidated_metadata: {
        kind: "inline",
        must_understand: false,
        metadata: Object.fromEntries(nodes.map((node) => [node, store.document(`${node}/zarr.json`)])),
      },
    });
    expect(store.document("uns/zarr.json")).toEqual({ attributes: {}, zarr_format: 3, node_type: "group" });
  });

  it.each([2, 3] as const)(
    "in version %i the root is the last of all, children come before parents",
    async (version) => {
      const keys = [...(await written({ version }, fill)).keys.keys()];
      const at = (path: string) => keys.indexOf(`${path}/${version === 2 ? ".zgroup" : "zarr.json"}`);
      const chunk = keys.findIndex((key) => key.startsWith("obs/n/") && !key.includes("z"));
      const document = keys.indexOf(version === 2 ? "obs/n/.zarray" : "obs/n/zarr.json");
      expect(chunk).toBeLessThan(document);
      expect(document).toBeLessThan(at("obs"));
      expect(keys[keys.length - 1]).toBe(version === 2 ? ".zgroup" : "zarr.json");
    },
  );

  it("a null dataspace is a bool without a chunk, as anndata writes null", async () => {
    const fillNull = async ({ root }: ContainerWriter) => {
      await (await root.array("n", { type: { kind: "float", bits: 32 }, shape: null })).close();
    };
    const v2 = await written({}, fillNull);
    expect(v2.document("n/.zarray")).toMatchObject({ shape: [], chunks: [], dtype: "|b1", fill_value: false });
    expect([...v2.keys.keys()].filter((key) => key.startsWith("n/"))).toEqual(["n/.zarray"]);
    const v3 = await written({ version: 3 }, fillNull);
    expect(v3.document("n/zarr.json")).toMatchObject({ shape: [], data_type: "bool", fill_value: false });
  });
});
