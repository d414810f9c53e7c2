import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Bp128Sums, PAGE_VALUES } from "../../../src/kernels/bp128/page.js";
import { createLargeSums, giveSums, takeSums } from "../../../src/kernels/bp128/pages.js";
import { createWasmSums } from "../../../src/kernels/bp128/wasm-pages.js";

const COUNT = 500;
const sums: [string, Bp128Sums][] = [
  ["in the memory of the pages", await createWasmSums(COUNT)],
  ["in a memory of their own", await createLargeSums(COUNT)],
];

const uint32 = fc.oneof(fc.nat(10), fc.nat(2 ** 32 - 1), fc.constant(2 ** 32 - 1));
const entries = fc.array(fc.tuple(fc.nat(COUNT - 1), uint32), { maxLength: 300 });

describe.each(sums)("%s", (_, pages) => {
  const { indices, values } = pages;

  test("sums of values, and of those at each index, are those of a plain loop", () => {
    fc.assert(
      fc.property(entries, fc.nat(PAGE_VALUES - 300), fc.nat(300), (list, from, less) => {
        const to = from + Math.max(0, list.length - less);
        indices.values.set(
          list.map(([index]) => index),
          from,
        );
        values.values.set(
          list.map(([, value]) => value),
          from,
        );
        const wanted = list.slice(0, to - from);
        expect(values.sum(from, to)).toBe(wanted.reduce((sum, [, value]) => sum + value, 0));
        const sums = new Float64Array(COUNT);
        for (const [index, value] of wanted) sums[index] += value;
        const middle = Math.floor((from + to) / 2);
        pages.add(from, middle);
        pages.add(middle, to);
        expect(Array.from(pages.take())).toEqual(Array.from(sums));
      }),
    );
  });

  test("begins anew at 0 once the sums are taken", () => {
    expect(pages.count).toBe(COUNT);
    indices.values.fill(COUNT - 1);
    values.values.fill(1);
    pages.add(0, 3);
    const sums = pages.take();
    expect(sums.length).toBe(COUNT);
    expect(sums[COUNT - 1]).toBe(3);
    expect(pages.take()).toEqual(new Float64Array(COUNT));
    expect(sums[COUNT - 1]).toBe(3);
  });

  test("whole pages of the greatest values are summed exactly", () => {
    indices.values.fill(7);
    values.values.fill(2 ** 32 - 1);
    expect(values.sum(0, PAGE_VALUES)).toBe((2 ** 32 - 1) * PAGE_VALUES);
    // As many as a float holds exactly.
    const most = Math.floor(2 ** 21 / PAGE_VALUES) - 1;
    for (let page = 0; page < most; page++) pages.add(0, PAGE_VALUES);
    expect(pages.take()[7]).toBe((2 ** 32 - 1) * most * PAGE_VALUES);
  });
});

test("sums begin at 0, in the memory of the pages, also where they were used before", async () => {
  for (let i = 0; i < 3; i++) {
    const pages = await takeSums(1000);
    expect(pages.indices.values.buffer === pages.values.values.buffer).toBe(true);
    pages.indices.values[0] = 999;
    pages.values.values[0] = 5;
    pages.add(0, 1);
    const sums = pages.take();
    expect(sums.indexOf(5)).toBe(999);
    expect(sums.reduce((sum, value) => sum + value, 0)).toBe(5);
    giveSums(pages);
  }
});
