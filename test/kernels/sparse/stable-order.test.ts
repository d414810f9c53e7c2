import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { computeStableOrder, OrderScratch } from "../../../src/kernels/sparse/stable-order.js";

/** Array.prototype.sort is stable. */
function slowOrder(pairs: readonly (readonly [number, number])[]): number[] {
  return pairs.map((_, i) => i).sort((a, b) => pairs[a][0] - pairs[b][0] || pairs[a][1] - pairs[b][1]);
}

const key = fc.oneof(fc.nat(3), fc.nat(300), fc.nat(2 ** 31 - 1));

describe("stable order", () => {
  test.each([
    ["few pairs", 30],
    ["some hundred", 400],
  ])("of %s is the twin's", (_, maxLength) => {
    const pairs = fc.array(fc.tuple(key, key), { maxLength, size: "max" });
    fc.assert(
      fc.property(pairs, fc.nat(3), (pairs, start) => {
        const pad = new Array<number>(start).fill(7);
        const major = Int32Array.from([...pad, ...pairs.map(([one]) => one), 7]);
        const minor = Int32Array.from([...pad, ...pairs.map(([, other]) => other), 7]);
        const order = computeStableOrder(major, minor, start, start + pairs.length, new OrderScratch(pairs.length));
        expect(order === null ? pairs.map((_, i) => i) : Array.from(order)).toEqual(slowOrder(pairs));
      }),
    );
  });

  test("of many is the twin's, whichever keys vary", () => {
    const count = 20_000;
    for (const [majors, minors] of [
      [1, 2 ** 31],
      [2 ** 31, 1],
      [3, 5],
      [2 ** 31, 2 ** 31],
    ]) {
      let state = 1;
      const next = (below: number) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
      };
      const pairs = Array.from({ length: count }, (): [number, number] => [next(majors), next(minors)]);
      const [major, minor] = [0, 1].map((i) => Int32Array.from(pairs, (pair) => pair[i]));
      expect(Array.from(computeStableOrder(major, minor, 0, count, new OrderScratch(count)) ?? [])).toEqual(
        slowOrder(pairs),
      );
    }
  });

  test("is null where all is in order", () => {
    const scratch = new OrderScratch(3);
    expect(computeStableOrder(Int32Array.of(1, 1, 2), Int32Array.of(4, 4, 0), 0, 3, scratch)).toBeNull();
    expect(computeStableOrder(new Int32Array(0), new Int32Array(0), 0, 0, scratch)).toBeNull();
  });
});
