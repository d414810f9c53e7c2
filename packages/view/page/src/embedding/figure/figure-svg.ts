/** A figure as SVG: the points as an image, all else as vectors. */

import { visibleDirections } from "../../answers/visible-names.js";
import { type Figure, FONT, FONT_SIZE, type Mark } from "./figure-marks.js";

/** @param image the image of the points as a `data:` URL. */
export function figureSvg({ width, height, ground, points, marks }: Figure, image: string): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FONT}" font-size="${FONT_SIZE}">`,
    `<rect width="${width}" height="${height}" fill="${ground}"/>`,
    `<image width="${points.width}" height="${points.height}" href="${image}"/>`,
    ...marks.map(markSvg),
    "</svg>",
  ].join("\n");
}

function markSvg(mark: Mark): string {
  switch (mark.mark) {
    case "text": {
      const anchor = mark.anchor === undefined ? "" : ` text-anchor="${mark.anchor}"`;
      const weight = mark.isBold ? ' font-weight="600"' : "";
      return `<text x="${mark.x}" y="${mark.y}" fill="${mark.colour}"${anchor}${weight}>${escaped(visibleDirections(mark.text))}</text>`;
    }
    case "disc":
      return `<circle cx="${mark.x}" cy="${mark.y}" r="${mark.radius}" fill="${mark.colour}"/>`;
    case "box":
      return `<rect x="${mark.x}" y="${mark.y}" width="${mark.width}" height="${mark.height}" fill="${mark.colour}"/>`;
    case "line":
      return `<polyline points="${mark.points.join(" ")}" fill="none" stroke="${mark.colour}"/>`;
    default:
      return mark satisfies never;
  }
}

/** Escapes text for XML. Characters not allowed in XML are replaced by a placeholder. */
export function escaped(text: string): string {
  return (
    text
      .replace(/\p{Surrogate}/gu, "\ufffd")
      // The characters that XML does not allow.
      .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
      .replace(/&/g, "&amp;")
      .replace(/</g, "&lt;")
      .replace(/>/g, "&gt;")
      .replace(/"/g, "&quot;")
  );
}
