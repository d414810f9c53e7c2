/** Histograms and quartiles, compared with numpy. */

import { expect, test } from "vitest";
import { binsFor, countCodes, countsIn, extentOf } from "../../page/src/figure/histogram.js";
import { boxesOf } from "../../page/src/quality/quartiles.js";

async function histogram(values: readonly number[], bins: number) {
  const edges = binsFor(await extentOf(values), bins);
  return { ...edges, counts: await countsIn(values, edges) };
}

test("the last bin has its upper edge", async () => {
  // np.histogram([0.5, 1.25, 2.0, 3.75, 9.9, 4.4, 4.4, 0.1, 7.3, 10.0], bins=5)
  const values = [0.5, 1.25, 2.0, 3.75, 9.9, 4.4, 4.4, 0.1, 7.3, 10.0];
  expect(await histogram(values, 5)).toEqual({ low: 0.1, high: 10, bins: 5, counts: [4, 1, 2, 1, 2] });
});

test("a thousand numbers", async () => {
  // i = np.arange(1000); np.histogram((i * i * 7919) % 1013 / 10, bins=24)[0]
  const values = Array.from({ length: 1000 }, (_, i) => ((i * i * 7919) % 1013) / 10);
  const { counts } = await histogram(values, 24);
  expect(counts).toEqual([
    39, 44, 44, 39, 53, 42, 43, 49, 35, 28, 36, 46, 46, 38, 28, 36, 47, 43, 42, 53, 40, 43, 46, 40,
  ]);
});

test("whole numbers fill bins of equally many", async () => {
  expect(await histogram([0, 1, 1, 2, 9], 5)).toEqual({ low: -0.5, high: 9.5, bins: 5, counts: [3, 1, 0, 0, 1] });
  expect(await histogram([3, 4, 6], 24)).toEqual({ low: 2.5, high: 6.5, bins: 4, counts: [1, 1, 0, 1] });
});

test("missing and infinite numbers are in no bin", async () => {
  const values = [Number.NaN, 1.5, Number.POSITIVE_INFINITY, 2.5, Number.NaN];
  expect(await extentOf(values)).toEqual({ least: 1.5, greatest: 2.5, areIntegers: false, missing: 2, infinite: 1 });
  expect((await histogram(values, 2)).counts).toEqual([1, 1]);
  expect((await histogram([Number.NaN], 2)).counts).toEqual([]);
  expect(await histogram([7, 7], 9)).toEqual({ low: 6.5, high: 7.5, bins: 1, counts: [2] });
});

test("only chosen numbers and codes are counted", async () => {
  const chosen = Uint8Array.of(1, 0, 1, 1);
  expect(await countsIn([0, 0, 1, 2], { low: 0, high: 2, bins: 2 }, chosen)).toEqual([1, 2]);
  // 255 is the code of no value.
  expect(await countCodes(Uint8Array.of(0, 1, 255, 1), 2, null)).toEqual([1, 2, 1]);
  expect(await countCodes(Uint8Array.of(0, 1, 255, 1), 2, chosen)).toEqual([1, 1, 1]);
});

test("quartiles are those of numpy", () => {
  // np.percentile(values, [25, 50, 75]) == [14.45, 31.6, 43.55]
  const values = [0, 82.8, 27.3, 36.1, 7.9, 44, 43.1, 5.2, 31.6, 21, 74.7];
  const [box, ...others] = boxesOf(
    [...values, 5, Number.NaN],
    Uint8Array.of(...values.map(() => 1), 255, 1),
    ["a", "b"],
    null,
  );
  expect(others).toEqual([]);
  expect(box).toMatchObject({ group: "b", count: 11, least: 0, median: 31.6, greatest: 82.8 });
  expect(box.lower).toBeCloseTo(14.45, 10);
  expect(box.upper).toBeCloseTo(43.55, 10);
});
