import fc from "fast-check";
import { expect, test } from "vitest";
import { appendBits, countSet } from "../../../src/kernels/parquet/bit-ranges.js";
import { PageBuffer } from "../../../src/kernels/parquet/page-buffer.js";
import { slowPacked } from "./twins.js";

const packed = (bits: readonly boolean[]) => {
  const big = bits.map((bit) => (bit ? 1n : 0n));
  return Uint8Array.from(slowPacked(big, 1));
};

test("bits of several runs, each from any bit on", () => {
  const run = fc.tuple(fc.array(fc.boolean(), { maxLength: 60 }), fc.integer({ min: 0, max: 20 }));
  fc.assert(
    fc.property(fc.array(run), (runs) => {
      const out = new PageBuffer(1);
      const set = appendBits(
        runs.map(([values, offset]) => {
          const bits = packed([...Array<boolean>(offset).fill(true), ...values, true]);
          return { bits, offset, length: values.length };
        }),
        out,
      );
      const all = runs.flatMap(([values]) => values);
      expect([...out.written()]).toEqual([...packed(all)]);
      expect(set).toBe(all.filter(Boolean).length);
    }),
  );
});

test("runs without a bitmap are all set", () => {
  const run = fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 70 }));
  fc.assert(
    fc.property(fc.array(run), (runs) => {
      const out = new PageBuffer(1);
      const zeros = new Uint8Array(10);
      const set = appendBits(
        runs.map(([ones, length]) => ({ bits: ones ? null : zeros, offset: ones ? 0 : 3, length })),
        out,
      );
      const all = runs.flatMap(([ones, length]) => Array<boolean>(length).fill(ones));
      expect([...out.written()]).toEqual([...packed(all)]);
      expect(set).toBe(all.filter(Boolean).length);
    }),
  );
});

test("set bits of a range are counted", () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 80 }), fc.nat(80), fc.nat(80), (bits, a, b) => {
      const [from, to] = [Math.min(a, b, bits.length), Math.min(Math.max(a, b), bits.length)];
      expect(countSet(packed(bits), from, to)).toBe(bits.slice(from, to).filter(Boolean).length);
    }),
  );
});
