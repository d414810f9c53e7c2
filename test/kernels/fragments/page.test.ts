import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFragmentPage } from "../../../src/kernels/fragments/page.js";
import type { FragmentRows } from "../../../src/kernels/fragments/rows.js";
import { createSlowFragmentPage } from "./slow-page.js";

const number = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom(2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1));
const rows = fc
  .tuple(fc.array(fc.tuple(fc.nat(1), number, number), { maxLength: 40 }), fc.boolean(), fc.boolean())
  .map(([all, isOne, isSorted]): FragmentRows => {
    const start = Uint32Array.from(all, ([, one]) => one);
    if (isSorted) start.sort();
    return {
      length: all.length,
      chr: Uint32Array.from(all, ([one]) => (isOne ? 1 : one)),
      start,
      end: Uint32Array.from(all, ([, , end], i) => (isSorted ? Math.max(end, start[i]) : end)),
      cell: new Uint32Array(all.length),
      count: null,
    };
  });

describe("a page of fragments", () => {
  test.each([
    ["WebAssembly", createFragmentPage],
    ["loops", async () => createSlowFragmentPage()],
  ])("of %s says what a loop would", async (_, create) => {
    const page = await create();
    const one = (chr: number[], start: number[], end: number[]): FragmentRows => ({
      length: chr.length,
      chr: Uint32Array.from(chr),
      start: Uint32Array.from(start),
      end: Uint32Array.from(end),
      cell: new Uint32Array(chr.length),
      count: null,
    });
    const quiet = { changes: false, descends: false, isBackwards: false };
    expect(page.look(one([1, 1], [5, 5], [5, 6]), 1, 5)).toEqual(quiet);
    expect(page.look(one([1, 1], [5, 5], [5, 6]), 1, 6)).toEqual({ ...quiet, descends: true });
    expect(page.look(one([1, 2], [5, 4], [5, 6]), 1, 5)).toEqual({ ...quiet, changes: true });
    expect(page.look(one([1, 1], [5, 8], [5, 7]), 1, 5)).toEqual({ ...quiet, isBackwards: true });
    page.look(one([1, 1], [5, 8], [9, 7]), 1, 5);
    expect([...page.lengths()]).toEqual([4, 2 ** 32 - 1]);
    expect([page.greatest(0, 2), page.greatest(1, 2), page.greatest(1, 1)]).toEqual([9, 7, 0]);
  });

  test("is the same in WebAssembly", async () => {
    const wasm = await createFragmentPage();
    const plain = createSlowFragmentPage();
    fc.assert(
      fc.property(rows, fc.nat(1), number, fc.nat(40), fc.nat(40), (rows, chr, start, a, b) => {
        expect(wasm.look(rows, chr, start)).toEqual(plain.look(rows, chr, start));
        expect(wasm.lengths()).toEqual(plain.lengths());
        const [from, to] = [a, b].map((one) => Math.min(one, rows.length)).sort((x, y) => x - y);
        expect(wasm.greatest(from, to)).toBe(plain.greatest(from, to));
        const { end: _, ...places } = rows;
        const alone = { ...plain.look(rows, chr, start), isBackwards: false };
        expect([wasm, plain].map((page) => page.look(places, chr, start))).toEqual([alone, alone]);
      }),
      { numRuns: 500 },
    );
  });
});
