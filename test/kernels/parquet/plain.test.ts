import fc from "fast-check";
import { expect, test } from "vitest";
import { PageBuffer } from "../../../src/kernels/parquet/page-buffer.js";
import { plainBits, plainWords } from "../../../src/kernels/parquet/plain.js";
import { slowPacked } from "./twins.js";

test("booleans of several runs, each from any bit on", () => {
  const run = fc.tuple(fc.array(fc.boolean()), fc.integer({ min: 0, max: 20 }));
  fc.assert(
    fc.property(fc.array(run), (runs) => {
      const out = new PageBuffer(1);
      const set = plainBits(
        runs.map(([values, offset]) => {
          const bits = [...Array<boolean>(offset).fill(true), ...values, true].map((bit) => (bit ? 1n : 0n));
          return { bits: Uint8Array.from(slowPacked(bits, 1)), offset, length: values.length };
        }),
        out,
      );
      const all = runs.flatMap(([values]) => values);
      expect([...out.written()]).toEqual(
        slowPacked(
          all.map((bit) => (bit ? 1n : 0n)),
          1,
        ),
      );
      expect(set).toBe(all.filter(Boolean).length);
    }),
  );
});

test("words are taken as they lie", () => {
  expect([...plainWords(Int32Array.of(1, -2))]).toEqual([1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff]);
});
