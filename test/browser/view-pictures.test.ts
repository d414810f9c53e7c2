/** Pictures of the page beside those that arithmetic gives, with a tolerance: the embedding, and a heat map. */

import { beforeAll, expect, test } from "vitest";
import { type Cells, readCells } from "./pbmc-oracle.js";
import { difference, screenPixels } from "./screen-pixels.js";
import { viewFrame } from "./view-frame.js";

const frame = viewFrame();
const FILE = "examples/pbmc.h5ad";
let cells: Cells;
beforeAll(async () => {
  cells = await readCells(FILE);
});

/** a.uns["cell_type_colors"], by a.obs.cell_type.cat.categories */
const COLOURS: Readonly<Record<string, readonly number[]>> = {
  "CD4 T cell": [31, 119, 180],
  "CD8 T cell": [174, 199, 232],
  "B cell": [255, 127, 14],
  "NK cell": [44, 160, 44],
  "CD14+ monocyte": [214, 39, 40],
  "FCGR3A+ monocyte": [148, 103, 189],
  "Dendritic cell": [140, 86, 75],
  Megakaryocyte: [227, 119, 194],
};

/** Diameter of a point, in pixels. */
const SIZE = 6;

/** Share of the pixels that may differ: edges of points, which are soft, and what lies above the canvas. */
const TOLERATED = 0.01;

test("an embedding has its points where they are, in the colours of their cells, and nothing elsewhere", async () => {
  const plot = { table: null, axes: null, colour: null, clip: [0, 100], split: null, size: SIZE, opacity: 1 };
  const { page } = await frame.served([FILE], { state: { tab: "embedding", plot } });
  await page.waitForFunction(() => document.querySelector<HTMLElement>(".points canvas")?.dataset.state === "whole");
  const box = await page.locator(".points canvas").boundingBox();
  if (box === null) throw new Error("no canvas");
  const first = await screenPixels(page, box);

  // The middle of the extent is in the middle, the longer side takes 94 % of the shorter side of the canvas.
  const ends = ([0, 1] as const).map((axis) => {
    const values = cells.places.map((place) => place[axis]);
    return [Math.min(...values), Math.max(...values)] as const;
  });
  const half = Math.max(...ends.map(([low, high]) => (high - low) / 2));
  const scale = (0.94 * Math.min(box.width, box.height)) / 2 / half;
  const [middleX = 0, middleY = 0] = ends.map(([low, high]) => (low + high) / 2);
  const points = cells.places.map(([x, y], at) => ({
    x: box.width / 2 + (x - middleX) * scale,
    y: box.height / 2 - (y - middleY) * scale,
    type: cells.types[at] ?? "",
  }));

  /** For each pixel: whether a point covers its middle, and the types of the points that touch it. */
  const { width, height } = first;
  const covered = new Uint8Array(width * height);
  const touching = new Map<number, Set<string>>();
  for (const { x, y, type } of points) {
    const reach = SIZE / 2 + 1.5;
    for (let row = Math.max(0, Math.floor(y - reach)); row < Math.min(height, y + reach); row++) {
      for (let column = Math.max(0, Math.floor(x - reach)); column < Math.min(width, x + reach); column++) {
        const away = Math.hypot(column + 0.5 - x, row + 0.5 - y);
        const pixel = row * width + column;
        if (away <= reach) touching.set(pixel, (touching.get(pixel) ?? new Set()).add(type));
        if (away <= SIZE / 2 - 1) covered[pixel] = 1;
      }
    }
  }
  /** How many pixels there are without and with a point, and the shares of them that are wrong. */
  const compared = (screen: typeof first) => {
    const ground = screen.at(width - 2, 2);
    let [empty, wrongEmpty, full, wrongFull] = [0, 0, 0, 0];
    for (let row = 0; row < height; row++) {
      for (let column = 0; column < width; column++) {
        const types = touching.get(row * width + column);
        const colour = screen.at(column, row);
        const isGround = difference(colour, ground) <= 2;
        if (types === undefined) {
          empty += 1;
          if (!isGround) wrongEmpty += 1;
        } else if (covered[row * width + column] === 1) {
          full += 1;
          // The point that is drawn last is in front: one of those that touch the pixel.
          if ([...types].every((type) => difference(colour, COLOURS[type] ?? []) > 24)) wrongFull += 1;
        }
      }
    }
    return { empty, full, wrongEmpty: wrongEmpty / empty, wrongFull: wrongFull / full };
  };
  // There are enough of each kind that the shares mean something.
  const { empty, full } = compared(first);
  expect(Math.min(empty, full)).toBeGreaterThan(5000);
  // Points may be drawn before their colours have been read.
  await expect.poll(async () => compared(await screenPixels(page, box)).wrongFull).toBeLessThan(TOLERATED);
  expect(compared(await screenPixels(page, box)).wrongEmpty).toBeLessThan(TOLERATED);
});

/** matplotlib.colormaps["viridis"](x, bytes=True)[:3] at 0, 1/8, …, 1 */
const VIRIDIS = [
  [68, 1, 84],
  [71, 44, 123],
  [58, 82, 139],
  [44, 114, 142],
  [32, 144, 140],
  [40, 174, 127],
  [94, 201, 97],
  [173, 220, 48],
  [253, 231, 36],
] as const;

function viridis(share: number): readonly number[] {
  const at = Math.min(share * 8, 7.999);
  const [low, high] = [VIRIDIS[Math.floor(at)] ?? VIRIDIS[0], VIRIDIS[Math.floor(at) + 1] ?? VIRIDIS[8]];
  return low.map((value, channel) => value + ((high[channel] ?? 0) - value) * (at - Math.floor(at)));
}

test("a heat map has the colours of the means, group by group and gene by gene", async () => {
  const genes = [0, 11, 17];
  const state = { tab: "matrix", matrix: { genes, form: "heat", isScaled: false } };
  const { page } = await frame.served([FILE], { state });
  const plot = page.getByRole("img", { name: "Genes of X by cell_type" });
  await plot.waitFor();
  const groups = [...new Set(cells.types)];
  const meanOf = (group: string, gene: number): number => {
    const values = cells.gene(gene).filter((_, at) => cells.types[at] === group);
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  const most = Math.max(...groups.flatMap((group) => genes.map((gene) => meanOf(group, gene))));
  // a.var.symbol[[0, 11, 17]]
  const symbols = ["CD3D", "MS4A1", "NKG7"];
  await expect.poll(() => plot.locator("rect title").count()).toBe(groups.length * genes.length);
  for (const group of groups) {
    for (const [at, gene] of genes.entries()) {
      const tile = plot
        .locator("rect")
        .filter({ has: page.locator("title", { hasText: `${symbols[at]} in ${group}\n` }) });
      const box = await tile.boundingBox();
      if (box === null) throw new Error(`no tile for ${symbols[at]} in ${group}`);
      const screen = await screenPixels(page, box);
      const found = screen.at(screen.width / 2, screen.height / 2);
      const wanted = viridis(meanOf(group, gene) / most);
      expect([group, gene, difference(found, wanted) <= 10, found, wanted]).toEqual([group, gene, true, found, wanted]);
    }
  }
});
