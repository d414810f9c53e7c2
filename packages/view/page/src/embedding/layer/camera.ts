/**
 * The camera of the picture. Coordinates of the file are first mapped to the square from -1 to 1 (`Frame`), in which 32
 * bits are precise wherever the file has its origin. The camera is a position and a zoom in this square.
 */

export interface Camera {
  /** Centre of the view, in square coordinates. */
  readonly x: number;
  readonly y: number;
  /** Zoom factor; 1 if the whole square is visible. */
  readonly zoom: number;
}

export const WHOLE: Camera = { x: 0, y: 0, zoom: 1 };

/** The extent of coordinates: their centre, and half their size. */
export interface Frame {
  readonly middle: readonly [number, number];
  readonly half: readonly [number, number];
}

/** A rectangle of the screen, in CSS pixels. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Fraction of the shorter side covered by the square when all of it is visible. */
const FILLED = 0.94;

const LIMITS = { zoom: [0.2, 20_000], place: 4 } as const;

/** @param isEven true where both axes have one unit, as in an embedding. */
export function frameOf(x: Extent, y: Extent, isEven: boolean): Frame {
  const half: [number, number] = [(x.high - x.low) / 2 || 1, (y.high - y.low) / 2 || 1];
  if (isEven) half.fill(Math.max(...half));
  return { middle: [(x.low + x.high) / 2, (y.low + y.high) / 2], half };
}

export interface Extent {
  readonly low: number;
  readonly high: number;
}

/** Returns the pixels per unit of the square. */
export const pixelsOf = ({ zoom }: Camera, box: Box): number => (FILLED * zoom * Math.min(box.width, box.height)) / 2;

/** Converts a pixel to square coordinates; `x` and `y` are measured from the left and top of the screen. */
export function placeAt(camera: Camera, box: Box, x: number, y: number): [number, number] {
  const pixels = pixelsOf(camera, box);
  return [camera.x + (x - box.left - box.width / 2) / pixels, camera.y - (y - box.top - box.height / 2) / pixels];
}

/** Converts square coordinates to a pixel. */
export function pixelAt(camera: Camera, box: Box, x: number, y: number): [number, number] {
  const pixels = pixelsOf(camera, box);
  return [box.left + box.width / 2 + (x - camera.x) * pixels, box.top + box.height / 2 - (y - camera.y) * pixels];
}

export function moved(camera: Camera, box: Box, dx: number, dy: number): Camera {
  const pixels = pixelsOf(camera, box);
  return limited({ ...camera, x: camera.x - dx / pixels, y: camera.y + dy / pixels });
}

/** Zooms by a factor around a fixed pixel. */
export function zoomed(camera: Camera, box: Box, factor: number, x: number, y: number): Camera {
  const before = placeAt(camera, box, x, y);
  const next = limited({ ...camera, zoom: camera.zoom * factor });
  const after = placeAt(next, box, x, y);
  return limited({ ...next, x: next.x + before[0] - after[0], y: next.y + before[1] - after[1] });
}

function limited({ x, y, zoom }: Camera): Camera {
  const within = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);
  return {
    x: within(x, -LIMITS.place, LIMITS.place),
    y: within(y, -LIMITS.place, LIMITS.place),
    zoom: within(zoom, ...LIMITS.zoom),
  };
}

/** Converts square coordinates to coordinates of the file. */
export const fromSquare = ({ middle, half }: Frame, axis: 0 | 1, value: number): number =>
  middle[axis] + value * half[axis];

/** Converts coordinates of the file to square coordinates. */
export const toSquare = ({ middle, half }: Frame, axis: 0 | 1, value: number): number =>
  (value - middle[axis]) / half[axis];
