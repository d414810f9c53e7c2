import * as zlib from "node:zlib";
import Zstd from "numcodecs/zstd";
import { afterEach, describe, expect, test } from "vitest";
import { decodeZstd } from "../../../../src/kernels/codecs/zstd/zstd.js";
import { replacePlatform } from "../../../platform.js";

const plain = new Uint8Array(300_000).map((_, i) => (i * i) >> 7);
const encoded = await Zstd.fromConfig({ id: "zstd", level: 1 }).encode(plain);

const decode = async (bytes: Uint8Array, size: number, exact = true) => decodeZstd(bytes, { bytes: size, exact });
const invalid = expect.objectContaining({ tag: "InvalidDataError" });

afterEach(() => replacePlatform());

// Before Node 22.15 both are the same.
describe.each([
  ["in pages", () => replacePlatform({ zstd: null })],
  ["in Node", () => replacePlatform()],
] as const)("%s", (_, choose) => {
  test("a frame gives its bytes", async () => {
    choose();
    expect(Buffer.compare(await decode(encoded, plain.length), plain)).toBe(0);
    expect(Buffer.compare(await decode(encoded, 2 ** 28, false), plain)).toBe(0);
  });

  test("a frame gives its bytes to the memory that is given", async () => {
    choose();
    const target = new Uint8Array(plain.length);
    expect(await decodeZstd(encoded, { bytes: plain.length, exact: true }, target)).toBe(target);
    expect(Buffer.compare(target, plain)).toBe(0);
  });

  test("frames behind each other, one to be skipped among them", async () => {
    choose();
    const skipped = [0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
    const both = Uint8Array.from([...encoded, ...skipped, ...encoded]);
    expect(Buffer.compare(await decode(both, 2 * plain.length), Buffer.concat([plain, plain]))).toBe(0);
  });

  test("a frame of nothing", async () => {
    choose();
    expect(await decode(await Zstd.fromConfig({ id: "zstd" }).encode(new Uint8Array(0)), 0)).toHaveLength(0);
  });

  test.each([0, 299_999, 300_001])("a frame is refused for %d bytes", async (size) => {
    choose();
    await expect(decode(encoded, size)).rejects.toThrow(invalid);
    if (size < plain.length) await expect(decode(encoded, size, false)).rejects.toThrow(invalid);
  });

  test("a frame that is cut off anywhere", async () => {
    choose();
    for (let end = 0; end < encoded.length; end += 97) {
      await expect(decode(encoded.subarray(0, end), plain.length)).rejects.toThrow(invalid);
    }
  });

  test("a damaged frame gives as many bytes or an error", async () => {
    choose();
    for (let at = 0; at < encoded.length; at += 53) {
      const damaged = encoded.slice();
      damaged[at] ^= 0x55;
      const result = await decode(damaged, plain.length).catch((error: unknown) => error);
      if (result instanceof Uint8Array) expect(result).toHaveLength(plain.length);
      else expect(result).toEqual(invalid);
    }
  });

  test("a declared size that no block can give is not allocated", async () => {
    choose();
    // A single segment of 2^30 bytes, one raw block of one byte.
    const bomb = Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0x40, 9, 0, 0, 7]);
    await expect(decode(bomb, 2 ** 30)).rejects.toThrow("gives at most 1 bytes");
  });
});

test("node:zlib is used where it has zstd", async () => {
  const result = decodeZstd(encoded, { bytes: plain.length, exact: true });
  expect(result instanceof Uint8Array).toBe("zstdDecompressSync" in zlib);
  await result;
});
