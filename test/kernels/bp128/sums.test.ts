import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Bp128Sums, PAGE_VALUES } from "../../../src/kernels/bp128/page.js";
import { giveSums, takeSums } from "../../../src/kernels/bp128/pages.js";
import { PlainPage } from "../../../src/kernels/bp128/plain-page.js";
import { wasmSums } from "../../../src/kernels/bp128/wasm-pages.js";

const COUNT = 500;
const inWasm = await wasmSums(COUNT);
if (inWasm === null) throw new Error("no WebAssembly");
const twins: [string, Bp128Sums][] = [
  ["WebAssembly", inWasm],
  ["plain loops", { indices: new PlainPage(), values: new PlainPage(), sums: new Float64Array(COUNT) }],
  ["pages of two kinds", { indices: new PlainPage(), values: inWasm.values, sums: new Float64Array(COUNT) }],
];

const uint32 = fc.oneof(fc.nat(10), fc.nat(2 ** 32 - 1), fc.constant(2 ** 32 - 1));
const entries = fc.array(fc.tuple(fc.nat(COUNT - 1), uint32), { maxLength: 300 });

describe.each(twins)("%s", (_, pages) => {
  test("sums of values, and of those at each index, are those of a plain loop", () => {
    fc.assert(
      fc.property(entries, fc.nat(PAGE_VALUES - 300), fc.nat(300), (list, from, less) => {
        const to = from + Math.max(0, list.length - less);
        pages.indices.values.set(
          list.map(([index]) => index),
          from,
        );
        pages.values.values.set(
          list.map(([, value]) => value),
          from,
        );
        const wanted = list.slice(0, to - from);
        expect(pages.values.sum(from, to)).toBe(wanted.reduce((sum, [, value]) => sum + value, 0));
        const sums = new Float64Array(COUNT);
        for (const [index, value] of wanted) sums[index] += value;
        pages.sums.fill(0);
        pages.values.addAt(pages.sums, pages.indices, from, to);
        expect(Array.from(pages.sums)).toEqual(Array.from(sums));
      }),
    );
  });

  test("a whole page of the greatest values is summed exactly", () => {
    pages.values.values.fill(2 ** 32 - 1);
    expect(pages.values.sum(0, PAGE_VALUES)).toBe((2 ** 32 - 1) * PAGE_VALUES);
  });
});

test("sums begin at 0, in the memory of the pages, also where they were used before", async () => {
  for (let i = 0; i < 3; i++) {
    const pages = await takeSums(1000);
    const { sums, indices, values } = pages;
    expect(sums).toEqual(new Float64Array(1000));
    expect(sums.buffer === indices.values.buffer && sums.buffer === values.values.buffer).toBe(true);
    sums.fill(7);
    giveSums(pages);
  }
});
