import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openFileSource } from "../../../src/io/sources/file.node.js";
import { BlockCache } from "../../../src/io/sources/kept-blocks.js";

const BLOCK = 1 << 16;
const data = Uint8Array.from({ length: 20 * BLOCK + 1000 }, (_, i) => (i * 31 + (i >> 8)) % 251);

function kept() {
  const fetched: [number, number][] = [];
  const blocks = new BlockCache(data.length, async (start, end) => {
    fetched.push([start, end]);
    return data.slice(start, end);
  });
  return { blocks, fetched };
}

test("gives the file's bytes, whatever is read at once", async () => {
  const range = fc
    .tuple(fc.nat(data.length), fc.oneof(fc.nat(100), fc.nat(10_000), fc.nat(3 * BLOCK)))
    .map(([start, length]) => [start, Math.min(data.length, start + length)] as const);
  await fc.assert(
    fc.asyncProperty(fc.array(range, { maxLength: 30 }), async (ranges) => {
      const { blocks } = kept();
      const read = await Promise.all(ranges.map(([start, end]) => blocks.read(start, end)));
      for (const [i, [start, end]] of ranges.entries()) {
        expect(Buffer.compare(read[i], data.subarray(start, end))).toBe(0);
      }
    }),
    { numRuns: 50 },
  );
});

test("neighbours come in one read, and large reads go their own way", async () => {
  const { blocks, fetched } = kept();
  await Promise.all([blocks.read(0, 8), blocks.read(1000, 2000)]);
  await blocks.read(5, 500);
  expect(fetched).toEqual([[0, BLOCK]]);
  await blocks.read(BLOCK - 10, BLOCK + 10);
  await blocks.read(data.length - 10, data.length);
  expect(fetched.slice(1)).toEqual([
    [BLOCK, 2 * BLOCK],
    [20 * BLOCK, data.length],
  ]);
  await blocks.read(0, BLOCK);
  expect(fetched.slice(3)).toEqual([[0, BLOCK]]);
});

test("only the blocks used last are kept", async () => {
  const { blocks, fetched } = kept();
  for (let block = 0; block < 17; block++) {
    await blocks.read(block * BLOCK, block * BLOCK + 1);
    await blocks.read(0, 1);
  }
  expect(fetched).toHaveLength(17);
  await blocks.read(BLOCK, BLOCK + 1);
  expect(fetched).toHaveLength(18);
});

test("of many files, only those used last keep blocks", async () => {
  const files = Array.from({ length: 9 }, kept);
  for (const { blocks } of files) {
    for (let block = 0; block < 16; block++) await blocks.read(block * BLOCK, block * BLOCK + 1);
    await files[0].blocks.read(0, 1);
  }
  const again = async ({ blocks, fetched }: ReturnType<typeof kept>) => {
    const before = fetched.length;
    await blocks.read(15 * BLOCK, 15 * BLOCK + 1);
    return fetched.length > before;
  };
  expect(await again(files[0])).toBe(false);
  expect(await again(files[8])).toBe(false);
  expect(await again(files[1])).toBe(true);
  files[0].blocks.clear();
  expect(files[0].blocks.peek(0, 1)).toBeNull();
  expect(await again(files[0])).toBe(true);
  for (const { blocks } of files) blocks.clear();
});

test("what is still there of a file that was cut off is read, the rest is a named error", async () => {
  const folder = mkdtempSync(join(tmpdir(), "annarrow-kept-"));
  try {
    const path = join(folder, "x");
    writeFileSync(path, data);
    const source = await openFileSource(path);
    truncateSync(path, 100);
    expect(await source.read(10, 20)).toEqual(data.slice(10, 20));
    await expect(source.read(90, 110)).rejects.toThrow("the file ended at byte 100, expected 110");
    await source.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("what is kept can be looked at, and nothing else", async () => {
  const position = fc.nat(data.length);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(position, fc.nat(5000)), { maxLength: 40 }), async (reads) => {
      const { blocks, fetched } = kept();
      for (const [start, length] of reads) {
        const end = Math.min(data.length, start + length);
        await blocks.read(start, end);
        const count = fetched.length;
        const inOne = Math.floor(start / BLOCK) === Math.floor((end - 1) / BLOCK);
        const seen = blocks.peek(start, end);
        if (inOne && end > start) expect(seen).not.toBeNull();
        if (seen !== null) expect(Buffer.compare(seen, data.subarray(start, end))).toBe(0);
        const other = blocks.peek(data.length - start, data.length - start + 10);
        if (other !== null)
          expect(Buffer.compare(other, data.subarray(data.length - start, data.length - start + 10))).toBe(0);
        expect(fetched.length).toBe(count);
      }
    }),
    { numRuns: 50 },
  );
});
