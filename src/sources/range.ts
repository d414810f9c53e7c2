import type { KeyRange } from "./source.js";

/** The bytes [start, end) that `range` means in a value of `size` bytes, cut at its end. */
export function clampRange(range: KeyRange, size: number): { start: number; end: number } {
  if ("suffix" in range) return { start: Math.max(0, size - range.suffix), end: size };
  const end = Math.min(range.end, size);
  return { start: Math.min(range.start, end), end };
}
