/** Colours of categories: those in the file, else colours suitable for readers with colour vision deficiency. */

import type { Rgb } from "../layer/point-program.js";

/** Okabe and Ito's colours without black, and a wine of Tol's. */
const FEW: readonly Rgb[] = [
  [0, 114, 178],
  [230, 159, 0],
  [0, 158, 115],
  [204, 121, 167],
  [86, 180, 233],
  [213, 94, 0],
  [136, 34, 85],
  [216, 203, 46],
];

export function categoryColours(count: number): readonly Rgb[] {
  if (count <= FEW.length) return FEW.slice(0, count);
  // Successive hues are far apart, at four lightness levels that colour-blind readers can also distinguish.
  const lights = [0.62, 0.78, 0.5, 0.7];
  return Array.from({ length: count }, (_, at) => {
    const light = lights[at % lights.length] ?? 0.6;
    return fromOklch(light, light > 0.7 ? 0.12 : 0.15, (at * 137.507_764 + 250) % 360);
  });
}

/** Parses a colour as stored in files: `#rgb`, `#rrggbb` or `#rrggbbaa`; null for other text. */
export function parseColour(text: string | null): Rgb | null {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i.exec(text ?? "")?.[1];
  if (digits === undefined) return null;
  const whole = digits.length === 3 ? [...digits].map((digit) => digit + digit).join("") : digits;
  const [red, green, blue] = [0, 2, 4].map((at) => Number.parseInt(whole.slice(at, at + 2), 16));
  return [red ?? 0, green ?? 0, blue ?? 0];
}

export function paletteOf(colours: readonly Rgb[]): Uint8Array {
  const palette = new Uint8Array(4 * Math.max(colours.length, 1));
  colours.forEach((colour, at) => {
    palette.set([...colour, 255], 4 * at);
  });
  return palette;
}

export const cssColour = ([red, green, blue]: Rgb): string => `rgb(${red} ${green} ${blue})`;

function fromOklch(light: number, chroma: number, hue: number): Rgb {
  const [a, b] = [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)];
  const long = (light + 0.396_337_777_4 * a + 0.215_803_757_3 * b) ** 3;
  const middle = (light - 0.105_561_345_8 * a - 0.063_854_172_8 * b) ** 3;
  const short = (light - 0.089_484_177_5 * a - 1.291_485_548 * b) ** 3;
  const encode = (linear: number): number => {
    const value = linear <= 0.003_130_8 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
    return Math.round(255 * Math.min(Math.max(value, 0), 1));
  };
  return [
    encode(4.076_741_662_1 * long - 3.307_711_591_3 * middle + 0.230_969_929_2 * short),
    encode(-1.268_438_004_6 * long + 2.609_757_401_1 * middle - 0.341_319_396_5 * short),
    encode(-0.004_196_086_3 * long - 0.703_418_614_7 * middle + 1.707_614_701 * short),
  ];
}
