/** Selection of a range on a histogram, by pointer or keyboard. */

import type { NumberAxis } from "./quality-figures.js";

const SVG = "http://www.w3.org/2000/svg";
/** Minimum width of a range in pixels; a shorter drag is a click. */
const LEAST = 4;

/** Adds range selection to a plot; `done` receives the ends of the range. */
export function addBrush(svg: SVGSVGElement, axis: NumberAxis, done: (range: readonly [number, number]) => void): void {
  const shade = document.createElementNS(SVG, "rect");
  for (const [name, value] of Object.entries({ y: axis.top, height: axis.bottom - axis.top, width: 0 })) {
    shade.setAttribute(name, String(value));
  }
  shade.setAttribute("class", "brush");
  svg.append(shade);
  svg.classList.add("brushed");
  let start: number | null = null;
  const placeOf = (event: PointerEvent) => {
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) * svg.viewBox.baseVal.width) / box.width;
    return Math.min(Math.max(x, axis.left), axis.right);
  };
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    start = placeOf(event);
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    if (start === null) return;
    const end = placeOf(event);
    shade.setAttribute("x", String(Math.min(start, end)));
    shade.setAttribute("width", String(Math.abs(end - start)));
  });
  svg.addEventListener("pointerup", (event) => {
    if (start === null) return;
    const end = placeOf(event);
    const [left, right] = [Math.min(start, end), Math.max(start, end)];
    start = null;
    shade.setAttribute("width", "0");
    if (right - left >= LEAST) done([axis.numberAt(left), axis.numberAt(right)]);
  });
  svg.addEventListener("pointercancel", () => {
    start = null;
    shade.setAttribute("width", "0");
  });
}
