import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { appendLevels } from "../../../src/kernels/parquet/levels.js";
import { PageBuffer } from "../../../src/kernels/parquet/page-buffer.js";
import { slowPacked, slowUnhybrid } from "./twins.js";

function readLevels(bytes: Uint8Array, count: number): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  expect(view.getUint32(0, true)).toBe(bytes.length - 4);
  return slowUnhybrid([...bytes.subarray(4)], count, 1);
}

const packed = (bits: readonly number[]) => {
  const big = bits.map(BigInt);
  return Uint8Array.from(slowPacked(big, 1));
};

describe("levels come back", () => {
  const stretch = fc.tuple(fc.constantFrom("there", "missing", "mixed"), fc.integer({ min: 1, max: 150 }));

  test("of runs with and without a bitmap", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(stretch, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
        fc.nat(9),
        (parts, offset) => {
          const runs = parts.map((stretches) => {
            const bits = stretches.flatMap(([kind, length]) =>
              Array.from({ length }, (_, i) =>
                kind === "there" ? 1 : kind === "missing" ? 0 : (i * i) % 3 === 0 ? 1 : 0,
              ),
            );
            const all = bits.every((bit) => bit === 1);
            const stored = packed([...Array<number>(offset).fill(1), ...bits, 1]);
            return { bits, run: { bits: all ? null : stored, offset, length: bits.length } };
          });
          const expected = runs.flatMap(({ bits }) => bits);
          const out = new PageBuffer(1);
          out.byte(9);
          const present = appendLevels(
            runs.map(({ run }) => run),
            out,
          );
          expect(readLevels(out.written().subarray(1), expected.length)).toEqual(expected);
          expect(present).toBe(expected.filter((bit) => bit === 1).length);
        },
      ),
    );
  });

  test("a page without nulls takes a few bytes", () => {
    const out = new PageBuffer(1);
    appendLevels([{ bits: null, offset: 0, length: 131_072 }], out);
    expect([...out.written()]).toEqual([4, 0, 0, 0, 0x80, 0x80, 0x10, 1]);
  });

  test("as the format has them: packed bits, then a run", () => {
    const out = new PageBuffer(1);
    appendLevels([{ bits: Uint8Array.of(0b101, 0, 0, 0, 0, 0b11), offset: 0, length: 42 }], out);
    expect([...out.written()]).toEqual([6, 0, 0, 0, 3, 0b101, 64, 0, 3, 0b11]);
  });
});
