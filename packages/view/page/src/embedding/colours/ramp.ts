/** Colours of numbers: viridis, whose lightness increases evenly; suitable for colour vision deficiency. */

import type { Rgb } from "../layer/point-program.js";

/** Viridis at 0, 1/16, …, 1. */
const VIRIDIS: readonly Rgb[] = [
  [68, 1, 84],
  [72, 24, 106],
  [71, 45, 123],
  [66, 64, 134],
  [59, 82, 139],
  [51, 99, 141],
  [44, 114, 142],
  [38, 130, 142],
  [33, 145, 140],
  [31, 160, 136],
  [40, 174, 128],
  [63, 188, 115],
  [94, 201, 98],
  [132, 212, 75],
  [173, 220, 48],
  [216, 226, 25],
  [253, 231, 37],
];

/** The colour at a share of the ramp, from 0 to 1. */
export function rampColour(share: number): Rgb {
  const at = Math.min(Math.max(share, 0), 1) * (VIRIDIS.length - 1);
  const below = Math.min(Math.floor(at), VIRIDIS.length - 2);
  const mix = (channel: 0 | 1 | 2): number => {
    const [from, to] = [VIRIDIS[below] ?? VIRIDIS[0], VIRIDIS[below + 1] ?? VIRIDIS[0]];
    if (from === undefined || to === undefined) return 0;
    return Math.round(from[channel] + (to[channel] - from[channel]) * (at - below));
  };
  return [mix(0), mix(1), mix(2)];
}

/** Encodes 256 colours in four bytes each. */
export function rampPalette(): Uint8Array {
  const palette = new Uint8Array(4 * 256);
  for (let at = 0; at < 256; at++) palette.set([...rampColour(at / 255), 255], 4 * at);
  return palette;
}
