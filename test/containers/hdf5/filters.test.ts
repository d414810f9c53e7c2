import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { areDecodable, decodeChunk } from "../../../src/containers/hdf5/chunks/filters.js";
import { openHdf5 } from "../../../src/containers/hdf5/container.js";
import type { Container } from "../../../src/containers/tree/container.js";
import { viewAsBytes } from "../../../src/model/stored.js";
import { replacePlatform } from "../../platform.js";
import { bytesSource, openArray } from "./fixture.js";

/** Made by make_filters.py; every array holds the values of the same formula. */
const file = new Uint8Array(gunzipSync(readFileSync("test/fixtures/data/hdf5/filters.h5.gz")));
const value = (i: number) => Math.floor(i / 40) * 5 + (i % 6);

let container: Container;
let names: readonly string[];
beforeAll(async () => {
  container = await openHdf5(bytesSource(file, "filters.h5"));
  names = (await container.root.keys()).filter((name) => !name.endsWith(".constant"));
});

afterEach(() => {
  replacePlatform();
});

async function checkValues(name: string): Promise<void> {
  const array = await openArray(container, name);
  const rows = array.shape?.[0] ?? 0;
  const columns = (array.shape ?? []).slice(1).reduce((a, b) => a * b, 1);
  for (const [start, end] of [
    [0, rows],
    [rows - 3, rows],
    [1, 2],
  ]) {
    const found = await array.read(start, end);
    if (found.kind !== "fixed") throw new Error("not fixed");
    const { values } = found;
    expect(values.length).toBe((end - start) * columns);
    const expected = values.slice();
    for (let i = 0; i < expected.length; i++) expected[i] = value(start * columns + i);
    expect(Buffer.compare(viewAsBytes(values), viewAsBytes(expected)), name).toBe(0);
  }
}

test("filters with every compressor, block size and element size are undone", async () => {
  replacePlatform({ zstd: null });
  expect(names.length).toBe(117);
  for (const name of names) await checkValues(name);
});

test.each([
  ["blosc2_zeros.constant", 0],
  ["blosc2_sevens.constant", 7],
])("%s is one value", async (name, value) => {
  const found = await (await openArray(container, name)).read(0, 1000);
  expect(found).toEqual({ kind: "fixed", values: new Int32Array(1000).fill(value) });
});

test("with what Node has", async () => {
  for (const name of names.filter((name) => /z/.test(name))) await checkValues(name);
});

/** Numbers from The HDF Group's registry of filter plugins. */
const FILTER = { bzip2: 307, blosc: 32001, lz4: 32004, bitshuffle: 32008, zstd: 32015 } as const;

interface Stored {
  readonly name: string;
  readonly id: number;
  readonly values: readonly number[];
  readonly bytes: Uint8Array;
}

const SIZE = 64;
const raw = Uint8Array.from({ length: SIZE }, (_, i) => i % 11);
const be64 = (n: number) => [0, 0, 0, 0, n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255];
const be32 = (n: number) => be64(n).slice(4);
const le32 = (n: number) => be32(n).reverse();
/** One LZ4 block of literals only. */
const literals = (bytes: Uint8Array) => [0xf0, bytes.length - 15, ...bytes];

/** Frames written by hand from the formats' descriptions, of `raw`. */
const FRAMES: readonly Stored[] = [
  {
    name: "lz4, stored",
    id: FILTER.lz4,
    values: [],
    bytes: Uint8Array.from([...be64(SIZE), ...be32(SIZE), ...be32(SIZE), ...raw]),
  },
  {
    name: "lz4, literals",
    id: FILTER.lz4,
    values: [],
    bytes: Uint8Array.from([...be64(SIZE), ...be32(100), ...be32(SIZE + 2), ...literals(raw)]),
  },
  {
    name: "blosc, stored",
    id: FILTER.blosc,
    values: [],
    bytes: Uint8Array.from([2, 1, 2, 4, ...le32(SIZE), ...le32(SIZE), ...le32(SIZE + 16), ...raw]),
  },
  {
    name: "blosc, lz4",
    id: FILTER.blosc,
    values: [],
    bytes: Uint8Array.from([
      2,
      1,
      0x20,
      1,
      ...le32(SIZE),
      ...le32(SIZE),
      ...le32(90),
      ...le32(20),
      ...le32(66),
      ...literals(raw),
    ]),
  },
];

describe.each(FRAMES)("$name", ({ id, values, bytes }) => {
  const decode = (stored: Uint8Array, size = SIZE) => decodeChunk(stored, [{ id, values }], 0, size, 4);

  test("gives the chunk", async () => {
    expect(await decode(bytes)).toEqual(raw);
  });

  test("is refused where it is cut off anywhere", async () => {
    for (let end = 0; end < bytes.length; end++) {
      await expect(decode(bytes.subarray(0, end))).rejects.toMatchObject({ tag: "InvalidDataError" });
    }
  });

  test.each([SIZE - 1, SIZE + 1, 0, 2 ** 30])("is refused for a chunk of %d bytes", async (size) => {
    await expect(decode(bytes, size)).rejects.toMatchObject({ tag: "InvalidDataError" });
  });

  test("with any byte changed gives 64 bytes or an error", async () => {
    for (let i = 0; i < bytes.length; i++) {
      for (const byte of [0, 1, 127, 128, 255]) {
        const changed = bytes.slice();
        changed[i] = byte;
        const result = await decode(changed).catch((error: unknown) => error);
        if (result instanceof Uint8Array) expect(result.length).toBe(SIZE);
        else expect(result).toMatchObject({ tag: "InvalidDataError" });
      }
    }
  });
});

test("every filter's frames of the file, damaged, give the chunk's size or an error", async () => {
  const array = await openArray(container, "blosc_zstd_1.i4");
  expect(array.shape).toEqual([1003]);
  for (const id of [FILTER.bzip2, FILTER.blosc, FILTER.lz4, FILTER.bitshuffle, FILTER.zstd]) {
    expect(areDecodable([{ id, values: [] }])).toBe(true);
    for (const bytes of [new Uint8Array(0), new Uint8Array(16), new Uint8Array(4096).fill(255)]) {
      const filter = { id, values: [0, 4, 4, 0, 2] };
      await expect(decodeChunk(bytes, [filter], 0, 4096, 4)).rejects.toMatchObject({ tag: "InvalidDataError" });
    }
  }
});

test("a compressor behind another one", async () => {
  const lz4 = FRAMES[1];
  const stored = [...be64(lz4.bytes.length), ...be32(200), ...be32(lz4.bytes.length), ...lz4.bytes];
  const filters = [lz4, lz4].map(({ id, values }) => ({ id, values }));
  expect(await decodeChunk(Uint8Array.from(stored), filters, 0, SIZE, 4)).toEqual(raw);
});
