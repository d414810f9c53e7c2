/** Codecs that a program registers, in Zarr and in HDF5. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, inflateSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import { openHdf5 } from "../../../src/containers/hdf5/container.js";
import type { StoredArray } from "../../../src/containers/tree/container.js";
import { openZarr } from "../../../src/containers/zarr/open.js";
import { type MakeCodec, registerCodec } from "../../../src/format.js";
import { openDirectorySource } from "../../../src/io/sources/directory.node.js";
import { openFileSource } from "../../../src/io/sources/file.node.js";
import { GZIP, written } from "../../containers/hdf5/write/written.js";

const folder = mkdtempSync(join(tmpdir(), "codec-"));
afterAll(() => rmSync(folder, { recursive: true }));

const loads: string[] = [];
const brotli: MakeCodec = () => ({
  encodedSize: () => null,
  decode: (bytes, size) => new Uint8Array(brotliDecompressSync(bytes, { maxOutputLength: Math.max(size.bytes, 1) })),
});

registerCodec("test.brotli", async () => {
  loads.push("test.brotli");
  return brotli;
});
/** Adds `configuration.key` to each byte: its settings and its size are used. */
registerCodec("test.add", () => ({ options: { key } }) => ({
  encodedSize: (decoded) => decoded,
  decode: (bytes) => bytes.map((byte) => byte + Number(key)),
}));

const values = Int32Array.from({ length: 6 }, (_, i) => i * 2 ** 20 - 7);
const plain = new Uint8Array(values.buffer);
const LITTLE = { name: "bytes", configuration: { endian: "little" } };
const BROTLI = { name: "test.brotli", configuration: {} };

function writeStore(name: string, files: Readonly<Record<string, unknown>>): string {
  const store = join(folder, name);
  for (const [key, value] of Object.entries(files)) {
    mkdirSync(dirname(join(store, key)), { recursive: true });
    writeFileSync(join(store, key), value instanceof Uint8Array ? value : JSON.stringify(value));
  }
  return store;
}

const version3 = (codecs: readonly unknown[], chunk: Uint8Array) => ({
  "zarr.json": { zarr_format: 3, node_type: "group" },
  "x/zarr.json": {
    ...{ zarr_format: 3, node_type: "array", shape: [6], data_type: "int32", fill_value: 0, codecs },
    ...{
      chunk_grid: { name: "regular", configuration: { chunk_shape: [6] } },
      chunk_key_encoding: { name: "default" },
    },
  },
  "x/c/0": chunk,
});

const version2 = (compressor: string, chunk: Uint8Array) => ({
  ".zgroup": { zarr_format: 2 },
  "x/.zarray": {
    ...{ zarr_format: 2, shape: [6], chunks: [6], dtype: "<i4", order: "C", fill_value: 0, filters: null },
    compressor: { id: compressor },
  },
  "x/0": chunk,
});

async function openArray(store: string): Promise<StoredArray> {
  const node = await (await openZarr(await openDirectorySource(store))).root.open("x");
  if (node.kind !== "array") throw new Error("no array");
  return node;
}

describe("a registered codec of Zarr", () => {
  test.each([
    ["version 3", version3([LITTLE, BROTLI], brotliCompressSync(plain))],
    ["version 2", version2("test.brotli", brotliCompressSync(plain))],
    [
      "its configuration",
      version3(
        [LITTLE, { name: "test.add", configuration: { key: 3 } }, BROTLI],
        brotliCompressSync(plain.map((byte) => byte - 3)),
      ),
    ],
  ])("decodes chunks: %s", async (name, files) => {
    const array = await openArray(writeStore(name, files));
    expect(await array.read(0, 6)).toEqual({ kind: "fixed", values });
    expect(await array.read(2, 4)).toEqual({ kind: "fixed", values: values.slice(2, 4) });
    // Workers do not have it.
    expect(array.plan).toBeUndefined();
    expect((await openArray(writeStore("usual", version3([LITTLE], plain)))).plan).toBeDefined();
  });

  test("is loaded once", () => {
    expect(loads).toEqual(["test.brotli"]);
  });

  test("inside shards is decoded by the thread that opened the store, too", async () => {
    const sharding = {
      name: "sharding_indexed",
      configuration: { chunk_shape: [6], codecs: [LITTLE, BROTLI], index_codecs: [LITTLE], index_location: "end" },
    };
    const chunk = brotliCompressSync(plain);
    const index = new Uint8Array(new BigUint64Array([0n, BigInt(chunk.length)]).buffer);
    const array = await openArray(writeStore("shards", version3([sharding], Buffer.concat([chunk, index]))));
    expect(array.plan).toBeUndefined();
    expect(await array.read(0, 6)).toEqual({ kind: "fixed", values });
  });

  test("is not asked for more than a chunk can have", async () => {
    const bomb = brotliCompressSync(new Uint8Array(2 ** 16));
    const codecs = [LITTLE, { name: "test.add", configuration: { key: 0 } }, BROTLI];
    const array = await openArray(writeStore("bomb", version3(codecs, bomb)));
    await expect(array.read(0, 6)).rejects.toMatchObject({ tag: "InvalidDataError", element: "x" });
  });

  test("is read by open", async () => {
    const data = await open(writeStore("opened", version3([LITTLE, BROTLI], brotliCompressSync(plain))), {
      openAs: "zarr",
    });
    const found: unknown[] = [];
    for await (const batch of data.table("x").batches()) found.push(...(batch.getChildAt(0) ?? []));
    expect(found).toEqual([...values]);
    await data.close();
  });
});

test("a registered filter of HDF5 decodes chunks", async () => {
  const INT32 = { kind: "int", bits: 32, signed: true } as const;
  const bytes = await written(
    async ({ root }) => {
      const array = await root.array("x", { type: INT32, shape: [null], chunks: [6] });
      await array.write({ kind: "fixed", values }, 6);
      await array.close();
    },
    { compression: GZIP },
  );
  // The message of the filters: version 1 with one filter, whose number 1 becomes 257.
  const at = Buffer.from(bytes).indexOf(Buffer.from([1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 8, 0]));
  expect(at).toBeGreaterThan(0);
  bytes[at + 9] = 1;
  const path = join(folder, "filter.h5");
  writeFileSync(path, bytes);
  const openX = async () => {
    const node = await (await openHdf5(await openFileSource(path))).root.open("x");
    if (node.kind !== "array") throw new Error("no array");
    return node;
  };
  await expect((await openX()).read(0, 6)).rejects.toMatchObject({ tag: "UnsupportedError" });
  registerCodec(257, () => () => ({
    encodedSize: () => null,
    decode: (stored, size) => new Uint8Array(inflateSync(stored, { maxOutputLength: size.bytes })),
  }));
  const array = await openX();
  expect(await array.read(0, 6)).toEqual({ kind: "fixed", values });
  expect(array.plan).toBeUndefined();
});

test.each([1, 32000, "gzip", "numcodecs.zstd", "delta", "bytes", "sharding_indexed", "test.brotli"])(
  "the name %s has a codec already",
  (name) => {
    expect(() => registerCodec(name, () => brotli)).toThrow(
      expect.objectContaining({ tag: "InvalidInputError", message: `there is a codec ${name} already` }),
    );
  },
);
