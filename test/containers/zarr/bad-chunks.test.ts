import { deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { crc32c } from "../../../src/kernels/checksums/checksums.js";
import { InvalidDataError } from "../../../src/model/errors.js";
import { arrayAt, openMap, readAll, storeEntries } from "./stores.js";

type Change = (bytes: Uint8Array) => Uint8Array;

const cut: Change = (bytes) => bytes.slice(0, -5);
const longer: Change = (bytes) => Uint8Array.from([...bytes, 0, 0, 0, 0]);
const empty: Change = () => new Uint8Array(0);
const flip =
  (at: number): Change =>
  (bytes) => {
    const changed = bytes.slice();
    changed[at < 0 ? bytes.length + at : at] ^= 0xff;
    return changed;
  };
const u32 =
  (at: number, value: number): Change =>
  (bytes) => {
    const changed = bytes.slice();
    new DataView(changed.buffer).setUint32(at, value, true);
    return changed;
  };

async function readChanged(version: "v2" | "v3", path: string, chunk: string, change: Change): Promise<unknown> {
  const entries = await storeEntries(version);
  const key = `${path}/${chunk}`;
  const bytes = entries.get(key);
  if (bytes === undefined) throw new Error(`no ${key}`);
  entries.set(key, change(bytes));
  return readAll(await arrayAt(await openMap(entries), path));
}

async function expectNamed(reading: Promise<unknown>, path: string, message: string): Promise<void> {
  await expect(reading).rejects.toThrow(InvalidDataError);
  await expect(reading).rejects.toThrow(`test: ${path}: `);
  await expect(reading).rejects.toThrow(message);
}

describe("changed chunks are errors", () => {
  const v2 = [
    "special_f8 special_f4 vlen_utf8 vlen_bytes codec_zstd codec_zstd_checksum codec_gzip codec_zlib codec_lz4 codec_bz2 codec_lzma",
    "codec_lzma_crc32 blosc_lz4_1 blosc_zstd_2 blosc_blosclz_0 blosc_zlib_1 filter_delta filter_shuffle filter_packbits",
    "filter_crc32_ filter_adler32_ filter_crc32c_ filter_fletcher32_ json2 vlen_gzip vlen_zlib vlen_lzma vlen_bz2",
  ];
  for (const path of v2.join(" ").split(" ")) {
    it.each([
      ["cut short", cut],
      ["empty", empty],
    ])(`${path} %s`, async (_, change) => {
      await expectNamed(readChanged("v2", path, "0", change), path, "chunk");
    });
  }

  it.each([
    ["special_f8", "chunk special_f8/0: 28 bytes, expected 24"],
    ["vlen_utf8", "4 bytes follow the last of 5 items"],
  ])("%s with bytes behind it", async (path, message) => {
    await expectNamed(readChanged("v2", path, "0", longer), path, message);
  });

  it.each([
    ["codec_gzip", -6, "chunk"],
    ["codec_zlib", -1, "chunk"],
    ["codec_bz2", 12, "chunk"],
    ["codec_lzma", -12, "chunk"],
    ["codec_zstd_checksum", -1, "chunk"],
    ["filter_crc32_", 100, "CRC-32"],
    ["filter_adler32_", 100, "Adler-32"],
    ["filter_crc32c_", 100, "CRC-32C"],
    ["filter_fletcher32_", 100, "Fletcher-32"],
    ["filter_fletcher32_", -1, "Fletcher-32"],
  ])("%s with a changed byte", async (path, at, message) => {
    await expectNamed(readChanged("v2", path, "0", flip(at)), path, message);
  });

  it.each([
    ["codec_gzip", (bytes: Uint8Array) => gzipSync(bytes.subarray(0, 0)), "0 bytes, expected 2800"],
    ["codec_gzip", () => gzipSync(new Uint8Array(50_000_000)), "2800"],
    ["codec_zlib", () => deflateSync(new Uint8Array(50_000_000)), "2800"],
    ["vlen_zlib", () => deflateSync(new Uint8Array(10)), "0 items, expected 12"],
  ])("%s with another size inside", async (path, change, message) => {
    await expectNamed(readChanged("v2", path, "0", change), path, message);
  });
});

describe("declared sizes are compared before anything is allocated", () => {
  it.each([
    ["blosc_lz4_1", u32(4, 0xfffffff0), "4294967280 bytes, expected 2800"],
    ["blosc_lz4_1", u32(8, 0xfffffff0), "blosc blocks"],
    ["codec_lz4", u32(0, 0xfffffff0), "4294967280 bytes, expected 2800"],
    // A frame header with eight bytes of content size, then blocks.
    [
      "codec_zstd",
      () => Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 1, 0, 0, 3, 0, 0, 0),
      "1099511627776 bytes, expected 2800",
    ],
    // No content size, and a thousand blocks that each repeat a byte 131,072 times.
    [
      "codec_zstd",
      () => {
        const block = [...new Array(999).fill([2, 0, 16, 7]), [3, 0, 16, 7]].flat();
        return Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, ...block]);
      },
      "can give 131072000 bytes, expected 2800",
    ],
  ])("%s", async (path, change, message) => {
    await expectNamed(readChanged("v2", path, "0", change), path, message);
  });
});

describe("texts", () => {
  it.each([
    ["a count that is too small", u32(0, 4), "4 items, expected 5"],
    ["a count that is too large", u32(0, 0xffffffff), "4294967295 items, expected 5"],
    ["a length beyond the end", u32(8, 0xfffffff0), "item 1 ends at byte"],
    ["lengths that leave no room", u32(8, 30), "item"],
  ])("with %s", async (_, change, message) => {
    await expectNamed(readChanged("v2", "vlen_utf8", "0", change), "vlen_utf8", message);
  });

  it("with a character that Unicode does not have", async () => {
    await expectNamed(
      readChanged("v2", "text_U_le", "0", u32(64, 0xd800)),
      "text_U_le",
      "text 1 has the character 0xd800",
    );
  });

  it("with a code without label", async () => {
    await expectNamed(
      readChanged("v2", "categorize", "0", () => Uint8Array.of(2, 1, 0, 4, 3)),
      "categorize",
      "code 4 of 3",
    );
  });
});

describe("shards", () => {
  const inner = 7;
  const indexSize = 16 * inner + 4;

  /** Changes an entry of the index and makes its checksum right again. */
  function entry(at: number, offset: bigint, length?: bigint): Change {
    return (bytes) => {
      const changed = bytes.slice();
      const view = new DataView(changed.buffer, changed.length - indexSize, indexSize);
      view.setBigUint64(16 * at, offset, true);
      if (length !== undefined) view.setBigUint64(16 * at + 8, length, true);
      view.setUint32(indexSize - 4, crc32c(changed.subarray(-indexSize, -4)), true);
      return changed;
    };
  }

  it.each([
    ["an index with a changed byte", flip(-20), "CRC-32C"],
    ["a wrong checksum", flip(-1), "CRC-32C"],
    ["less than an index", (bytes: Uint8Array) => bytes.slice(0, 50), "index has 50 bytes, expected 116"],
    ["an offset beyond the end", entry(0, 1_000_000n), "inner chunk 0 lies at bytes [1000000"],
    ["a length beyond the end", entry(0, 0n, 60_000n), "inner chunk 0 lies at bytes [0, 60000)"],
    ["a length that no compressor makes", entry(0, 0n, 2n ** 40n), "inner chunk 0 has 1099511627776 bytes"],
    ["an offset of 2^63", entry(3, 2n ** 63n), "inner chunk 3 has"],
    ["another chunk's bytes cut short", entry(1, 0n, 9n), "chunk sharded/c/0"],
    ["a changed inner chunk", flip(3), "chunk sharded/c/0"],
  ])("with %s", async (_, change, message) => {
    await expectNamed(readChanged("v3", "sharded", "c/0", change), "sharded", message);
  });

  it("without checksums verify that of each inner chunk", async () => {
    await expectNamed(readChanged("v3", "sharded_raw", "c/0", flip(3)), "sharded_raw", "CRC-32C");
  });

  it("inside of others are checked too", async () => {
    await expectNamed(readChanged("v3", "sharded_nested", "c/0", flip(410)), "sharded_nested", "CRC-32C");
    await expectNamed(readChanged("v3", "sharded_compressed", "c/0", cut), "sharded_compressed", "chunk");
  });

  it("whose inner chunks do not divide them are refused", async () => {
    const entries = await storeEntries("v3");
    const key = "sharded/zarr.json";
    const text = new TextDecoder().decode(entries.get(key)).replace(/("chunk_shape":\s*\[\s*)50/, "$160");
    entries.set(key, new TextEncoder().encode(text));
    await expectNamed(readAll(await arrayAt(await openMap(entries), "sharded")), "sharded", "inner chunks of [60]");
  });
});
