/** Saves a plot as SVG with the page's styles inlined, or as PNG. */

/** Properties that the page's style sheets set on plots. */
const INLINED = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-opacity",
  "stroke-width",
  "stroke-dasharray",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "font-variant-numeric",
  "text-anchor",
  "dominant-baseline",
  "paint-order",
] as const;

/** Image pixels per page pixel. */
const SCALE = 3;

/** Returns the plot as a standalone SVG document, with the page's background. */
export function svgText(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true);
  if (!(copy instanceof SVGSVGElement)) throw new TypeError("a plot is an SVG element");
  inline(svg, copy);
  const { width, height } = sizeOf(svg);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  ground.setAttribute("width", "100%");
  ground.setAttribute("height", "100%");
  ground.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  const [x, y] = (svg.getAttribute("viewBox") ?? "0 0").split(/[ ,]+/);
  ground.setAttribute("x", x ?? "0");
  ground.setAttribute("y", y ?? "0");
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}

function inline(from: Element, to: Element): void {
  const styles = getComputedStyle(from);
  for (const name of INLINED) {
    const value = styles.getPropertyValue(name);
    if (value !== "") to.setAttribute(name, value);
  }
  to.removeAttribute("style");
  to.removeAttribute("class");
  for (let index = 0; index < from.children.length; index++) inline(from.children[index], to.children[index]);
}

function sizeOf(svg: SVGSVGElement): { width: number; height: number } {
  const { width, height } = svg.getBoundingClientRect();
  return { width: Math.ceil(width), height: Math.ceil(height) };
}

export async function pngOf(svg: SVGSVGElement): Promise<Blob> {
  const { width, height } = sizeOf(svg);
  const address = URL.createObjectURL(new Blob([svgText(svg)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * SCALE;
    canvas.height = height * SCALE;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob(
        (blob) => (blob === null ? reject(new Error("The image is too large.")) : resolve(blob)),
        "image/png",
      ),
    );
  } finally {
    URL.revokeObjectURL(address);
  }
}

export function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The download keeps the bytes alive, but begins only after this task.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Saves a plot. @param name file name without extension. */
export async function saveFigure(svg: SVGSVGElement, name: string, form: "png" | "svg"): Promise<void> {
  const blob = form === "png" ? await pngOf(svg) : new Blob([svgText(svg)], { type: "image/svg+xml" });
  download(blob, `${name.replaceAll(/[^\p{L}\p{N}_.-]+/gu, "-")}.${form}`);
}
