import fc from "fast-check";
import { expect, test } from "vitest";
import { lookup3 } from "../../../../src/containers/hdf5/bytes/lookup3.js";
import { Hdf5File } from "../../../../src/containers/hdf5/file/hdf5-file.js";
import { readTreeRecords } from "../../../../src/containers/hdf5/file/version-2-tree.js";
import { bytesSource } from "../fixture.js";

/** Little-endian. */
function uint(value: number, size: number): number[] {
  return Array.from({ length: size }, (_, i) => Math.floor(value / 2 ** (8 * i)) % 256);
}

const ascii = (text: string) => [...text].map((letter) => letter.charCodeAt(0));

const withSum = (bytes: readonly number[]) => [...bytes, ...uint(lookup3(Uint8Array.from(bytes)), 4)];

interface Shape {
  readonly nodeBytes: number;
  readonly recordBytes: number;
  readonly depth: number;
}

/** How many records nodes and whole subtrees can have by depth, as the format's text defines it. */
function limits({ nodeBytes, recordBytes, depth }: Shape): { max: number; total: number; pointer: number }[] {
  const bytesFor = (value: number) => {
    let bytes = 1;
    while (256 ** bytes <= value) bytes++;
    return bytes;
  };
  const leaf = Math.floor((nodeBytes - 10) / recordBytes);
  const levels = [{ max: leaf, total: leaf, pointer: 0 }];
  for (let d = 1; d <= depth; d++) {
    const pointer = 8 + bytesFor(leaf) + (d > 1 ? bytesFor(levels[d - 1].total) : 0);
    const max = Math.floor((nodeBytes - 10 - pointer) / (recordBytes + pointer));
    levels.push({ max, pointer, total: (max + 1) * levels[d - 1].total + max });
  }
  return levels;
}

/** A file with the header of a tree at 0; its nodes have as many records as `choose` says. */
function writeTree(shape: Shape, choose: (max: number) => number): { bytes: Uint8Array; records: number[][] } {
  const { nodeBytes, recordBytes, depth } = shape;
  const levels = limits(shape);
  const parts: number[][] = [];
  let end = 38;
  const records: number[][] = [];
  const record = () => {
    const next = uint(records.length, recordBytes);
    records.push(next);
    return next;
  };
  const node = (d: number): { address: number; count: number; total: number } => {
    const count = choose(levels[d].max);
    const own: number[] = [];
    const pointers: number[] = [];
    let total = count;
    for (let k = 0; k <= count; k++) {
      if (d > 0) {
        const child = node(d - 1);
        total += child.total;
        const countBytes = levels[1].pointer - 8;
        pointers.push(...uint(child.address, 8), ...uint(child.count, countBytes));
        if (d > 1) pointers.push(...uint(child.total, levels[d].pointer - 8 - countBytes));
      }
      if (k < count) own.push(...record());
    }
    const bytes = withSum([...ascii(d === 0 ? "BTLF" : "BTIN"), 0, 5, ...own, ...pointers]);
    const address = end;
    parts.push([...bytes, ...new Array(nodeBytes - bytes.length).fill(0)]);
    end += nodeBytes;
    return { address, count, total };
  };
  const root = node(depth);
  const header = [...ascii("BTHD"), 0, 5, ...uint(nodeBytes, 4), ...uint(recordBytes, 2), ...uint(depth, 2), 100, 40];
  const all = withSum([...header, ...uint(root.address, 8), ...uint(root.count, 2), ...uint(root.total, 8)]);
  return { bytes: Uint8Array.from([...all, ...parts.flat()]), records };
}

async function read(bytes: Uint8Array, type = 5): Promise<number[][]> {
  const file = new Hdf5File(bytesSource(bytes), 0, { offsets: 8, lengths: 8 });
  const records: number[][] = [];
  for await (const record of readTreeRecords(file, 0, type)) records.push([...record]);
  return records;
}

const shapes = fc.record({
  nodeBytes: fc.constantFrom(128, 200, 512),
  recordBytes: fc.integer({ min: 3, max: 24 }),
  depth: fc.integer({ min: 0, max: 2 }),
});

test("gives every record of trees of any depth in order", async () => {
  await fc.assert(
    fc.asyncProperty(shapes, fc.infiniteStream(fc.nat(1000)), async (shape, numbers) => {
      const { bytes, records } = writeTree(shape, (max) => Math.min(max, 1 + ((numbers.next().value ?? 0) % 6)));
      expect(await read(bytes)).toEqual(records);
    }),
    { numRuns: 100 },
  );
});

test("gives those of full nodes", async () => {
  for (const depth of [0, 1, 2]) {
    const { bytes, records } = writeTree({ nodeBytes: 128, recordBytes: 11, depth }, (max) => max);
    expect(await read(bytes)).toEqual(records);
  }
});

test("counts take two bytes where a leaf has more than 255 records", async () => {
  const { bytes, records } = writeTree({ nodeBytes: 4096, recordBytes: 8, depth: 1 }, (max) => Math.min(max, 300));
  expect(await read(bytes)).toEqual(records);
});

test("gives none of an empty tree", async () => {
  const header = [...ascii("BTHD"), 0, 5, ...uint(512, 4), ...uint(11, 2), ...uint(0, 2), 100, 40];
  const bytes = withSum([...header, ...new Array(8).fill(0xff), 0, 0, ...uint(0, 8)]);
  expect(await read(Uint8Array.from(bytes))).toEqual([]);
});

test("refuses a tree of another type", async () => {
  const { bytes } = writeTree({ nodeBytes: 128, recordBytes: 11, depth: 0 }, () => 2);
  await expect(read(bytes, 8)).rejects.toMatchObject({
    tag: "InvalidDataError",
    problem: expect.stringMatching(/type 5/),
  });
});

test("any damage is noticed by a checksum", async () => {
  const { bytes } = writeTree({ nodeBytes: 128, recordBytes: 11, depth: 1 }, (max) => max);
  const used = [0, 40, 60, 200].map((at) => at + 3);
  for (const at of used) {
    const damaged = bytes.slice();
    damaged[at] ^= 1;
    await expect(read(damaged)).rejects.toMatchObject({ tag: "InvalidDataError" });
  }
});

test("stops at a signal", async () => {
  const { bytes } = writeTree({ nodeBytes: 128, recordBytes: 11, depth: 1 }, (max) => max);
  const file = new Hdf5File(bytesSource(bytes), 0, { offsets: 8, lengths: 8 });
  const walk = readTreeRecords(file, 0, 5, { signal: AbortSignal.abort() });
  await expect(walk.next()).rejects.toMatchObject({ name: "AbortError" });
});
