/** Chunks as zarr 3.4 guesses them for arrays of these shapes (v2, and inside of shards), measured with zarr-python. */

import { describe, expect, it } from "vitest";
import {
  computeShardChunkRows,
  computeTextChunkRows,
  computeZarrChunkShape,
} from "../../../../src/containers/zarr/write/chunk-shape.js";
import { countElements } from "../../../../src/model/stored.js";

const CASES: readonly [shape: [number, ...number[]], size: number, plain: number[], inner: number[]][] = [
  [[1000], 4, [1000], [1000]],
  [[262_144], 4, [65_536], [65_536]],
  [[262_145], 4, [65_537], [65_537]],
  [[1_000_000], 4, [125_000], [125_000]],
  [[10_000_000], 4, [156_250], [156_250]],
  [[55_068_798], 4, [430_225], [215_113]],
  [[300_000], 1, [150_000], [150_000]],
  [[3_000_000], 1, [375_000], [375_000]],
  [[25_000, 50], 4, [6250, 25], [6250, 25]],
  [[2700, 2000], 4, [338, 500], [338, 500]],
  [[20_000, 3000], 4, [1250, 375], [1250, 188]],
  [[600, 600, 3], 4, [150, 300, 2], [150, 300, 2]],
  [[0], 4, [1], [1]],
  [[0, 5], 4, [1, 5], [1, 5]],
  [[5, 0], 4, [5, 1], [5, 1]],
];

describe("chunkShape", () => {
  it.each(CASES)("%j of %i bytes", ([rows, ...rest], size, plain, inner) => {
    expect(computeZarrChunkShape(rows, rest, size, false, 1)).toEqual(plain);
    expect(computeZarrChunkShape(rows, rest, size, true, 1)).toEqual(inner);
  });

  it("a band of chunks fits into memory", () => {
    for (const columns of [30_000, 300_000, 3_000_000]) {
      const [rows, width] = computeZarrChunkShape(1_000_000, [columns], 4, false, 1);
      expect(rows * columns * 4).toBeLessThanOrEqual(2 ** 25);
      expect(rows * width * 4).toBeGreaterThanOrEqual(2 ** 17);
    }
  });

  it("rows that nobody knows take a mebibyte", () => {
    expect(computeZarrChunkShape(null, [], 4, true, 1)).toEqual([262_144]);
    expect(computeZarrChunkShape(null, [50], 4, true, 1)).toEqual([5242, 50]);
    const wide = computeZarrChunkShape(null, [1_000_000], 4, true, 1);
    expect(wide[0]).toBe(1);
    expect(countElements(wide) * 4).toBeLessThanOrEqual(2 ** 20);
  });

  it("many open arrays have smaller chunks", () => {
    expect(computeZarrChunkShape(10_000_000, [], 8, false, 1000)[0] * 8 * 1000).toBeLessThanOrEqual(2 ** 28);
    expect(computeZarrChunkShape(null, [], 8, false, 1000)).toEqual([16_777]);
  });

  it("texts count by number", () => {
    expect(computeTextChunkRows(25_000, [])).toBe(25_000);
    expect(computeTextChunkRows(1_000_000, [])).toBe(65_536);
    expect(computeTextChunkRows(null, [2])).toBe(32_768);
    expect(computeTextChunkRows(0, [])).toBe(1);
  });
});

describe("shardBands", () => {
  it("64 MiB of chunks, fewer where many arrays are open", () => {
    expect(computeShardChunkRows(100, 2 ** 20, 1, 1)).toBe(64);
    expect(computeShardChunkRows(10, 2 ** 20, 1, 1)).toBe(10);
    expect(computeShardChunkRows(null, 2 ** 20, 1, 1)).toBe(64);
    expect(computeShardChunkRows(100, 2 ** 20, 1, 64)).toBe(2);
    expect(computeShardChunkRows(100, 2 ** 20, 1, 1000)).toBe(1);
    expect(computeShardChunkRows(100, 2 ** 30, 1, 1)).toBe(1);
    expect(computeShardChunkRows(null, 4, 1, 1)).toBe(65_536);
    expect(computeShardChunkRows(null, 0, 0, 1)).toBe(65_536);
  });
});
