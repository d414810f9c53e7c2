import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkGivenChunkShape, computeHdf5ChunkShape } from "../../../../src/containers/hdf5/write/data/storage.js";
import { split } from "../../../../src/containers/hdf5/write/space/b-trees.js";
import { createBytesSource } from "../../../../src/io/sources/memory.js";
import { crossCheck } from "../cross-check.js";
import { flat, openArray, rowsOf } from "../fixture.js";
import { inlineEncoder } from "./inline-encoder.js";
import { fixed, GZIP, INT32, int32, NO_COMPRESSION, reopened, TEXT, text, written } from "./written.js";

const bytesOf = (chunk: readonly number[], elementBytes: number) => chunk.reduce((a, b) => a * b, elementBytes);

describe("chunks that the writer chooses", () => {
  test.each([
    ["a small array", [1000], 8, [1000]],
    ["an array without rows", [0, 4], 4, [1, 4]],
    ["rows of nothing", [10, 0], 4, [10, 1]],
    ["one row more than fits", [131_073], 4, [43_691]],
    ["a long column", [55_000_000], 4, [130_953]],
    ["a matrix", [2000, 2000], 4, [32, 2000]],
    ["a matrix of long rows", [100, 1_000_000], 4, [1, 131_072]],
    ["rows of several dimensions that do not fit", [5, 40, 300, 100], 8, [1, 2, 300, 100]],
    ["a column of unknown length", [null], 4, [65_536]],
    ["a matrix of unknown length", [null, 30_000], 4, [2, 30_000]],
  ] as const)("%s", (_, [rows, ...rest], elementBytes, expected) => {
    expect(computeHdf5ChunkShape([rows, ...rest], elementBytes, 1)).toEqual(expected);
  });

  test("large arrays have chunks of 128 to 512 KiB, and none too many", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 600_000, max: 10 ** 11 }),
        fc.constantFrom(1, 2, 4, 8, 16),
        (rows, elementBytes) => {
          const chunk = computeHdf5ChunkShape([rows], elementBytes, 1);
          const bytes = bytesOf(chunk, elementBytes);
          const count = Math.ceil(rows / chunk[0]);
          expect(bytes).toBeGreaterThanOrEqual(2 ** 17);
          if (count < 50_000) expect(bytes).toBeLessThanOrEqual(2 ** 19 + 2 ** 19 * 0.01 + (count < 2 ? 2 ** 30 : 0));
          expect(count).toBeLessThanOrEqual(100_000);
        },
      ),
    );
  });

  test("many arrays at once have smaller ones", () => {
    expect(bytesOf(computeHdf5ChunkShape([10 ** 7], 4, 500), 4)).toBeLessThanOrEqual(2 ** 17 + 2 ** 12);
  });

  test("given ones are no larger than the array", () => {
    expect(checkGivenChunkShape([10, 10], [5, 20], 4, [])).toEqual([5, 10]);
    expect(checkGivenChunkShape([10, 10], [5, 5], 4, [0])).toEqual([10, 5]);
    expect(checkGivenChunkShape([10, 10], [5, 5], 4, [1])).toEqual([5, 10]);
    expect(() => checkGivenChunkShape([10], [5, 5], 4, [0])).toThrow(
      /chunks of shape \[10\] for an array of 2 dimensions/,
    );
    expect(() => checkGivenChunkShape([0], [5], 4, [0])).toThrow(/chunks of shape \[0\]/);
    expect(() => checkGivenChunkShape([2 ** 30], [2 ** 31], 4, [0])).toThrow(
      /4294967296 bytes; HDF5 has at most 4294967295/,
    );
  });
});

test.each([
  [0, [0]],
  [1, [0]],
  [8, [0]],
  [9, [0, 5]],
  [12, [0, 8]],
  [16, [0, 8]],
  [17, [0, 8, 13]],
])("%d things in parts of at most 8", (count, starts) => {
  expect(split(count, 8)).toEqual(starts);
});

test("whatever shape, chunks and portions: the values come back", async () => {
  const dimension = fc.integer({ min: 1, max: 13 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(dimension, dimension), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 8 }),
      fc.boolean(),
      fc.boolean(),
      async (dimensions, step, growing, gzip) => {
        const [rows, ...rest] = dimensions.map(([size]) => size);
        const chunks = dimensions.map(([, size]) => size);
        const width = rest.reduce((a, b) => a * b, 1);
        const container = await reopened(
          async ({ root }) => {
            const array = await root.array("x", { type: INT32, shape: [growing ? null : rows, ...rest], chunks });
            for (let from = 0; from < rows; from += step) {
              const to = Math.min(from + step, rows);
              const values = Array.from({ length: (to - from) * width }, (_, i) => from * width + i);
              await array.write(int32(...values), to - from);
            }
            await array.close();
          },
          { compression: gzip ? GZIP : NO_COMPRESSION, shuffle: "all", fletcher32: growing },
        );
        const array = await openArray(container, "x");
        expect(array.shape).toEqual([rows, ...rest]);
        const expected = Array.from({ length: rows * width }, (_, i) => i);
        expect(flat(array.type, await array.read(0, rowsOf(array)))).toEqual(expected);
        await container.close();
      },
    ),
    { numRuns: 60 },
  );
});

test.each([1, 63, 64, 65, 128, 129, 4095, 4096, 4097])("libhdf5 finds all of %d chunks", async (count) => {
  for (const manyChunks of [false, true]) {
    const bytes = await written(
      async ({ root }) => {
        const array = await root.array("x", { type: INT32, shape: [null, 2], chunks: [1, 1] });
        for (let i = 0; i < count; i++) await array.write(int32(i, -i), 1);
        await array.close();
      },
      { manyChunks },
    );
    expect(await crossCheck(createBytesSource(bytes), bytes)).toMatchObject({ different: [], skipped: [] });
  }
});

describe("chunks under way", () => {
  const fill = (count: number) => async (file: Parameters<Parameters<typeof written>[0]>[0]) => {
    const x = await file.root.array("x", { type: INT32, shape: [null], chunks: [500] });
    const y = await file.root.array("y", { type: TEXT, shape: [null], chunks: [300] });
    for (let i = 0; i < count; i++) {
      const numbers = fixed(Int32Array.from({ length: 777 }, (_, k) => i * k));
      const texts = text(...Array.from({ length: 777 }, (_, k) => `${i} ${k}`));
      // Both at once, as a table's columns might be.
      await Promise.all([x.write(numbers, 777), y.write(texts, 777)]);
    }
    const closing = [x.close(), y.close()];
    const inner = await file.root.group("inner");
    inner.attribute("title", { type: TEXT, shape: [], values: text("after") });
    await Promise.all(closing);
  };

  test("are as many as the encoder wants, and end in the same file however long each takes", async () => {
    const usual = inlineEncoder({ window: 1 });
    const expected = await written(fill(20), { compression: GZIP, encoder: inlineEncoder({ window: 4 }) });
    const scrambled = inlineEncoder({ window: 4, scrambled: true });
    const found = await written(fill(20), { compression: GZIP, encoder: scrambled });
    expect(Buffer.compare(expected, found)).toBe(0);
    expect(scrambled.most).toBe(5);
    await written(fill(20), { compression: GZIP, encoder: usual });
    expect(usual.most).toBe(2);
  });

  test("a chunk that cannot be encoded is an error, and no file", async () => {
    let left = 5;
    const encoder = inlineEncoder();
    const broken = {
      ...encoder,
      encode: (...parameters: Parameters<typeof encoder.encode>) =>
        left-- > 0 ? encoder.encode(...parameters) : Promise.reject(new Error("no more")),
    };
    await expect(written(fill(20), { compression: GZIP, encoder: broken })).rejects.toThrow("no more");
  });
});

test("a short array of unknown length does not take a whole chunk", async () => {
  const bytes = await written(async ({ root }) => {
    const array = await root.array("x", { type: INT32, shape: [null] });
    await array.write(int32(1, 2, 3), 3);
    await array.close();
  });
  expect(bytes.length).toBeLessThan(12_000);
});
