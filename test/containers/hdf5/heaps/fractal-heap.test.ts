import { describe, expect, test } from "vitest";
import { lookup3 } from "../../../../src/containers/hdf5/bytes/lookup3.js";
import { Hdf5File } from "../../../../src/containers/hdf5/file/hdf5-file.js";
import { FractalHeap } from "../../../../src/containers/hdf5/heaps/fractal-heap.js";
import { bytesSource } from "../fixture.js";

/** Little-endian. */
function uint(value: number, size: number): number[] {
  return Array.from({ length: size }, (_, i) => Math.floor(value / 2 ** (8 * i)) % 256);
}

const ascii = (text: string) => [...text].map((letter) => letter.charCodeAt(0));
const NONE = new Array(8).fill(0xff);
const sum = (bytes: readonly number[]) => uint(lookup3(Uint8Array.from(bytes)), 4);

/** Header at 0, one direct block of 512 bytes at 200 that holds 0, 1, 2 … behind its prefix of 21 bytes. */
function heapFile(idBytes: number, checksummed: boolean): Hdf5File {
  const header = [
    ...ascii("FRHP"),
    0,
    ...uint(idBytes, 2),
    ...uint(0, 2),
    checksummed ? 2 : 0,
    ...uint(300, 4),
    ...uint(1, 8),
    ...NONE,
    ...uint(0, 8),
    ...NONE,
    ...new Array(8 * 8).fill(0),
    ...uint(4, 2),
    ...uint(512, 8),
    ...uint(4096, 8),
    ...uint(32, 2),
    ...uint(1, 2),
    ...uint(200, 8),
    ...uint(0, 2),
  ];
  const prefix = [...ascii("FHDB"), 0, ...uint(0, 8), ...uint(0, 4)];
  const objects = Array.from({ length: 512 - prefix.length - (checksummed ? 4 : 0) }, (_, i) => i % 256);
  const block = checksummed
    ? [...prefix, ...sum([...prefix, 0, 0, 0, 0, ...objects]), ...objects]
    : [...prefix, ...objects];
  const bytes = new Uint8Array(1000);
  bytes.set([...header, ...sum(header)]);
  bytes.set(block, 200);
  bytes.fill(7, 800, 900);
  return new Hdf5File(bytesSource(bytes), 0, { offsets: 8, lengths: 8 });
}

const id = (size: number, ...bytes: readonly number[]) =>
  Uint8Array.from([...bytes, ...new Array(size - bytes.length).fill(0)]);

async function object(heap: FractalHeap, given: Uint8Array): Promise<number[]> {
  return [...(await heap.object(given))];
}

describe.each([true, false])("a heap (checksummed blocks: %s)", (checksummed) => {
  const first = checksummed ? 21 : 17;

  test("gives managed objects of its root block", async () => {
    const heap = await FractalHeap.open(heapFile(7, checksummed), 0);
    expect(heap.idBytes).toBe(7);
    expect(await object(heap, id(7, 0, ...uint(first, 4), ...uint(3, 2)))).toEqual([0, 1, 2]);
    expect(await object(heap, id(7, 0, ...uint(first + 10, 4), ...uint(2, 2)))).toEqual([10, 11]);
    await expect(heap.object(id(7, 0, ...uint(512, 4), ...uint(2, 2)))).rejects.toThrow(/in no block/);
    await expect(heap.object(id(7, 0, ...uint(511, 4), ...uint(2, 2)))).rejects.toThrow(/2 bytes at 511 of a block/);
    await expect(heap.object(id(7, 0, ...uint(first - 1, 4), ...uint(2, 2)))).rejects.toThrow(/2 bytes at \d+ of/);
    await expect(heap.object(id(7, 0, ...uint(first, 4), ...uint(301, 2)))).rejects.toThrow(/301 bytes.*300/);
    await expect(heap.object(id(6, 0))).rejects.toThrow(/id of 6 bytes/);
  });

  test("gives tiny objects, which lie in their ids", async () => {
    const short = await FractalHeap.open(heapFile(8, checksummed), 0);
    expect(await object(short, id(8, 0x22, 9, 8, 7))).toEqual([9, 8, 7]);
    await expect(short.object(id(8, 0x2f))).rejects.toThrow(/needs 16 more bytes, but 7/);
    const long = await FractalHeap.open(heapFile(40, checksummed), 0);
    expect(await object(long, id(40, 0x20, 1, 9, 8, 7))).toEqual([9, 8]);
    await expect(long.object(id(40, 0x21, 0))).rejects.toThrow(/needs 257 more bytes, but 38/);
  });

  test("gives large objects that are addressed directly", async () => {
    const heap = await FractalHeap.open(heapFile(17, checksummed), 0);
    expect(await object(heap, id(17, 0x10, ...uint(800, 8), ...uint(5, 8)))).toEqual([7, 7, 7, 7, 7]);
    await expect(heap.object(id(17, 0x10, ...uint(990, 8), ...uint(50, 8)))).rejects.toThrow(/beyond the end/);
    await expect(heap.object(id(17, 0x10, ...uint(0, 8), ...uint(2 ** 40, 8)))).rejects.toThrow(/file of 1000/);
  });

  test("gives no more bytes than the file has", async () => {
    const heap = await FractalHeap.open(heapFile(7, checksummed), 0);
    const given = id(7, 0, ...uint(first, 4), ...uint(300, 2));
    for (let i = 0; i < 3; i++) await heap.object(given);
    await expect(heap.object(given)).rejects.toThrow(/objects of 1200 bytes and more.*file of 1000/);
  });
});
