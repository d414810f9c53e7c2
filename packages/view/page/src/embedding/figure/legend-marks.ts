/** The legend as marks of a figure. */

import { shortNumber } from "../../selection/step-words.js";
import { missingColour } from "../canvas/point-style.js";
import { cssColour } from "../colours/category-colours.js";
import { clipped } from "../colours/number-spread.js";
import { rampColour } from "../colours/ramp.js";
import type { EmbeddingPlot } from "../plot/embedding-plot.js";
import type { Mark } from "./figure-marks.js";

export const LEGEND_WIDTH = 230;

const LINE = 20;
/** Maximum number of categories in a figure. */
const MOST = 200;
/** Maximum length of a name, in characters. */
const LONGEST = 28;

interface Inks {
  readonly ink: string;
  readonly quiet: string;
}

export function legendMarks(
  plot: EmbeddingPlot,
  left: number,
  { ink, quiet }: Inks,
): { readonly marks: readonly Mark[]; readonly height: number } {
  const colours = plot.shown.value;
  if (colours.kind === "none") return { marks: [], height: 0 };
  const marks: Mark[] = [{ mark: "text", x: left, y: 24, text: shortened(colours.title), colour: ink, isBold: true }];
  if (colours.kind === "numbers") {
    const ends = clipped(colours.spread, plot.state.value.clip);
    const steps = 100;
    const width = LEGEND_WIDTH - 40;
    for (let at = 0; at < steps; at++) {
      const colour = cssColour(rampColour((at + 0.5) / steps));
      // Boxes overlap slightly to avoid visible gaps.
      marks.push({
        mark: "box",
        x: left + (at * width) / steps,
        y: 36,
        width: width / steps + 0.5,
        height: 12,
        colour,
      });
    }
    marks.push({ mark: "text", x: left, y: 64, text: shortNumber(ends[0]), colour: quiet });
    marks.push({ mark: "text", x: left + width, y: 64, text: shortNumber(ends[1]), colour: quiet, anchor: "end" });
    return { marks, height: 80 };
  }
  const { categories, counts } = colours;
  const hasMissing = (counts[categories.length] ?? 0) > 0;
  const labels = [...categories.slice(0, MOST), ...(hasMissing && categories.length <= MOST ? ["missing"] : [])];
  labels.forEach((label, code) => {
    const y = 44 + code * LINE;
    const colour = cssColour(colours.colours[code] ?? missingColour(plot.isDark.value));
    marks.push({ mark: "disc", x: left + 6, y: y - 4, radius: 5, colour });
    marks.push({ mark: "text", x: left + 18, y, text: shortened(label), colour: ink });
  });
  if (categories.length > MOST) {
    const text = `${(categories.length - MOST).toLocaleString("en")} more`;
    marks.push({ mark: "text", x: left + 18, y: 44 + MOST * LINE, text, colour: quiet });
  }
  return { marks, height: 44 + (labels.length + 1) * LINE };
}

const shortened = (text: string): string => {
  const letters = [...text];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : text;
};
