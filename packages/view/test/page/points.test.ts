import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { frameOf, moved, pixelAt, placeAt, WHOLE, zoomed } from "../../page/src/embedding/layer/camera.js";
import { PointOrder } from "../../page/src/embedding/layer/point-order.js";
import { HoverIndex } from "../../page/src/embedding/plot/hover-index.js";
import { checkCamera, checkPlot, INITIAL } from "../../page/src/embedding/plot/plot-state.js";
import { groupsOf, MOST_PANELS, panelBoxes } from "../../page/src/embedding/plot/split-panels.js";

describe("the order of drawing", () => {
  test("has each point once", () => {
    for (const count of [1, 2, 3, 4, 10, 97, 1000, 65_536]) {
      const order = new PointOrder(count);
      expect(new Set(Array.from({ length: count }, (_, at) => order.position(at))).size).toBe(count);
    }
  });

  test("copies any range as its positions say", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(), fc.nat(), (count, a, b) => {
        const [from, to] = [a % count, b % (count + 1)].sort((x, y) => x - y) as [number, number];
        const values = Array.from({ length: count }, (_, at) => 3 * at);
        const order = new PointOrder(count);
        const into: number[] = [];
        order.copy(values, into, from, to);
        expect(into).toEqual(Array.from({ length: to - from }, (_, at) => 3 * order.position(from + at)));
      }),
    );
  });

  test("a first part is spread over the file", () => {
    const order = new PointOrder(1_000_000);
    const tenths = new Array<number>(10).fill(0);
    for (let at = 0; at < 50_000; at++) {
      const tenth = Math.floor(order.position(at) / 100_000);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    for (const count of tenths) expect(Math.abs(count - 5000)).toBeLessThan(100);
  });

  test("ten million points stay whole numbers", () => {
    const order = new PointOrder(10_000_000);
    const last = order.position(9_999_999);
    expect(Number.isSafeInteger(last) && last >= 0 && last < 10_000_000).toBe(true);
  });
});

describe("the camera", () => {
  const box = { left: 10, top: 20, width: 800, height: 600 };

  test("pixels and places are each other's inverse", () => {
    const camera = { x: 0.3, y: -0.2, zoom: 7 };
    const [x, y] = placeAt(camera, box, 111, 222);
    const [left, top] = pixelAt(camera, box, x, y);
    expect([left, top].map((value) => Math.round(value * 1e6) / 1e6)).toEqual([111, 222]);
  });

  test("zooming keeps the place under the pointer, moving takes it along", () => {
    const place = placeAt(WHOLE, box, 300, 100);
    const near = placeAt(zoomed(WHOLE, box, 5, 300, 100), box, 300, 100);
    expect(Math.hypot(near[0] - place[0], near[1] - place[1])).toBeLessThan(1e-12);
    const along = placeAt(moved(WHOLE, box, 40, -30), box, 340, 70);
    expect(Math.hypot(along[0] - place[0], along[1] - place[1])).toBeLessThan(1e-12);
  });

  test("an embedding has one unit for both axes", () => {
    expect(frameOf({ low: 0, high: 10 }, { low: 5, high: 7 }, true)).toEqual({ middle: [5, 6], half: [5, 5] });
    expect(frameOf({ low: 0, high: 10 }, { low: 5, high: 7 }, false)).toEqual({ middle: [5, 6], half: [5, 1] });
    expect(frameOf({ low: 3, high: 3 }, { low: 3, high: 3 }, true)).toEqual({ middle: [3, 3], half: [1, 1] });
  });
});

test("the point under the pointer, as a look at all of them finds it", async () => {
  const count = 5000;
  const xs = Float32Array.from({ length: count }, (_, at) => (at === 17 ? Number.NaN : Math.sin(at * 12.9898) * 3));
  const ys = Float32Array.from({ length: count }, (_, at) => Math.sin(at * 78.233) * 3 + 100);
  const frame = frameOf({ low: -3, high: 3 }, { low: 97, high: 103 }, true);
  const index = await HoverIndex.build(xs, ys, frame);
  const away = (at: number, x: number, y: number) => Math.hypot((xs[at] ?? 0) / 3 - x, ((ys[at] ?? 0) - 100) / 3 - y);
  fc.assert(
    fc.property(
      fc.double({ min: -1.1, max: 1.1, noNaN: true }),
      fc.double({ min: -1.1, max: 1.1, noNaN: true }),
      (x, y) => {
        const found = index.nearest(x, y, 0.02);
        const near = Array.from(xs.keys()).filter((at) => away(at, x, y) < 0.02);
        if (near.length === 0) expect(found).toBeNull();
        else expect(away(found ?? -1, x, y)).toBe(Math.min(...near.map((at) => away(at, x, y))));
      },
    ),
  );
  expect(index.nearest(0, 0, 0.5, (point) => point === 42)).toBe(away(42, 0, 0) < 0.5 ? 42 : null);
});

describe("split panels", () => {
  test("each group has its points, and no other", async () => {
    const codes = Uint8Array.from({ length: 1000 }, (_, at) => (at % 10 === 0 ? 255 : at % 3));
    const order = new PointOrder(1000);
    const { indices, groups, left } = await groupsOf({ kind: "codes", codes, categories: ["a", "b", "c"] }, order);
    expect(left).toBe(0);
    expect(groups.map(({ title }) => title)).toEqual(["a", "b", "c", "missing"]);
    for (const { code, first, count } of groups) {
      const points = Array.from(indices.subarray(first, first + count), (at) => order.position(at));
      expect(points.toSorted((a, b) => a - b)).toEqual([...codes.keys()].filter((cell) => codes[cell] === code));
    }
  });

  test("the largest categories have panels", async () => {
    const codes = Uint8Array.from({ length: 5000 }, (_, at) => Math.floor(Math.sqrt(at)));
    const categories = Array.from({ length: 71 }, (_, at) => `type ${at}`);
    const { groups, left } = await groupsOf({ kind: "codes", codes, categories }, new PointOrder(5000));
    expect([groups.length, left]).toEqual([MOST_PANELS, 71 - MOST_PANELS]);
    expect(groups.every(({ code }) => code >= 40)).toBe(true);
  });

  test("boxes lie on the canvas and not on each other", () => {
    for (const count of [1, 2, 3, 7, 12, 30]) {
      const boxes = panelBoxes(count, 900, 600);
      for (const [at, one] of boxes.entries()) {
        expect(one.left + one.width <= 900 && one.top + one.height <= 600 && one.top >= 20).toBe(true);
        for (const other of boxes.slice(at + 1)) {
          const isApart =
            one.left + one.width <= other.left ||
            one.top + one.height <= other.top ||
            other.left + other.width <= one.left;
          expect(isApart).toBe(true);
        }
      }
    }
  });
});

describe("the state of a link", () => {
  test("is kept where it is good", () => {
    const state = { ...INITIAL, colour: { by: "genes", matrix: "X", genes: [1, 2] }, size: 3 };
    expect(checkPlot(JSON.parse(JSON.stringify(state)))).toEqual(state);
    expect(checkCamera({ x: 0, y: 1, zoom: 2 })).toEqual({ x: 0, y: 1, zoom: 2 });
  });

  test.each([
    [{ ...INITIAL, size: 1e9 }],
    [{ ...INITIAL, clip: [1] }],
    [{ ...INITIAL, colour: { by: "genes", matrix: "X", genes: [] } }],
    [{ ...INITIAL, more: 1 }],
    [null],
  ])("%j is refused", (state) => {
    expect(checkPlot(state)).toBeNull();
  });

  test("a camera out of all bounds is refused", () => {
    expect(checkCamera({ x: 0, y: 0, zoom: 1e12 })).toBeNull();
  });
});
