import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PageBuffer } from "../../../src/kernels/parquet/page-buffer.js";
import { encodeHybrid } from "./loops/rle.js";
import { slowUnhybrid } from "./twins.js";

function encoded(indices: readonly number[], width: number): number[] {
  const out = new PageBuffer(1);
  // What lies behind the indices must not show.
  const padded = new Uint16Array(indices.length + 8).fill(2 ** 16 - 1);
  padded.set(indices);
  encodeHybrid(padded, indices.length, width, out);
  return [...out.written()];
}

/** Runs of one value, from single ones to long ones, of `width` bits. */
const runs = (width: number) =>
  fc
    .array(fc.tuple(fc.integer({ min: 0, max: 2 ** width - 1 }), fc.constantFrom(1, 1, 2, 7, 8, 9, 16, 17, 40, 200)), {
      minLength: 1,
      maxLength: 30,
    })
    .map((parts) => parts.flatMap(([value, length]) => Array<number>(length).fill(value)));

describe("encodeHybrid", () => {
  test("the example of the format's description: 0 to 7 of 3 bits", () => {
    expect(encoded([0, 1, 2, 3, 4, 5, 6, 7], 3)).toEqual([3, 0b10001000, 0b11000110, 0b11111010]);
  });

  test("runs become one number", () => {
    expect(encoded(Array(800).fill(300), 9)).toEqual([0xc0, 0x0c, 300 - 256, 1]);
    expect(encoded(Array(16).fill(0), 0)).toEqual([32]);
  });

  test("gives back its values, for every width", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 16 }).chain((width) => fc.tuple(fc.constant(width), runs(width))),
        ([width, indices]) => {
          expect(slowUnhybrid(encoded(indices, width), indices.length, width)).toEqual(indices);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("gives back 32-bit values, for every width", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 32 }).chain((width) => fc.tuple(fc.constant(width), runs(width))),
        ([width, values]) => {
          const out = new PageBuffer(1);
          const padded = new Int32Array(values.length + 8).fill(-1);
          padded.set(values.map((value) => value | 0));
          encodeHybrid(padded, values.length, width, out);
          expect(slowUnhybrid([...out.written()], values.length, width)).toEqual(values);
        },
      ),
      { numRuns: 300 },
    );
  });
});
