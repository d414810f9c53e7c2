import { describe, expect, test } from "vitest";
import { categoryColours, paletteOf, parseColour } from "../../page/src/embedding/colours/category-colours.js";
import { clipped, spreadOf } from "../../page/src/embedding/colours/number-spread.js";
import { rampColour, rampPalette } from "../../page/src/embedding/colours/ramp.js";
import { escaped } from "../../page/src/embedding/figure/figure-svg.js";

describe("the ramp", () => {
  test("has viridis' colours, as matplotlib gives them", () => {
    // matplotlib.colormaps["viridis"](x, bytes=True)
    expect(rampColour(0)).toEqual([68, 1, 84]);
    expect(rampColour(1)).toEqual([253, 231, 37]);
    for (const [share, colour] of [
      [0.25, [59, 82, 139]],
      [0.5, [33, 145, 140]],
      [0.75, [94, 201, 98]],
    ] as const) {
      rampColour(share).forEach((channel, at) => {
        expect(Math.abs(channel - (colour[at] ?? 0))).toBeLessThanOrEqual(2);
      });
    }
  });

  test("ends at its ends", () => {
    expect(rampColour(-1)).toEqual(rampColour(0));
    expect(rampColour(7)).toEqual(rampColour(1));
    expect([...rampPalette().slice(-4)]).toEqual([253, 231, 37, 255]);
  });

  test("its lightness grows", () => {
    const lights = Array.from({ length: 256 }, (_, at) => {
      const [red, green, blue] = rampColour(at / 255);
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    });
    expect(lights.every((light, at) => at === 0 || light >= (lights[at - 1] ?? 0) - 1)).toBe(true);
  });
});

describe("colours of categories", () => {
  test("differ, for any number of them that a reader tells apart", () => {
    for (const count of [1, 8, 9, 40]) {
      const colours = categoryColours(count);
      expect(colours).toHaveLength(count);
      for (const [at, one] of colours.entries()) {
        for (const other of colours.slice(at + 1)) {
          expect(Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2])).toBeGreaterThan(12);
        }
      }
    }
  });

  test("of a file, in each of its forms", () => {
    expect(parseColour("#1f77b4")).toEqual([31, 119, 180]);
    expect(parseColour("#1F77B4FF")).toEqual([31, 119, 180]);
    expect(parseColour("#fff")).toEqual([255, 255, 255]);
    for (const none of [null, "", "blue", "#12345", "#12345g", "url(x)"]) expect(parseColour(none)).toBeNull();
  });

  test("as bytes", () => {
    expect([...paletteOf([[1, 2, 3]])]).toEqual([1, 2, 3, 255]);
  });
});

describe("numbers", () => {
  test("percentiles, ends and bins of 0 to 1000", async () => {
    const spread = await spreadOf([
      ...Array.from({ length: 1001 }, (_, at) => at),
      Number.NaN,
      Number.POSITIVE_INFINITY,
    ]);
    expect([spread.low, spread.high, spread.missing]).toEqual([0, 1000, 2]);
    expect(spread.bins.reduce((sum, count) => sum + count, 0)).toBe(1001);
    expect(clipped(spread, [1, 99])).toEqual([10, 990]);
    expect(clipped(spread, [0, 100])).toEqual([0, 1000]);
  });

  test("percentiles of more numbers than the sample has are near", async () => {
    const spread = await spreadOf(Float64Array.from({ length: 300_000 }, (_, at) => Math.sin(at) ** 3));
    const sorted = Array.from({ length: 300_000 }, (_, at) => Math.sin(at) ** 3).sort((a, b) => a - b);
    const [low] = clipped(spread, [10, 90]);
    expect(Math.abs(low - (sorted[30_000] ?? 0))).toBeLessThan(0.01);
  });

  test("a gene that few cells have is not clipped to nothing", async () => {
    const spread = await spreadOf(Float32Array.from({ length: 1000 }, (_, at) => (at < 3 ? 5 : 0)));
    expect(clipped(spread, [1, 99])).toEqual([0, 5]);
  });

  test("none at all", async () => {
    const spread = await spreadOf([Number.NaN]);
    expect([spread.low, spread.high, spread.missing]).toEqual([0, 0, 1]);
  });
});

test("text of a file in an SVG is text", () => {
  expect(escaped(`<script>&"\u0000\ud800é`)).toBe("&lt;script&gt;&amp;&quot;\ufffd\ufffdé");
});
