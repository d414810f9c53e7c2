import Blosc from "numcodecs/blosc";
import Gzip from "numcodecs/gzip";
import Lz4 from "numcodecs/lz4";
import Zlib from "numcodecs/zlib";
import Zstd from "numcodecs/zstd";
import { describe, expect, test } from "vitest";
import { CODECS } from "../../../src/kernels/codecs/codecs.js";

const plain = new Uint8Array(40_000).map((_, i) => (i * i) >> 7);
const size = { bytes: plain.length, exact: true };

/** What other programs write, and the names that HDF5 and Zarr have for it. */
const STREAMS: readonly (readonly [name: string, stored: Uint8Array, names: readonly (number | string)[]])[] = [
  ["zlib", await Zlib.fromConfig({ id: "zlib" }).encode(plain), [1, "zlib", "numcodecs.zlib"]],
  ["gzip", await Gzip.fromConfig({ id: "gzip" }).encode(plain), ["gzip", "numcodecs.gzip"]],
  ["blosc", await Blosc.fromConfig({ id: "blosc" }).encode(plain), [32001, "blosc", "numcodecs.blosc"]],
  ["zstd", await Zstd.fromConfig({ id: "zstd" }).encode(plain), [32015, "zstd", "numcodecs.zstd"]],
  ["lz4", await Lz4.fromConfig({ id: "lz4" }).encode(plain), ["lz4", "numcodecs.lz4"]],
];

const settings = { values: [], options: {}, itemBytes: 4 };

describe.each(STREAMS)("%s", (_, stored, names) => {
  test.each(names)("is undone by the name %s", async (name) => {
    const codec = (await CODECS.get(name)?.())?.(settings);
    expect(codec?.encodedSize(plain.length)).toBeNull();
    expect(Buffer.compare((await codec?.decode(stored, size)) ?? new Uint8Array(), plain)).toBe(0);
  });

  test.each(names)("is refused by the name %s where it gives another number of bytes", async (name) => {
    const refused = expect.objectContaining({ tag: "InvalidDataError" });
    const codec = (await CODECS.get(name)?.())?.(settings);
    for (const bytes of [plain.length - 1, 100_000_000]) {
      await expect(async () => codec?.decode(stored, { bytes, exact: true })).rejects.toThrow(refused);
    }
  });
});

test("codecs of numcodecs have their names of Zarr v3, too", () => {
  // numcodecs 0.16, numcodecs.zarr3; "delta" and others that need types of values are Zarr's own.
  const names = "blosc bz2 crc32 crc32c adler32 fletcher32 gzip lz4 lzma shuffle zlib zstd bitround".split(" ");
  for (const name of names)
    expect([name, CODECS.has(name), CODECS.has(`numcodecs.${name}`)]).toEqual([name, true, true]);
});
