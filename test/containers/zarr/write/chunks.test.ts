/** Where chunks go and what is in them, byte by byte. */

import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import type { ContainerWriter } from "../../../../src/containers/tree/container-writer.js";
import { openZarr } from "../../../../src/containers/zarr/open.js";
import type { ZarrCompression } from "../../../../src/containers/zarr/write/compression.js";
import { mapSource } from "../../../../src/io/sources/map.js";
import { crc32c } from "../../../../src/kernels/checksums/checksums.js";
import { InvalidDataError, InvalidInputError } from "../../../../src/model/errors.js";
import type { StoredType } from "../../../../src/model/stored.js";
import { TEXT, textOf, variableOf } from "../../../stored-array.js";
import { put, putNumbers, putTexts, written } from "./written.js";

const INT: StoredType = { kind: "int", bits: 32, signed: true };
const int32 = (...values: number[]) => new Uint8Array(Int32Array.from(values).buffer);
const int64 = (...values: bigint[]) => new Uint8Array(BigInt64Array.from(values).buffer);
const ints = (...values: number[]) => ({ kind: "fixed", values: Int32Array.from(values) }) as const;

/** The index of a shard of these [offset, length]s, null where a chunk is missing, with its checksum. */
function index(...chunks: ([number, number] | null)[]): Uint8Array {
  const words = chunks.flatMap((chunk) => (chunk ?? [-1, -1]).map((value) => BigInt.asUintN(64, BigInt(value))));
  const bytes = new Uint8Array(BigUint64Array.from(words).buffer);
  return joined(bytes, new Uint8Array(Uint32Array.of(crc32c(bytes)).buffer));
}

function joined(...parts: Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** A chunk and its crc32c. */
function summed(chunk: Uint8Array): Uint8Array {
  return joined(chunk, new Uint8Array(Uint32Array.of(crc32c(chunk)).buffer));
}

function chunksOf(store: { keys: ReadonlyMap<string, Uint8Array> }, path: string): Record<string, Uint8Array> {
  const prefix = `${path}/`;
  const keys = [...store.keys.keys()].filter((key) => key.startsWith(prefix) && !/\.z|zarr\.json/.test(key));
  return Object.fromEntries(keys.map((key) => [key.slice(prefix.length), Uint8Array.from(store.keys.get(key) ?? [])]));
}

describe("chunks by themselves", () => {
  it("are whole, the last one filled up with zeros", async () => {
    const fill = ({ root }: ContainerWriter) => putNumbers(root, "a", Int32Array.of(1, 2, 3, 4, 5), { chunks: [2] });
    const v2 = await written({}, fill);
    expect(chunksOf(v2, "a")).toEqual({ "0": int32(1, 2), "1": int32(3, 4), "2": int32(5, 0) });
    const v3 = await written({ version: 3, sharding: false }, fill);
    expect(chunksOf(v3, "a")).toEqual({ "c/0": int32(1, 2), "c/1": int32(3, 4), "c/2": int32(5, 0) });
  });

  it("are cut in all dimensions, whatever parts the rows come in", async () => {
    for (const parts of [[3], [1, 1, 1], [2, 1]]) {
      const store = await written({}, async ({ root }) => {
        const array = await root.array("a", { type: INT, shape: [3, 3], chunks: [2, 2] });
        let at = 0;
        for (const rows of parts) {
          await array.write(ints(...Array.from({ length: 3 * rows }, (_, i) => 3 * at + i + 1)), rows);
          at += rows;
        }
        await array.close();
      });
      expect(chunksOf(store, "a")).toEqual({
        "0.0": int32(1, 2, 4, 5),
        "0.1": int32(3, 0, 6, 0),
        "1.0": int32(7, 8, 0, 0),
        "1.1": int32(9, 0, 0, 0),
      });
    }
  });

  it("of texts have the number of items, lengths and bytes; items behind the last are empty", async () => {
    const store = await written({}, ({ root }) => putTexts(root, "t", ["a", "", "é"], { chunks: [2] }));
    expect(chunksOf(store, "t")).toEqual({
      "0": Uint8Array.of(2, 0, 0, 0, 1, 0, 0, 0, 97, 0, 0, 0, 0),
      "1": Uint8Array.of(2, 0, 0, 0, 2, 0, 0, 0, 0xc3, 0xa9, 0, 0, 0, 0),
    });
  });

  it("of records have the fields one after another", async () => {
    const type: StoredType = {
      kind: "record",
      fields: [
        { name: "i", type: { kind: "int", bits: 16, signed: true }, shape: [] },
        {
          name: "u",
          type: { kind: "text", storage: { form: "fixed", encoding: "utf-32", width: 8, padding: "nullpad" } },
          shape: [],
        },
        {
          name: "s",
          type: { kind: "text", storage: { form: "fixed", encoding: "ascii", width: 2, padding: "nullpad" } },
          shape: [],
        },
      ],
    };
    const values = {
      kind: "record",
      length: 2,
      fields: [{ kind: "fixed", values: Int16Array.of(1, 2) }, textOf(["é", "\u{1f600}a"]), textOf(["", "xy"])],
    } as const;
    const store = await written({ version: 3 }, ({ root }) => put(root, "r", { type, shape: [2] }, values));
    expect(chunksOf(store, "r")).toEqual({
      "c/0": Uint8Array.of(1, 0, 0xe9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0xf6, 1, 0, 97, 0, 0, 0, 0x78, 0x79),
    });
  });

  it("of nothing but fill values are left out, -0 is none", async () => {
    const store = await written({}, async ({ root }) => {
      await putNumbers(root, "a", Float32Array.of(0, 0, 0, 1, -0, 0), { chunks: [2] });
      await putTexts(root, "t", ["", "", "", "x"], { chunks: [2] });
      await putNumbers(root, "zero", new Float64Array(100));
    });
    expect(Object.keys(chunksOf(store, "a"))).toEqual(["1", "2"]);
    expect(Object.keys(chunksOf(store, "t"))).toEqual(["1"]);
    expect(chunksOf(store, "zero")).toEqual({});
  });

  it("of 64-bit integers are always there in version 2", async () => {
    // zarrita 0.5 and 0.6.0: "Cannot convert 0 to a BigInt" where such a chunk is missing; of version 3 they fill it.
    const fill = async ({ root }: ContainerWriter) => {
      await putNumbers(root, "i", BigInt64Array.of(0n, 0n, 1n, 0n, 0n), { chunks: [2] });
      await putNumbers(root, "u", new BigUint64Array(3));
      await putNumbers(root, "n", new BigInt64Array(0));
    };
    const v2 = await written({}, fill);
    expect(chunksOf(v2, "i")).toEqual({ "0": int64(0n, 0n), "1": int64(1n, 0n), "2": int64(0n, 0n) });
    expect(chunksOf(v2, "u")).toEqual({ "0": int64(0n, 0n, 0n) });
    expect(chunksOf(v2, "n")).toEqual({});
    const v3 = await written({ version: 3, sharding: false }, fill);
    expect(Object.keys(chunksOf(v3, "i"))).toEqual(["c/1"]);
    expect(chunksOf(v3, "u")).toEqual({});
  });

  it("of scalars are always there", async () => {
    const fill = async ({ root }: ContainerWriter) => {
      await put(root, "i", { type: INT, shape: [] }, ints(0));
      await put(root, "t", { type: TEXT, shape: [] }, textOf([""]));
    };
    const v2 = await written({}, fill);
    expect([chunksOf(v2, "i"), chunksOf(v2, "t")]).toEqual([
      { "0": int32(0) },
      { "0": Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0) },
    ]);
    const v3 = await written({ version: 3 }, fill);
    expect(chunksOf(v3, "i")).toEqual({ c: int32(0) });
  });
});

describe("shards", () => {
  it("have the chunks, their places, and the checksum of these", async () => {
    const store = await written({ version: 3 }, ({ root }) =>
      putNumbers(root, "a", Int32Array.of(1, 2, 0, 0, 5), { chunks: [2] }),
    );
    expect(chunksOf(store, "a")).toEqual({
      "c/0": joined(summed(int32(1, 2)), summed(int32(5, 0)), index([0, 12], null, [12, 12])),
    });
    expect(store.document("a/zarr.json")).toMatchObject({
      chunk_grid: { configuration: { chunk_shape: [6] } },
      codecs: [{ name: "sharding_indexed", configuration: { chunk_shape: [2] } }],
    });
  });

  it("span all columns, their chunks in C order", async () => {
    const store = await written({ version: 3 }, ({ root }) =>
      put(root, "a", { type: INT, shape: [3, 3], chunks: [2, 2] }, ints(1, 2, 3, 4, 5, 6, 7, 8, 9)),
    );
    const chunks = [int32(1, 2, 4, 5), int32(3, 0, 6, 0), int32(7, 8, 0, 0), int32(9, 0, 0, 0)].map(summed);
    expect(chunksOf(store, "a")).toEqual({
      "c/0/0": joined(...chunks, index([0, 20], [20, 20], [40, 20], [60, 20])),
    });
    expect(store.document("a/zarr.json")).toMatchObject({ chunk_grid: { configuration: { chunk_shape: [4, 4] } } });
  });

  it.each<ZarrCompression>([
    { kind: "none" },
    { kind: "gzip", level: 1 },
    { kind: "zstd", level: 3 },
    { kind: "blosc", cname: "lz4", clevel: 5, shuffle: "byte" },
  ])("give no other values once a bit of them has changed: %j", async (compression) => {
    const values = Int32Array.from({ length: 100 }, (_, i) => i * i);
    const store = await written({ version: 3, compression }, async ({ root }) => {
      await putNumbers(root, "n", values, { chunks: [25] });
      await putTexts(root, "t", ["MYL9", "GAPDH", "ACTB"]);
    });
    const expected: Readonly<Record<string, unknown>> = {
      n: { kind: "fixed", values },
      t: textOf(["MYL9", "GAPDH", "ACTB"]),
    };
    const wrong: string[] = [];
    for (const name of ["n", "t"]) {
      const key = `${name}/c/0`;
      const shard = store.keys.get(key) ?? new Uint8Array(0);
      for (let at = 0; at < shard.length; at += 3) {
        const changed = shard.slice();
        changed[at] ^= 1 << (at % 8);
        const container = await openZarr(mapSource(new Map([...store.keys, [key, changed]]), "changed"));
        const array = await container.root.open(name);
        if (array.kind !== "array") throw new Error("no array");
        const rows = array.shape?.[0] ?? 0;
        // Some bits of gzip's header mean nothing.
        const found = await array.read(0, rows).catch((error: unknown) => error);
        if (!(found instanceof InvalidDataError || isDeepStrictEqual(found, expected[name])))
          wrong.push(`${name} ${at}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("without any chunk are left out", async () => {
    const store = await written({ version: 3 }, ({ root }) => putNumbers(root, "a", new Int32Array(10)));
    expect(chunksOf(store, "a")).toEqual({});
  });

  it("follow one another; the last has places for chunks beyond the array", async () => {
    const rows = 65_536 + 1;
    const store = await written({ version: 3 }, ({ root }) =>
      putNumbers(root, "a", new Uint8Array(rows).fill(7), { chunks: [1] }),
    );
    const { "c/0": first, "c/1": second } = chunksOf(store, "a");
    expect(first.length).toBe(65_536 * 21 + 4);
    expect(second.length).toBe(5 + 65_536 * 16 + 4);
    expect(store.document("a/zarr.json")).toMatchObject({ chunk_grid: { configuration: { chunk_shape: [65_536] } } });
    const array = await (await store.open()).root.open("a");
    if (array.kind !== "array") throw new Error("no array");
    expect(await array.read(65_530, rows)).toEqual({ kind: "fixed", values: new Uint8Array(7).fill(7) });
  });
});

describe("an unknown number of rows", () => {
  it.each([2, 3] as const)("is told by the document of version %i, with chunks that fit", async (version) => {
    const store = await written({ version }, async ({ root }) => {
      await put(root, "n", { type: INT, shape: [null] }, ints(1, 2, 3), 3);
      await put(root, "m", { type: INT, shape: [null, 2] }, ints(1, 2), 1);
      await put(root, "t", { type: TEXT, shape: [null] }, textOf(["a", "b"]), 2);
      await (await root.array("none", { type: INT, shape: [null] })).close();
      await put(root, "given", { type: INT, shape: [null], chunks: [2] }, ints(1, 2, 3), 3);
    });
    const shapes: Record<string, [number[], number[]]> = {
      n: [[3], [3]],
      m: [
        [1, 2],
        [1, 2],
      ],
      t: [[2], [2]],
      none: [[0], [1]],
      given: [[3], [2]],
    };
    for (const [name, [shape, chunks]] of Object.entries(shapes)) {
      const expected =
        version === 2
          ? { shape, chunks }
          : { shape, codecs: [{ configuration: { chunk_shape: chunks } }], chunk_grid: expect.anything() };
      expect(store.document(`${name}/${version === 2 ? ".zarray" : "zarr.json"}`)).toMatchObject(expected);
    }
    if (version === 3)
      expect(store.document("given/zarr.json")).toMatchObject({ chunk_grid: { configuration: { chunk_shape: [4] } } });
  });

  it("long texts end the first chunk early, and so all others", async () => {
    const long = "x".repeat(1_500_000);
    const store = await written({}, async ({ root }) => {
      const array = await root.array("t", { type: TEXT, shape: [null] });
      for (let i = 0; i < 7; i++) await array.write(textOf([long]), 1);
      await array.close();
    });
    expect(store.document("t/.zarray")).toMatchObject({ shape: [7], chunks: [3] });
    expect(Object.keys(chunksOf(store, "t"))).toEqual(["0", "1", "2"]);
  });
});

describe("what does not fit", () => {
  const one = async (fill: (container: ContainerWriter) => Promise<unknown>) => {
    await written({}, async (container) => {
      await fill(container);
    });
  };

  it.each([
    ["values of another type", { kind: "fixed", values: Float32Array.of(1, 2) }, 2],
    ["too few values", ints(1), 2],
    ["texts", textOf(["a", "b"]), 2],
    ["more rows", ints(1, 2, 3), 3],
  ] as const)("%s", async (_, values, rows) => {
    await expect(one(({ root }) => put(root, "a", { type: INT, shape: [2] }, values, rows))).rejects.toThrow(TypeError);
  });

  it("missing rows, and open arrays", async () => {
    await expect(one(({ root }) => put(root, "a", { type: INT, shape: [3] }, ints(1, 2), 2))).rejects.toThrow(
      new TypeError("a has 3 rows, 2 are written"),
    );
    await expect(one(({ root }) => root.array("a", { type: INT, shape: [0] }))).rejects.toThrow("a is not closed");
  });

  it("anything after the end", async () => {
    const ended: ContainerWriter[] = [];
    await written({}, async (container) => {
      ended.push(container);
      const array = await container.root.array("a", { type: INT, shape: [0] });
      await array.close();
      await expect(array.close()).rejects.toThrow("a is closed");
      await expect(array.write(ints(), 0)).rejects.toThrow("a is closed");
    });
    await expect(ended[0].root.group("x")).rejects.toThrow("map is closed");
    await expect(ended[0].close()).rejects.toThrow("map is closed");
  });

  it.each([[[3, 1]], [[0]], [[1.5]], [[]]])("chunks %j for one dimension", async (chunks) => {
    const array = one(({ root }) => root.array("a", { type: INT, shape: [3], chunks }));
    await expect(array).rejects.toThrow(InvalidInputError);
    await expect(array).rejects.toThrow(`map: a: chunks [${chunks.join(", ")}] for an array of shape [3]`);
  });

  it("chunks that are too large", async () => {
    await expect(one(({ root }) => root.array("a", { type: INT, shape: [null], chunks: [2 ** 29] }))).rejects.toThrow(
      `take ${2 ** 31} bytes, at most ${2 ** 30}`,
    );
  });

  it("text that is not UTF-8", async () => {
    const bad = variableOf([Uint8Array.of(97), Uint8Array.of(0xff)]);
    await expect(one(({ root }) => put(root, "t", { type: TEXT, shape: [2] }, bad))).rejects.toThrow(
      new InvalidDataError("text 1 is not UTF-8", { source: "map", element: "t" }),
    );
    const fixed = { form: "fixed", encoding: "utf-32", width: 8, padding: "nullpad" } as const;
    const type: StoredType = { kind: "text", storage: fixed };
    await expect(one(({ root }) => put(root, "t", { type, shape: [2] }, bad))).rejects.toThrow("text 1 is not UTF-8");
    await expect(one(({ root }) => put(root, "t", { type, shape: [1] }, textOf(["abc"])))).rejects.toThrow(
      "text 0 has more than the 2 characters of its type",
    );
  });

  it("bytes are not checked for UTF-8", async () => {
    const bytes = variableOf([Uint8Array.of(0xff)]);
    const store = await written({}, ({ root }) =>
      put(root, "b", { type: { kind: "bytes", width: null }, shape: [1] }, bytes),
    );
    expect(chunksOf(store, "b")).toEqual({ "0": Uint8Array.of(1, 0, 0, 0, 1, 0, 0, 0, 0xff) });
  });
});
