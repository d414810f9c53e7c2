import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBytesSource } from "../../../../src/io/sources/memory.js";
import { isZero } from "../../../../src/kernels/values/number-bits.js";
import { crossCheck } from "../cross-check.js";
import { flat, openArray } from "../fixture.js";
import { inlineEncoder } from "./inline-encoder.js";
import { fixed, GZIP, INT32, int32, NO_COMPRESSION, reopened, TEXT, text, written } from "./written.js";

/** Column `c` of row `r` is this; most chunks of large matrices have nothing but zeros. */
const valueAt = (r: number, c: number) => ((r * 31 + c * 17) % 97 === 5 ? r * 1000 + c + 1 : 0);

function block(rows: number, from: number, to: number): Int32Array {
  const width = to - from;
  return Int32Array.from({ length: rows * width }, (_, i) => valueAt(Math.floor(i / width), from + (i % width)));
}

describe("a matrix that comes by columns", () => {
  test("whatever shape, chunks and blocks: libhdf5 reads the same", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          rows: fc.integer({ min: 0, max: 90 }),
          columns: fc.integer({ min: 0, max: 90 }),
          height: fc.integer({ min: 1, max: 20 }),
          width: fc.integer({ min: 1, max: 20 }),
          chunksAtOnce: fc.integer({ min: 1, max: 3 }),
          sparse: fc.boolean(),
          grows: fc.boolean(),
          gzip: fc.boolean(),
          manyChunks: fc.boolean(),
        }),
        async ({ rows, columns, height, width, chunksAtOnce, sparse, grows, gzip, manyChunks }) => {
          const options = { compression: gzip ? GZIP : NO_COMPRESSION, manyChunks, encoder: inlineEncoder() };
          const bytes = await written(async ({ root }) => {
            const array = await root.array("x", {
              ...{ type: INT32, shape: [rows, columns], along: 1, chunks: [height, width], sparse },
              extendable: grows ? [1] : [],
            });
            for (let from = 0; from < columns; from += chunksAtOnce * width) {
              const to = Math.min(columns, from + chunksAtOnce * width);
              await array.write(fixed(block(rows, from, to)), to - from);
            }
            await array.close();
          }, options);
          const found = await crossCheck(createBytesSource(bytes), bytes);
          expect(found.different).toEqual([]);
          expect(found.equal.values).toBe(rows * columns);
          if (!sparse && gzip && rows * columns > 0) {
            expect(options.encoder.count).toBe(Math.ceil(rows / height) * Math.ceil(columns / width));
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  test("has the values in their places", async () => {
    const container = await reopened(async ({ root }) => {
      const array = await root.array("x", { type: INT32, shape: [2, 3], along: 1, chunks: [2, 2] });
      await array.write(int32(1, 2, 4, 5), 2);
      await array.write(int32(3, 6), 1);
      await array.close();
    });
    const array = await openArray(container, "x");
    expect(flat(array.type, await array.read(0, 2))).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("chunks of zeros are left out by rows as well", async () => {
    const encoder = inlineEncoder();
    const options = { compression: GZIP, encoder };
    const bytes = await written(async ({ root }) => {
      const array = await root.array("x", { type: INT32, shape: [40, 40], chunks: [10, 10], sparse: true });
      const values = new Int32Array(1600);
      values[15 * 40 + 39] = 7;
      values[39 * 40] = 8;
      await array.write(fixed(values), 40);
      await array.close();
    }, options);
    expect(encoder.count).toBe(2);
    expect((await crossCheck(createBytesSource(bytes), bytes)).different).toEqual([]);
  });

  test.each<readonly [string, object, RegExp]>([
    ["without chunks", { type: INT32, shape: [2, 2], along: 1 }, /a matrix of known shape, with its chunks/],
    ["of one dimension", { type: INT32, shape: [2], along: 1, chunks: [2] }, /a matrix of known shape/],
    ["of text", { type: TEXT, shape: [2, 2], along: 1, chunks: [2, 2] }, /text values by columns: only numbers/],
    [
      "that grows where it has no dimension",
      { type: INT32, shape: [2], extendable: [1] },
      /dimensions \[1\] that grow/,
    ],
  ])("%s is refused", async (_, description, why) => {
    await written(async ({ root }) => {
      await expect(root.array("x", { type: INT32, shape: [1], ...description })).rejects.toThrow(why);
    });
  });

  test("too many or too few columns, and blocks that end within chunks", async () => {
    await written(async ({ root }) => {
      const description = { type: INT32, shape: [1, 4], along: 1, chunks: [1, 2] } as const;
      const many = await root.array("a", description);
      await expect(many.write(int32(1, 2, 3, 4, 5), 5)).rejects.toThrow(/a: 5 columns in an array of 4/);
      const few = await root.array("b", description);
      await few.write(int32(1, 2), 2);
      await expect(few.close()).rejects.toThrow(/b: 2 columns of an array of 4/);
      const odd = await root.array("c", description);
      await odd.write(int32(1), 1);
      await expect(odd.write(int32(2, 3), 2)).rejects.toThrow(/c: columns after the first 1, which end within chunks/);
      throw new Error("enough");
    }).catch((error: unknown) => expect(String(error)).toMatch(/enough/));
  });
});

test("text that grows along its second dimension", async () => {
  const bytes = await written(async ({ root }) => {
    const array = await root.array("x", { type: TEXT, shape: [1, 2], extendable: [1] });
    await array.write(text("a", "b"), 1);
    await array.close();
  });
  expect((await crossCheck(createBytesSource(bytes), bytes)).different).toEqual([]);
});

test("isZero sees every byte", () => {
  for (let length = 0; length < 12; length++) {
    for (let start = 0; start < 5; start++) {
      const bytes = new Uint8Array(length + start).subarray(start);
      expect(isZero(bytes)).toBe(true);
      for (let i = 0; i < length; i++) {
        bytes[i] = 128;
        expect(isZero(bytes)).toBe(false);
        bytes[i] = 0;
      }
    }
  }
});
