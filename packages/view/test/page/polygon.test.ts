import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isInside, MOST_CORNERS, markInside, simplified } from "../../page/src/selection/polygon.js";

/** The slow twin: the angles under which a point sees the edges, summed, are a full turn for each winding. */
function windsAround(polygon: readonly number[], x: number, y: number): boolean {
  let sum = 0;
  for (let at = 0; at < polygon.length; at += 2) {
    const next = (at + 2) % polygon.length;
    const from = Math.atan2((polygon[at + 1] ?? 0) - y, (polygon[at] ?? 0) - x);
    const to = Math.atan2((polygon[next + 1] ?? 0) - y, (polygon[next] ?? 0) - x);
    let turn = to - from;
    if (turn > Math.PI) turn -= 2 * Math.PI;
    if (turn < -Math.PI) turn += 2 * Math.PI;
    sum += turn;
  }
  return Math.abs(sum) > Math.PI;
}

/** Corners on whole numbers, so that a point between them is on no edge by rounding alone. */
const polygons = fc
  .array(fc.tuple(fc.integer({ min: -20, max: 20 }), fc.integer({ min: -20, max: 20 })), {
    minLength: 3,
    maxLength: 40,
  })
  .map((corners) => corners.flat());
const onEdge = (polygon: readonly number[], x: number, y: number): boolean =>
  polygon.some((x0, at) => {
    if (at % 2 === 1) return false;
    const [y0, x1, y1] = [polygon[at + 1], polygon[(at + 2) % polygon.length], polygon[(at + 3) % polygon.length]].map(
      Number,
    ) as [number, number, number];
    const side = (x1 - x0) * (y - y0) - (x - x0) * (y1 - y0);
    return Math.abs(side) < 1e-9 && (x - x0) * (x - x1) + (y - y0) * (y - y1) <= 0;
  });

describe("points in a polygon", () => {
  test("by hand: a square, a bow tie, and a star's middle, around which it winds twice", () => {
    const square = [0, 0, 10, 0, 10, 10, 0, 10];
    expect([isInside(square, 5, 5), isInside(square, 11, 5), isInside(square, 5, -0.1)]).toEqual([true, false, false]);
    const tie = [0, 0, 10, 10, 10, 0, 0, 10];
    expect([isInside(tie, 1, 5), isInside(tie, 9, 5), isInside(tie, 5, 1)]).toEqual([true, true, false]);
    const star = Array.from({ length: 5 }, (_, at) => (4 * Math.PI * at) / 5).flatMap((a) => [
      Math.sin(a),
      Math.cos(a),
    ]);
    expect([isInside(star, 0, 0), isInside(star, 0, -0.9)]).toEqual([true, false]);
  });

  test("as the slow twin says, for any polygon", () => {
    const points = fc.array(
      fc.tuple(fc.float({ min: -22, max: 22, noNaN: true }), fc.float({ min: -22, max: 22, noNaN: true })),
    );
    fc.assert(
      fc.property(polygons, points, (polygon, places) => {
        for (const [x, y] of places) {
          if (!onEdge(polygon, x, y)) expect(isInside(polygon, x, y)).toBe(windsAround(polygon, x, y));
        }
      }),
    );
  });

  test("all points at once, as one by one, on edges and corners too", async () => {
    const grid = Array.from({ length: 45 * 45 }, (_, at) => [(at % 45) - 22, Math.floor(at / 45) - 22] as const);
    const xs = Float32Array.from(grid, ([x]) => x);
    const ys = Float32Array.from(grid, ([, y]) => y);
    await fc.assert(
      fc.asyncProperty(polygons, async (polygon) => {
        const marked = new Uint8Array(xs.length).fill(7);
        await markInside(polygon, xs, ys, marked);
        expect([...marked]).toEqual(Array.from(xs, (x, at) => (isInside(polygon, x, ys[at] ?? 0) ? 1 : 0)));
      }),
      { numRuns: 50 },
    );
  });

  test("two polygons that share an edge share no point of it", () => {
    const [left, right] = [
      [0, 0, 5, 0, 5, 10, 0, 10],
      [5, 0, 10, 0, 10, 10, 5, 10],
    ];
    for (let y = 0.5; y < 10; y++) expect(Number(isInside(left, 5, y)) + Number(isInside(right, 5, y))).toBe(1);
  });

  test("a cell without a place is in no polygon", async () => {
    const marked = new Uint8Array(3);
    await markInside([0, 0, 10, 0, 10, 10, 0, 10], [5, Number.NaN, 5], [5, 5, Number.NaN], marked);
    expect([...marked]).toEqual([1, 0, 0]);
  });

  test("stops when it is cancelled", async () => {
    const signal = AbortSignal.abort(new Error("no longer needed"));
    const marking = markInside(
      [0, 0, 1, 0, 1, 1],
      new Float32Array(10),
      new Float32Array(10),
      new Uint8Array(10),
      signal,
    );
    await expect(marking).rejects.toThrow("no longer needed");
  });
});

describe("fewer corners", () => {
  test("corners on a line go", () => {
    expect(simplified([0, 0, 5, 0, 10, 0, 10, 10, 5, 10.1, 0, 10], 0.5)).toEqual([0, 0, 10, 0, 10, 10, 0, 10]);
  });

  test("the form stays within the tolerance", () => {
    const circle = Array.from({ length: 2000 }, (_, at) => (2 * Math.PI * at) / 2000).flatMap((a) => [
      200 * Math.cos(a),
      200 * Math.sin(a),
    ]);
    const few = simplified(circle, 0.4);
    expect(few.length / 2).toBeLessThan(120);
    for (const radius of [199, 201]) {
      for (let a = 0; a < 6.28; a += 0.01) {
        expect(isInside(few, radius * Math.cos(a), radius * Math.sin(a))).toBe(radius === 199);
      }
    }
  });

  test("never more than a link may carry", () => {
    const jagged = Array.from({ length: 5000 }, (_, at) => [at, at % 2 === 0 ? 0 : 30]).flat();
    expect(simplified(jagged, 0.1).length).toBeLessThanOrEqual(2 * MOST_CORNERS);
  });
});
