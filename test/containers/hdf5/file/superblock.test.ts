import { describe, expect, test } from "vitest";
import { openHdf5 } from "../../../../src/containers/hdf5/container.js";
import { findSignature, readSuperblock } from "../../../../src/containers/hdf5/file/superblock.js";
import { bytesSource, fixtureBytes } from "../fixture.js";

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

  // libhdf5 writes none that it can read itself, but they are legal.
  test.each([16, 32])("addresses and lengths of %i bytes", async (size) => {
    const file = wideFile(size);
    const container = await openHdf5(bytesSource(file));
    const array = await container.root.open("data");
    expect(await (array.kind === "array" ? array.read(0, 2) : null)).toEqual({
      kind: "fixed",
      values: new Int32Array([7, -7]),
    });
    file[24 + 2 * size + 15] = 1;
    await expect(openHdf5(bytesSource(file))).rejects.toThrow(/superblock holds the size or address .*beyond 2\^53/);
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
    [14, 64, /lengths take 64 bytes/],
  ])("byte %i must not be %i", async (at, value, message) => {
    const file = fixtureBytes("types");
    file[at] = value;
    await expect(readSuperblock(bytesSource(file), 0)).rejects.toThrow(message);
  });
});

/** A group with a link `data` to two 32-bit integers, 7 and -7, in a file whose addresses and lengths have `size` bytes. */
function wideFile(size: number): Uint8Array {
  const field = (value: number) => [...u64(value), ...new Array<number>(size - 8).fill(0)];
  const none = new Array<number>(size).fill(255);
  const message = (type: number, body: readonly number[]) => {
    const length = Math.ceil(body.length / 8) * 8;
    return [type, 0, length, 0, 0, 0, 0, 0, ...body, ...new Array<number>(length - body.length).fill(0)];
  };
  const header = (...messages: number[][]) => {
    const body = messages.flat();
    return [1, 0, messages.length, 0, 1, 0, 0, 0, ...u32(body.length), 0, 0, 0, 0, ...body];
  };
  const [root, data, values] = [400, 800, 1192];
  const group = header(
    message(0x02, [0, 0, ...none, ...none]),
    message(0x06, [1, 0, 4, ...[..."data"].map((letter) => letter.charCodeAt(0)), ...field(data)]),
  );
  const dataset = header(
    message(0x01, [1, 1, 0, 0, 0, 0, 0, 0, ...field(2)]),
    message(0x03, [0x10, 0x08, 0, 0, 4, 0, 0, 0, 0, 0, 32, 0]),
    message(0x08, [3, 1, ...field(values), ...field(8)]),
  );
  const file = new Uint8Array(1200);
  const head = [...SIGNATURE, 0, 0, 0, 0, 0, size, size, 0, 4, 0, 16, 0, 0, 0, 0, 0];
  file.set([...head, ...field(0), ...none, ...field(file.length), ...none, ...field(0), ...field(root)]);
  file.set(group, root);
  file.set(dataset, data);
  file.set([...u32(7), ...u32(-7 >>> 0)], values);
  return file;
}
