/** Pointer, wheel and key gestures in the plot: move, zoom, draw a lasso or a rectangle, hover over a point. */

import { type Box, type Camera, moved, WHOLE, zoomed } from "../layer/camera.js";

export type Tool = "move" | "lasso" | "rectangle";

export interface GestureTarget {
  readonly element: HTMLElement;
  tool(): Tool;
  camera(): Camera;
  setCamera(camera: Camera): void;
  /** Returns the panel at a pixel, or the nearest one. */
  boxAt(x: number, y: number): Box;
  /** Called with the outline being drawn, x0, y0, x1, y1, … in pixels; null when it ends. */
  onOutline(outline: readonly number[] | null): void;
  /** Called when an outline is complete. */
  onChosen(outline: readonly number[], box: Box, keys: { readonly add: boolean; readonly remove: boolean }): void;
  onHover(at: { readonly x: number; readonly y: number } | null): void;
}

/** Pixels by which an arrow key moves the plot, and zoom factor of a key. */
const KEY_STEP = 60;
const KEY_ZOOM = 1.4;

interface Pointer {
  x: number;
  y: number;
}

export function followGestures(target: GestureTarget, signal: AbortSignal): void {
  const { element } = target;
  const pointers = new Map<number, Pointer>();
  let outline: { points: number[]; box: Box; tool: Tool } | null = null;
  const placeOf = (event: MouseEvent): Pointer => {
    const { left, top } = element.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const listen = <K extends keyof HTMLElementEventMap>(name: K, listener: (event: HTMLElementEventMap[K]) => void) =>
    element.addEventListener(name, listener, { signal, passive: false });

  listen("pointerdown", (event) => {
    if (event.button !== 0) return;
    element.focus({ preventScroll: true });
    element.setPointerCapture(event.pointerId);
    const at = placeOf(event);
    pointers.set(event.pointerId, at);
    const tool = target.tool() === "move" && event.shiftKey ? "lasso" : target.tool();
    outline =
      tool === "move" || pointers.size > 1 ? null : { points: [at.x, at.y], box: target.boxAt(at.x, at.y), tool };
    target.onOutline(null);
    target.onHover(null);
  });

  listen("pointermove", (event) => {
    const at = placeOf(event);
    const before = pointers.get(event.pointerId);
    if (before === undefined) {
      target.onHover(at);
      return;
    }
    if (outline !== null) {
      outline.points = extended(outline, at);
      target.onOutline(outline.points);
    } else if (pointers.size === 1) {
      target.setCamera(moved(target.camera(), target.boxAt(at.x, at.y), at.x - before.x, at.y - before.y));
    } else {
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other !== undefined) pinch(target, before, at, other);
    }
    pointers.set(event.pointerId, at);
  });

  const end = (event: PointerEvent) => {
    pointers.delete(event.pointerId);
    const drawn = outline;
    if (drawn === null || pointers.size > 0) return;
    outline = null;
    target.onOutline(null);
    if (event.type === "pointerup" && isArea(drawn.points)) {
      target.onChosen(drawn.points, drawn.box, { add: event.shiftKey, remove: event.altKey });
    }
  };
  listen("pointerup", end);
  listen("pointercancel", end);
  listen("pointerleave", () => target.onHover(null));

  listen("wheel", (event) => {
    event.preventDefault();
    const { x, y } = placeOf(event);
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1;
    // A touchpad pinch arrives as wheel events with Ctrl, in small steps.
    const speed = event.ctrlKey ? 0.01 : 0.0015;
    const factor = Math.exp(-Math.max(-300, Math.min(event.deltaY * lines, 300)) * speed);
    target.setCamera(zoomed(target.camera(), target.boxAt(x, y), factor, x, y));
  });

  listen("dblclick", (event) => {
    const { x, y } = placeOf(event);
    if (target.tool() === "move") target.setCamera(zoomed(target.camera(), target.boxAt(x, y), 2, x, y));
  });

  listen("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && outline !== null) {
      outline = null;
      target.onOutline(null);
      return;
    }
    const camera = afterKey(event.key, target);
    if (camera === null) return;
    event.preventDefault();
    target.setCamera(camera);
  });
}

function extended({ points, tool }: { points: number[]; tool: Tool }, { x, y }: Pointer): number[] {
  const [left = 0, top = 0] = points;
  if (tool === "rectangle") return [left, top, x, top, x, y, left, y];
  const [beforeX = 0, beforeY = 0] = points.slice(-2);
  return Math.hypot(x - beforeX, y - beforeY) < 1.5 ? points : [...points, x, y];
}

/** Whether the outline is more than a click. */
function isArea(points: readonly number[]): boolean {
  const extent = (axis: 0 | 1) => {
    const values = points.filter((_, at) => at % 2 === axis);
    return Math.max(...values) - Math.min(...values);
  };
  return points.length >= 6 && Math.max(extent(0), extent(1)) > 3;
}

function pinch(target: GestureTarget, before: Pointer, at: Pointer, other: Pointer): void {
  const [x, y] = [(at.x + other.x) / 2, (at.y + other.y) / 2];
  const box = target.boxAt(x, y);
  const length = Math.hypot(before.x - other.x, before.y - other.y);
  const factor = Math.hypot(at.x - other.x, at.y - other.y) / Math.max(length, 1);
  const shifted = moved(target.camera(), box, (at.x - before.x) / 2, (at.y - before.y) / 2);
  target.setCamera(zoomed(shifted, box, factor, x, y));
}

function afterKey(key: string, target: GestureTarget): Camera | null {
  const { width, height } = target.element.getBoundingClientRect();
  const box = target.boxAt(width / 2, height / 2);
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const camera = target.camera();
  switch (key) {
    case "ArrowLeft":
      return moved(camera, box, KEY_STEP, 0);
    case "ArrowRight":
      return moved(camera, box, -KEY_STEP, 0);
    case "ArrowUp":
      return moved(camera, box, 0, KEY_STEP);
    case "ArrowDown":
      return moved(camera, box, 0, -KEY_STEP);
    case "+":
    case "=":
      return zoomed(camera, box, KEY_ZOOM, x, y);
    case "-":
      return zoomed(camera, box, 1 / KEY_ZOOM, x, y);
    case "0":
    case "f":
      return WHOLE;
    default:
      return null;
  }
}
