import { describe, expect, test } from "vitest";
import { findSignature } from "../../../src/containers/hdf5/signature.js";
import { readSuperblock } from "../../../src/containers/hdf5/superblock.js";
import { bytesSource, fixtureBytes } from "./fixture.js";

const SIGNATURE = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a];
const u32 = (value: number) => [value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24];
const u64 = (value: number) => [...u32(value), ...u32(0)];
const NONE = new Array<number>(8).fill(255);

describe("superblocks", () => {
  // By hand, from the File Format Specification, II.A.
  test.each([
    [0, []],
    [1, [32, 0, 0, 0]],
  ])("version %i, with the end of the file and the root's address", async (version, chunkTree) => {
    const head = [...SIGNATURE, version, 0, 0, 0, 0, 8, 8, 0, 4, 0, 16, 0, 0, 0, 0, 0, ...chunkTree];
    const bytes = [...head, ...u64(0), ...NONE, ...u64(200), ...NONE, ...u64(0), ...u64(0x470)];
    const file = new Uint8Array(200);
    file.set(bytes);
    const sizes = { offsets: 8, lengths: 8 };
    expect(await readSuperblock(bytesSource(file), 0)).toEqual({ sizes, root: 0x470, extension: null });
    await expect(readSuperblock(bytesSource(file.subarray(0, 199)), 0)).rejects.toThrow(
      "truncated file: 199 bytes instead of 200",
    );
  });

  test("a user block put before a file moves its end", async () => {
    const file = new Uint8Array([...new Uint8Array(512), ...fixtureBytes("types")]);
    const base = (await findSignature(bytesSource(file))) ?? 0;
    expect(base).toBe(512);
    expect((await readSuperblock(bytesSource(file), base)).root).toBe(96);
    await expect(readSuperblock(bytesSource(file.subarray(0, -1)), base)).rejects.toThrow(/truncated file/);
  });

  test("version 2 and later have a checksum", async () => {
    for (const [name, base] of [
      ["newest", 0],
      ["newer_groups", 1024],
    ] as const) {
      const file = fixtureBytes(name);
      expect((await readSuperblock(bytesSource(file), base)).sizes).toEqual({ offsets: 8, lengths: 8 });
      file[base + 36] ^= 1;
      await expect(readSuperblock(bytesSource(file), base)).rejects.toThrow(/superblock has checksum/);
    }
  });

  test.each([
    [8, 9, /version 9/],
    [13, 3, /offsets take 3 bytes/],
    [14, 16, /lengths take 16 bytes/],
  ])("byte %i must not be %i", async (at, value, message) => {
    const file = fixtureBytes("types");
    file[at] = value;
    await expect(readSuperblock(bytesSource(file), 0)).rejects.toThrow(message);
  });
});
