/** The tab `embedding` and the selection: what the canvas shows, and what a selection becomes as a file. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Cells, readCells } from "./pbmc-oracle.js";
import { viewFrame } from "./view-frame.js";

const frame = viewFrame();
const FILE = "examples/pbmc.h5ad";
let cells: Cells;
beforeAll(async () => {
  cells = await readCells(FILE);
});

const PLOT = { table: null, axes: null, colour: null, clip: [0, 100], split: null, size: 5, opacity: 1 };

/** The page with the tab `embedding`, when all points are drawn. */
async function embedding(state: Readonly<Record<string, unknown>> = {}): Promise<Page> {
  const { page } = await frame.served([FILE], { state: { tab: "embedding", plot: PLOT, ...state } });
  await drawn(page);
  return page;
}

async function drawn(page: Page, colour?: string): Promise<void> {
  await page.waitForFunction((wanted) => {
    const data = document.querySelector<HTMLElement>(".points canvas")?.dataset;
    return data?.state === "whole" && Number(data.points) > 0 && (wanted === undefined || data.colour === wanted);
  }, colour);
}

const count = async (page: Page): Promise<number> => {
  const text = await page.locator(".selection-count strong").first().textContent();
  return Number(text?.replaceAll(",", ""));
};

/** What the address says under a key. */
async function stored(page: Page, key: string): Promise<unknown> {
  const text = new URLSearchParams(new URL(page.url()).hash.slice(1)).get(key);
  return text === null ? null : JSON.parse(text);
}

async function saved(page: Page, format: string): Promise<Uint8Array> {
  await page.getByLabel("Format").selectOption(format);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  return readFileSync(await (await download).path());
}

async function savedCells(page: Page): Promise<Cells> {
  const folder = mkdtempSync(join(tmpdir(), "annarrow-view-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await page.getByLabel("Format").selectOption("h5ad");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const path = join(folder, "saved.h5ad");
  await (await download).saveAs(path);
  return readCells(path);
}

/** The file has these cells of the example, in its order, with their entries. */
function expectCells(found: Cells, positions: readonly number[]): void {
  expect(found.names).toEqual(positions.map((at) => cells.names[at]));
  expect(found.sums).toEqual(positions.map((at) => cells.sums[at]));
  expect(found.places).toEqual(positions.map((at) => cells.places[at]));
}

const positionsOf = (isChosen: (at: number) => boolean): number[] => [...cells.names.keys()].filter(isChosen);

/** The pixel of each cell, in the page: the middle of the extent is in the middle, the longer side takes 94 %. */
async function pixels(page: Page): Promise<(readonly [number, number])[]> {
  const box = await page.locator(".points").boundingBox();
  if (box === null) throw new Error("no canvas");
  const ends = ([0, 1] as const).map((axis) => {
    const values = cells.places.map((place) => place[axis]);
    return [Math.min(...values), Math.max(...values)] as const;
  });
  const half = Math.max(...ends.map(([low, high]) => (high - low) / 2));
  const scale = (0.94 * Math.min(box.width, box.height)) / 2 / half;
  const [middleX, middleY] = ends.map(([low, high]) => (low + high) / 2) as [number, number];
  return cells.places.map(
    ([x, y]) =>
      [box.x + box.width / 2 + (x - middleX) * scale, box.y + box.height / 2 - (y - middleY) * scale] as const,
  );
}

/** The colour of a pixel of the page, as the screen shows it. */
async function colourAt(page: Page, x: number, y: number): Promise<readonly number[]> {
  const clip = { x: Math.floor(x), y: Math.floor(y), width: 1, height: 1 };
  const picture = (await page.screenshot({ clip })).toString("base64");
  const blank = await page.context().newPage();
  const colour = await blank.evaluate(async (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(1, 1).getContext("2d");
    context?.drawImage(image, 0, 0);
    return [...(context?.getImageData(0, 0, 1, 1).data ?? [])].slice(0, 3);
  }, picture);
  await blank.close();
  return colour;
}

/** A cell that has only cells of its kind within some pixels. */
function alone(places: readonly (readonly [number, number])[], isSame: (at: number, other: number) => boolean): number {
  const far = places.findIndex(([x, y], at) =>
    places.every(([otherX, otherY], other) => Math.hypot(x - otherX, y - otherY) > 8 || isSame(at, other)),
  );
  expect(far).toBeGreaterThanOrEqual(0);
  return far;
}

describe("the canvas", () => {
  test("has the colours that uns stores for the categories", async () => {
    const page = await embedding();
    await frame.screenshot(page, "embedding");
    const places = await pixels(page);
    // uns/cell_type_colors, of the categories in their order.
    for (const [type, colour] of [
      ["CD4 T cell", [31, 119, 180]],
      ["B cell", [255, 127, 14]],
      ["Megakaryocyte", [227, 119, 194]],
    ] as const) {
      const at = alone(places, (one, other) => cells.types[one] === type && cells.types[other] === type);
      expect(await colourAt(page, ...(places[at] ?? [0, 0]))).toEqual(colour);
    }
    expect(await page.getByRole("button", { name: /^B cell/ }).textContent()).toContain("333");
  });

  test("has the ramp's colours for a gene, whose legend has its ends", async () => {
    const page = await embedding();
    await page.getByLabel("Colour by gene").fill("cd3d");
    await page.keyboard.press("Enter");
    await drawn(page, "CD3D");
    const values = cells.gene(0);
    const highest = Math.max(...values);
    const legend = page.getByRole("region", { name: "Legend: CD3D" });
    expect(await legend.textContent()).toContain(Number(highest.toPrecision(4)).toLocaleString("en"));
    const places = await pixels(page);
    const none = alone(places, (one, other) => values[one] === 0 && values[other] === 0);
    expect(await colourAt(page, ...(places[none] ?? [0, 0]))).toEqual([68, 1, 84]);
    await frame.screenshot(page, "embedding-gene");
  });

  test("shows the cell under the pointer", async () => {
    const page = await embedding();
    const places = await pixels(page);
    const at = alone(places, (one, other) => one === other);
    await page.mouse.move(...(places[at] ?? [0, 0]));
    const note = page.locator(".hover-note");
    await expect.poll(() => note.textContent()).toContain(cells.names[at]);
    expect(await note.textContent()).toContain(cells.types[at]);
  });

  test("moves by keys, and shows all again", async () => {
    const page = await embedding();
    await page.getByRole("application").focus();
    await page.keyboard.press("+");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => stored(page, "camera")).toMatchObject({ zoom: 1.4 });
    expect(((await stored(page, "camera")) as { x: number }).x).toBeGreaterThan(0);
    await page.keyboard.press("0");
    await expect.poll(() => stored(page, "camera")).toBeNull();
  });

  test("splits by a category", async () => {
    const page = await embedding({ plot: { ...PLOT, split: "donor" } });
    await expect.poll(() => page.locator(".panel-title").count()).toBe(4);
    await drawn(page);
    expect(await page.locator(".panel-title").first().textContent()).toMatch(/^D1\s+647$/);
    await frame.screenshot(page, "embedding-split");
  });

  test("is saved as PNG and SVG, with the legend", async () => {
    const page = await embedding();
    await page.getByText("Look", { exact: true }).click();
    for (const format of ["PNG", "SVG"]) {
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: `Save ${format}` }).click();
      const file = await download;
      expect(file.suggestedFilename()).toBe(`pbmc-embedding.${format.toLowerCase()}`);
      const bytes = readFileSync(await file.path());
      if (format === "PNG") expect(bytes.subarray(1, 4).toString()).toBe("PNG");
      else {
        const svg = bytes.toString();
        expect(svg).toContain('href="data:image/png;base64,');
        for (const type of new Set(cells.types)) expect(svg).toContain(`>${type}</text>`);
      }
    }
  });
});

describe("the selection", () => {
  test("of a category in the legend becomes an .h5ad of these cells", async () => {
    const page = await embedding();
    await page.getByRole("button", { name: /^B cell/ }).click();
    await expect.poll(() => count(page)).toBe(333);
    await page.getByRole("button", { name: /^NK cell/ }).click({ modifiers: ["Shift"] });
    await expect.poll(() => count(page)).toBe(333 + 166);
    const chosen = positionsOf((at) => ["B cell", "NK cell"].includes(cells.types[at] ?? ""));
    expectCells(await savedCells(page), chosen);
    expect(
      new TextDecoder()
        .decode(await saved(page, "names"))
        .trim()
        .split("\n"),
    ).toEqual(chosen.map((at) => cells.names[at]));
    await frame.screenshot(page, "embedding-selected");
  });

  test("of a lasso has the cells inside its polygon, and its link gives the same", async () => {
    const page = await embedding();
    const box = await page.locator(".points").boundingBox();
    if (box === null) throw new Error("no canvas");
    await page.getByRole("button", { name: /^Select by lasso/ }).click();
    const [x, y] = [box.x + box.width * 0.55, box.y + box.height * 0.5];
    await page.mouse.move(x + 170, y);
    await page.mouse.down();
    for (let a = 0; a < 6.2; a += 0.1) {
      const radius = 150 + 20 * Math.sin(5 * a);
      await page.mouse.move(x + radius * Math.cos(a), y + radius * Math.sin(a));
    }
    await page.mouse.up();
    await expect.poll(() => stored(page, "cells")).toHaveLength(1);
    const [step] = (await stored(page, "cells")) as { polygon: number[] }[];
    const polygon = step?.polygon ?? [];
    expect(polygon.every((value) => Math.fround(value) === value)).toBe(true);
    const inside = positionsOf((at) => windsAround(polygon, ...(cells.places[at] ?? [0, 0])));
    expect(inside.length).toBeGreaterThan(200);
    await expect.poll(() => count(page)).toBe(inside.length);
    expectCells(await savedCells(page), inside);

    // The lasso was drawn where its polygon is: the pixels of the cells say so too.
    const places = await pixels(page);
    const near = positionsOf((at) => Math.hypot((places[at]?.[0] ?? 0) - x, (places[at]?.[1] ?? 0) - y) < 125);
    const far = positionsOf((at) => Math.hypot((places[at]?.[0] ?? 0) - x, (places[at]?.[1] ?? 0) - y) > 175);
    expect(near.every((at) => inside.includes(at))).toBe(true);
    expect(far.some((at) => inside.includes(at))).toBe(false);

    const picture = await page.locator(".points").screenshot();
    await page.mouse.move(5, 5);
    await page.reload();
    await drawn(page);
    await expect.poll(() => count(page)).toBe(inside.length);
    await page.getByRole("button", { name: /^Select by lasso/ }).click();
    await expect.poll(async () => (await page.locator(".points").screenshot()).equals(picture)).toBe(true);
  });

  test("of a histogram keeps a range; undo, invert and clear", async () => {
    const page = await embedding({ plot: { ...PLOT, colour: { by: "column", column: "n_counts" } } });
    const histogram = page.getByRole("img", { name: "Histogram of n_counts" });
    const box = await histogram.boundingBox();
    if (box === null) throw new Error("no histogram");
    await page.mouse.move(box.x + box.width * 0.25, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 30, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => stored(page, "cells")).toHaveLength(1);
    const [{ range }] = (await stored(page, "cells")) as [{ range: [number, number] }];
    const [low, high] = [Math.min(...cells.counts), Math.max(...cells.counts)];
    expect(Math.abs(range[0] - (low + (high - low) / 4))).toBeLessThan((high - low) / 40);
    expect(Math.abs(range[1] - (low + (high - low) / 2))).toBeLessThan((high - low) / 40);
    const kept = cells.counts.filter((value) => value >= range[0] && value <= range[1]).length;
    await expect.poll(() => count(page)).toBe(kept);
    await page.getByRole("button", { name: "Invert" }).click();
    await expect.poll(() => count(page)).toBe(2700 - kept);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => count(page)).toBe(kept);
    await page.getByRole("button", { name: "Clear" }).click();
    await expect.poll(() => count(page)).toBe(2700);
  });

  test("of genes by search and by a pasted list becomes the genes of the file", async () => {
    const page = await embedding({ cells: [{ by: "filter", mode: "within", filter: "n_counts > 3000" }] });
    await expect.poll(() => count(page)).toBe(cells.counts.filter((value) => value > 3000).length);
    await page.getByLabel("Add a gene").fill("IL7R");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Paste a list" }).click();
    await page.getByLabel("Names of genes").fill("CD3D, LTB\nNOSUCHGENE");
    await page.getByRole("button", { name: "Add these" }).click();
    await page.getByText("Not found: NOSUCHGENE").waitFor();
    // Positions of IL7R, CD3D and LTB in var.
    await expect.poll(() => stored(page, "genes")).toEqual([2, 0, 3]);
    const found = await savedCells(page);
    const chosen = positionsOf((at) => (cells.counts[at] ?? 0) > 3000);
    expect(found.names).toEqual(chosen.map((at) => cells.names[at]));
    const expected = chosen.map((at) => [2, 0, 3].map((gene) => cells.gene(gene)[at] ?? 0));
    expect(found.names.map((_, at) => [0, 1, 2].map((gene) => found.gene(gene)[at]))).toEqual(expected);
  });

  test("of a link that means nothing is told in words, and the page goes on", async () => {
    const step = { by: "values", mode: "within", column: "cell_type", values: ["<b>no such type</b>"] };
    const page = await embedding({ cells: [step] });
    await page.getByText('cell_type has no value "<b>no such type</b>"').waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await expect.poll(() => count(page)).toBe(2700);
  });
});

/** Whether a polygon winds around a point: the angles under which it sees the edges, summed. */
function windsAround(polygon: readonly number[], x: number, y: number): boolean {
  let sum = 0;
  for (let at = 0; at < polygon.length; at += 2) {
    const next = (at + 2) % polygon.length;
    const from = Math.atan2((polygon[at + 1] ?? 0) - y, (polygon[at] ?? 0) - x);
    const turn = Math.atan2((polygon[next + 1] ?? 0) - y, (polygon[next] ?? 0) - x) - from;
    sum += Math.abs(turn) > Math.PI ? turn - Math.sign(turn) * 2 * Math.PI : turn;
  }
  return Math.abs(sum) > Math.PI;
}
