/** Lasso polygons: tests which points are inside, and removes corners while preserving the shape. */

import { inSlices } from "../data/slices.js";

/** Corners x0, y0, x1, y1, …; the last is joined to the first. */
export type Polygon = readonly number[];

/** Maximum number of corners of a polygon. */
export const MOST_CORNERS = 400;

/**
 * Whether a point is inside the polygon (non-zero winding rule). Parts that a lasso goes around twice are inside too. A
 * point on an edge is consistently assigned to one of the two sides.
 */
export function isInside(polygon: Polygon, x: number, y: number): boolean {
  let winding = 0;
  const { length } = polygon;
  for (let at = 0, before = length - 2; at < length; before = at, at += 2) {
    const [x0, y0] = [polygon[before] as number, polygon[before + 1] as number];
    const [x1, y1] = [polygon[at] as number, polygon[at + 1] as number];
    if (y0 <= y === y1 <= y) continue;
    // Positive if the point is to the left of the edge.
    const side = (x1 - x0) * (y - y0) - (x - x0) * (y1 - y0);
    if (y1 > y0) winding += side > 0 ? 1 : 0;
    else winding -= side < 0 ? 1 : 0;
  }
  return winding !== 0;
}

/**
 * Number of horizontal strips of equal height, each with its crossing edges, so that a point is tested against few
 * edges.
 */
const STRIPS = 256;

/** Sets `into` to 1 for each point inside, and to 0 for points outside. */
export async function markInside(
  polygon: Polygon,
  xs: ArrayLike<number>,
  ys: ArrayLike<number>,
  into: Uint8Array,
  signal?: AbortSignal,
): Promise<void> {
  const [low, high, left, right] = bounds(polygon);
  const strips = edgesByStrip(polygon, low, high);
  const scale = STRIPS / (high - low);
  await inSlices(
    into.length,
    (from, to) => {
      for (let row = from; row < to; row++) {
        const x = xs[row] as number;
        const y = ys[row] as number;
        // NaN is never inside a range.
        if (!(y >= low && y <= high && x >= left && x <= right)) {
          into[row] = 0;
          continue;
        }
        const strip = strips[Math.min(Math.floor((y - low) * scale), STRIPS - 1)];
        into[row] = strip !== undefined && windsAround(strip, x, y) ? 1 : 0;
      }
    },
    { signal },
  );
}

/** `isInside` over edges of four numbers each. */
function windsAround(edges: Float64Array, x: number, y: number): boolean {
  let winding = 0;
  for (let at = 0; at < edges.length; at += 4) {
    const y0 = edges[at + 1] as number;
    const y1 = edges[at + 3] as number;
    if (y0 <= y === y1 <= y) continue;
    const x0 = edges[at] as number;
    const side = ((edges[at + 2] as number) - x0) * (y - y0) - (x - x0) * (y1 - y0);
    if (y1 > y0) winding += side > 0 ? 1 : 0;
    else winding -= side < 0 ? 1 : 0;
  }
  return winding !== 0;
}

function edgesByStrip(polygon: Polygon, low: number, high: number): readonly Float64Array[] {
  const strips: number[][] = Array.from({ length: STRIPS }, () => []);
  const scale = STRIPS / (high - low);
  const { length } = polygon;
  for (let at = 0, before = length - 2; at < length; before = at, at += 2) {
    const edge = [polygon[before], polygon[before + 1], polygon[at], polygon[at + 1]].map(Number);
    const [y0 = 0, y1 = 0] = [edge[1], edge[3]];
    // One more strip on both sides, because a point's strip index is rounded.
    const first = Math.max(Math.floor((Math.min(y0, y1) - low) * scale) - 1, 0);
    const last = Math.min(Math.floor((Math.max(y0, y1) - low) * scale) + 1, STRIPS - 1);
    for (let strip = first; strip <= last; strip++) strips[strip]?.push(...edge);
  }
  return strips.map((edges) => Float64Array.from(edges));
}

function bounds(polygon: Polygon): [low: number, high: number, left: number, right: number] {
  const [xs, ys] = [polygon.filter((_, at) => at % 2 === 0), polygon.filter((_, at) => at % 2 === 1)];
  return [Math.min(...ys), Math.max(...ys), Math.min(...xs), Math.max(...xs)];
}

/**
 * Returns the same shape with fewer corners (Douglas-Peucker).
 * @param tolerance maximum displacement of the shape, if that leaves no more corners than a link may have.
 */
export function simplified(polygon: Polygon, tolerance: number): number[] {
  const weights = cornerWeights(polygon, tolerance);
  const kept = [...weights.keys()].filter((corner) => (weights[corner] as number) > tolerance);
  const heaviest =
    kept.length <= MOST_CORNERS
      ? kept
      : kept
          .sort((a, b) => (weights[b] as number) - (weights[a] as number))
          .slice(0, MOST_CORNERS)
          .sort((a, b) => a - b);
  return heaviest.flatMap((corner) => [polygon[2 * corner] as number, polygon[2 * corner + 1] as number]);
}

/**
 * Returns the distance by which the shape changes without each corner, given the corners of greater weight; 0 below the
 * tolerance.
 */
function cornerWeights(polygon: Polygon, tolerance: number): Float64Array {
  const last = polygon.length / 2 - 1;
  const weights = new Float64Array(last + 1);
  weights[0] = weights[last] = Number.POSITIVE_INFINITY;
  const open: [from: number, to: number, most: number][] = [[0, last, Number.POSITIVE_INFINITY]];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const [from, to, most] = part;
    let [farthest, distance] = [from, tolerance];
    for (let corner = from + 1; corner < to; corner++) {
      const away = distanceToLine(polygon, from, to, corner);
      if (away > distance) [farthest, distance] = [corner, away];
    }
    if (farthest === from) continue;
    // A corner never has more weight than the corner that split the line before it, so the heaviest n corners always
    // form a valid shape.
    const weight = Math.min(distance, most);
    weights[farthest] = weight;
    open.push([from, farthest, weight], [farthest, to, weight]);
  }
  return weights;
}

function distanceToLine(polygon: Polygon, from: number, to: number, corner: number): number {
  const x0 = polygon[2 * from] as number;
  const y0 = polygon[2 * from + 1] as number;
  const dx = (polygon[2 * to] as number) - x0;
  const dy = (polygon[2 * to + 1] as number) - y0;
  const x = (polygon[2 * corner] as number) - x0;
  const y = (polygon[2 * corner + 1] as number) - y0;
  const length = Math.sqrt(dx * dx + dy * dy);
  return length === 0 ? Math.sqrt(x * x + y * y) : Math.abs(dx * y - dy * x) / length;
}
