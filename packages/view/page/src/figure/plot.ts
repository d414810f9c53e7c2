/** Observable Plot with the page's restrictions: no style elements, and a single SVG. */

import * as Plot from "@observablehq/plot";

/** Draws a plot without legends. */
export function plotSvg(options: Plot.PlotOptions): SVGSVGElement {
  const plot = Plot.plot({ ...options, className: "plot", style: { background: "none" } });
  const svg = plot instanceof SVGSVGElement ? plot : plot.querySelector("svg");
  if (!(svg instanceof SVGSVGElement)) throw new TypeError("a plot has no SVG");
  // The page's policy refuses styles in documents; figure.css has them.
  for (const style of svg.querySelectorAll("style")) style.remove();
  return svg;
}

export { Plot };
