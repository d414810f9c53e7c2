/** BP-128 one bit at a time. */

import type { Bp128Kind } from "../../../src/kernels/bp128/page.js";

const WRAP = 2 ** 32;

export interface SlowChunk {
  readonly start: number;
  readonly words: number[];
}

/** The place of bit `bit` of value `i`: which word of the chunk, and which bit of it. */
function place(i: number, bit: number, width: number): [word: number, bit: number] {
  const inLane = Math.floor(i / 4) * width + bit;
  return [4 * Math.floor(inLane / 32) + (i % 4), inLane % 32];
}

const wrapped = (value: number) => ((value % WRAP) + WRAP) % WRAP;
const hasBit = (value: number, bit: number) => Math.floor(value / 2 ** bit) % 2 === 1;

/** A difference modulo 2^32, as the number nearest to 0, with the sign below the digits. */
function zigzag(difference: number): number {
  const signed = difference >= WRAP / 2 ? difference - WRAP : difference;
  return signed >= 0 ? 2 * signed : -2 * signed - 1;
}

function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

/** @param values one chunk, or less, which is filled up with the last. */
export function slowPackChunk(kind: Bp128Kind, values: readonly number[]): SlowChunk {
  const full = Array.from({ length: 128 }, (_, i) => values[Math.min(i, values.length - 1)]);
  let changed = full.map((value, i) => {
    const difference = i === 0 ? 0 : wrapped(value - full[i - 1]);
    return { plain: value, m1: wrapped(value - 1), d1: difference, d1z: zigzag(difference) }[kind];
  });
  const width = Math.max(...changed.map((value) => (value === 0 ? 0 : value.toString(2).length)));
  if (width === 32) changed = full;
  const words = new Array<number>(4 * width).fill(0);
  changed.forEach((value, i) => {
    for (let bit = 0; bit < width; bit++) {
      const [word, at] = place(i, bit, width);
      if (hasBit(value, bit)) words[word] += 2 ** at;
    }
  });
  return { start: full[0], words };
}

export function slowUnpackChunk(kind: Bp128Kind, { start, words }: SlowChunk): number[] {
  const width = words.length / 4;
  let before = start;
  return Array.from({ length: 128 }, (_, i) => {
    let stored = 0;
    for (let bit = 0; bit < width; bit++) {
      const [word, at] = place(i, bit, width);
      if (hasBit(words[word], at)) stored += 2 ** bit;
    }
    if (width === 32 || kind === "plain") return stored;
    if (kind === "m1") return wrapped(stored + 1);
    before = wrapped(before + (kind === "d1" ? stored : unzigzag(stored)));
    return before;
  });
}
