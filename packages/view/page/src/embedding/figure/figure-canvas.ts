/** A figure as PNG. */

import { visibleDirections } from "../../answers/visible-names.js";
import { type Figure, FONT, FONT_SIZE, type Mark } from "./figure-marks.js";

export async function drawFigure(figure: Figure, points: HTMLCanvasElement, ratio: number): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(figure.width * ratio);
  canvas.height = Math.round(figure.height * ratio);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("This browser cannot make the picture.");
  context.scale(ratio, ratio);
  context.fillStyle = figure.ground;
  context.fillRect(0, 0, figure.width, figure.height);
  context.drawImage(points, 0, 0, figure.points.width, figure.points.height);
  for (const mark of figure.marks) draw(context, mark);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error("The picture is too large.")) : resolve(blob)));
  });
}

function draw(context: CanvasRenderingContext2D, mark: Mark): void {
  context.fillStyle = mark.colour;
  context.strokeStyle = mark.colour;
  switch (mark.mark) {
    case "text":
      context.font = `${mark.isBold ? "600 " : ""}${FONT_SIZE}px ${FONT}`;
      context.textAlign = mark.anchor ?? "start";
      context.fillText(visibleDirections(mark.text), mark.x, mark.y);
      return;
    case "disc":
      context.beginPath();
      context.arc(mark.x, mark.y, mark.radius, 0, 2 * Math.PI);
      context.fill();
      return;
    case "box":
      context.fillRect(mark.x, mark.y, mark.width, mark.height);
      return;
    case "line":
      context.beginPath();
      for (let at = 0; at < mark.points.length; at += 2) context.lineTo(mark.points[at] ?? 0, mark.points[at + 1] ?? 0);
      context.stroke();
      return;
    default:
      mark satisfies never;
  }
}
