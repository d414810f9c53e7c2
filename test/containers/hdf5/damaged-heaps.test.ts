import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openHdf5 } from "../../../src/containers/hdf5/container.js";
import type { AttributeValue, Node } from "../../../src/containers/tree/container.js";
import { isAnnarrowError } from "../../../src/model/errors.js";
import { checksummedBlocks, findBlock, mendChecksums } from "./checksummed-blocks.js";
import { bytesSource } from "./fixture.js";

const FOLDER = "test/fixtures/data/hdf5";
const read = (name: string) => new Uint8Array(readFileSync(`${FOLDER}/${name}.h5`));

/** Links and attributes in heaps, behind a user block of 512 bytes. */
const SMALL = read("dense_v108");
const SMALL_BLOCKS = checksummedBlocks(SMALL);
const BASE = 512;

const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/** Which of the blocks belong to the heap and tree of links, where those of the attributes stand before them. */
const NTH: Readonly<Record<string, number>> = { FHIB: 1, FHDB: 5 };

type Change = (bytes: Uint8Array, at: number) => void;
const u8 =
  (offset: number, value: number): Change =>
  (bytes, at) =>
    view(bytes).setUint8(at + offset, value);
const u16 =
  (offset: number, value: number): Change =>
  (bytes, at) =>
    view(bytes).setUint16(at + offset, value, true);
const u32 =
  (offset: number, value: number): Change =>
  (bytes, at) =>
    view(bytes).setUint32(at + offset, value, true);
const u64 =
  (offset: number, value: number): Change =>
  (bytes, at) =>
    view(bytes).setBigUint64(at + offset, BigInt(value), true);
/** The address of the block itself. */
const itself =
  (offset: number): Change =>
  (bytes, at) =>
    view(bytes).setBigUint64(at + offset, BigInt(at - BASE), true);

/** What opening the root says; its links lie in the first heap, its attributes in the second. */
async function openDamaged(bytes: Uint8Array): Promise<readonly string[]> {
  const container = await openHdf5(bytesSource(bytes, "damaged.h5"));
  return await container.root.keys();
}

describe("a structure with a right checksum", () => {
  test.each<[string, string, Change, RegExp]>([
    // The header of the heap of links.
    ["FRHP", "version", u8(4, 1), /fractal heap at \d+ has version 1/],
    ["FRHP", "id size", u16(5, 4), /ids of 4 bytes/],
    ["FRHP", "filters", u16(7, 20), /filters on the fractal heap/],
    ["FRHP", "width of 3", u16(110, 3), /3 blocks of 512 to/],
    ["FRHP", "width of 0", u16(110, 0), /0 blocks of 512 to/],
    ["FRHP", "first size of 0", u64(112, 0), /blocks of 0 to/],
    ["FRHP", "largest size not a power of two", u64(120, 65537), /to 65537 bytes/],
    ["FRHP", "offsets of 0 bits", u16(128, 0), /offsets of 0 bits/],
    ["FRHP", "offsets of 65 bits", u16(128, 65), /offsets of 65 bits/],
    ["FRHP", "root at the superblock", u64(132, 0), /block at 0 is not there/],
    ["FRHP", "root at the heap", itself(132), /block at \d+ is not there/],
    ["FRHP", "root beyond the end", u64(132, 10 ** 7), /10000000 lies? beyond the end/],
    ["FRHP", "no root", (b, at) => b.fill(0xff, at + 132, at + 140), /in no block/],
    ["FRHP", "rows", u16(140, 60), /60 rows/],
    // Its first block of addresses.
    ["FHIB", "version", u8(4, 3), /indirect heap block at \d+ has version 3/],
    ["FHIB", "owner", u64(5, 77), /belongs to the heap at 77/],
    ["FHIB", "offset", u32(13, 512), /begins at 512 of its heap instead of 0/],
    ["FHIB", "a child that is itself", itself(17), /block at \d+ is not there/],
    ["FHIB", "a child beyond the end", u64(17, 10 ** 7), /beyond the end/],
    [
      "FHIB",
      "two children that are one",
      (b, at) => b.copyWithin(at + 25, at + 17, at + 25),
      /begins at 0 of its heap/,
    ],
    ["FHDB", "owner", u64(5, 77), /belongs to the heap at 77/],
    ["FHDB", "offset", u32(13, 1024), /begins at 1024 of its heap instead of 0/],
    // The tree of names.
    ["BTHD", "version", u8(4, 1), /version 2 B-tree at \d+ has version 1/],
    ["BTHD", "type", u8(5, 8), /type 8 instead of 5/],
    ["BTHD", "node of 10 bytes", u32(6, 10), /nodes of 10 bytes/],
    ["BTHD", "node of 4 GiB", u32(6, 2 ** 32 - 1), /nodes of 4294967295 bytes/],
    ["BTHD", "records of 0 bytes", u16(10, 0), /records of 0/],
    ["BTHD", "records of 3 bytes", u16(10, 3), /version 2 B-tree node|reference|needs|instead of/],
    ["BTHD", "depth", u16(12, 33), /depth 33/],
    ["BTHD", "depth too small", u16(12, 0), /instead of|is not there/],
    ["BTHD", "depth too large", u16(12, 5), /has checksum/],
    ["BTHD", "root at the tree", itself(16), /node at \d+ is not there/],
    ["BTHD", "root beyond the end", u64(16, 10 ** 9), /beyond the end/],
    ["BTHD", "no root", (b, at) => b.fill(0xff, at + 16, at + 24), /61 records, but no node/],
    ["BTHD", "records in the root", u16(24, 60_000), /60000 records; at most/],
    ["BTHD", "all records", u64(26, 10 ** 9), /1000000000 records of 11 bytes/],
    ["BTHD", "some records", u64(26, 62), /leads to 61 records instead of 62/],
    ["BTLF", "type", u8(5, 8), /type 8 instead of 5/],
    ["BTLF", "id of version 1", u8(10, 0x40), /has version 1/],
    ["BTLF", "id of type 3", u8(10, 0x30), /type 3/],
    ["BTLF", "large object of a heap that has none", u8(10, 0x10), /no large objects/],
    ["BTLF", "tiny object", u8(10, 0x22), /link message/],
    ["BTLF", "offset in a prefix", u32(11, 3), /object of \d+ bytes at 3 of a block/],
    ["BTLF", "offset beyond the heap", u32(11, 2 ** 32 - 1), /in no block/],
    ["BTLF", "object of 0 bytes", u16(15, 0), /object of 0 bytes/],
    ["BTLF", "object beyond its block", u16(15, 4000), /object of 4000 bytes at \d+ of a block/],
  ])("%s with a wrong %s is refused", async (signature, _, change, message) => {
    const bytes = SMALL.slice();
    change(bytes, findBlock(bytes, signature, NTH[signature]));
    mendChecksums(bytes, SMALL_BLOCKS);
    await expect(openDamaged(bytes)).rejects.toMatchObject({
      tag: expect.stringMatching(/InvalidDataError|UnsupportedError/),
      source: "damaged.h5",
      message: expect.stringMatching(message),
    });
  });

  test("a tree that leads to one node twice", async () => {
    const bytes = SMALL.slice();
    const at = findBlock(bytes, "BTIN\0\x05");
    const records = view(bytes).getUint16(findBlock(bytes, "BTHD") + 24, true);
    const pointers = at + 6 + records * 11;
    bytes.copyWithin(pointers + 9, pointers, pointers + 9);
    u64(26, 63)(bytes, findBlock(bytes, "BTHD"));
    mendChecksums(bytes, SMALL_BLOCKS);
    await expect(openDamaged(bytes)).rejects.toThrow(/leads twice to the node at/);
  });
});

test.each(["FRHP", "FHIB", "FHDB", "BTHD", "BTIN", "BTLF"])("a wrong checksum of %s is noticed", async (signature) => {
  for (const offset of [6, 20]) {
    const bytes = SMALL.slice();
    const at = findBlock(bytes, signature) + offset;
    bytes[at] ^= 0x10;
    await expect(openDamaged(bytes)).rejects.toMatchObject({ tag: "InvalidDataError" });
  }
});

/** Reads all there is; what cannot be read is left out, but only with an error of ours. */
async function walk(bytes: Uint8Array): Promise<string[]> {
  const found: string[] = [];
  const visit = async (open: () => Promise<Node>, path: string, depth: number): Promise<void> => {
    try {
      const node = await open();
      for (const [name, value] of node.attributes) found.push(`${path}@${name}=${text(value)}`);
      if (node.kind === "array" || depth === 3) return;
      for (const name of (await node.keys()).slice(0, 80))
        await visit(() => node.open(name), `${path}/${name}`, depth + 1);
    } catch (error) {
      if (!isAnnarrowError(error)) throw error;
    }
  };
  await visit(async () => (await openHdf5(bytesSource(bytes))).root, "", 0);
  return found;
}

function text(value: AttributeValue): string {
  return JSON.stringify(value, (_key, one) => (typeof one === "bigint" ? `${one}n` : one));
}

describe.each([
  ["dense_v108", 0],
  ["dense_v108", 1],
  ["dense_attributes", 0],
  ["dense_attributes", 1],
])("any damage to %s (%i: with mended checksums)", (name, mended) => {
  const whole = read(name);
  const blocks = checksummedBlocks(whole);

  test("gives errors of ours, in little time", { timeout: 60_000 }, async () => {
    const places = fc.nat(whole.length - 1);
    // Most of the bytes are values: half of the damage is done where the structures are.
    const inBlocks = fc
      .tuple(fc.constantFrom(...blocks), fc.nat(200))
      .map(([{ start, end }, offset]) => Math.min(end - 1, start + offset));
    const value = fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.nat(255));
    const changes = fc.array(fc.tuple(fc.oneof(places, inBlocks), value), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(changes, async (list) => {
        const bytes = whole.slice();
        for (const [at, one] of list) bytes[at] = one;
        if (mended === 1) mendChecksums(bytes, blocks);
        const began = performance.now();
        await walk(bytes);
        expect(performance.now() - began).toBeLessThan(5000);
      }),
      { numRuns: name === "dense_v108" ? 400 : 60, seed: 4 },
    );
  });
});
