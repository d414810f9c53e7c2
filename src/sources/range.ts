import { InvalidDataError } from "../model/errors.js";
import type { GetOptions, KeyRange } from "./source.js";

/** @throws {InvalidDataError} where a value of `size` bytes is larger than it may be. */
export function checkMost(key: string, size: number, options: GetOptions | undefined): void {
  const most = options?.most ?? Number.POSITIVE_INFINITY;
  if (size > most) throw new InvalidDataError(`${key} has ${size} bytes, at most ${most}`);
}

/** The bytes [start, end) that `range` means in a value of `size` bytes, cut at its end. */
export function clampRange(range: KeyRange, size: number): { start: number; end: number } {
  if ("suffix" in range) return { start: Math.max(0, size - range.suffix), end: size };
  const end = Math.min(range.end, size);
  return { start: Math.min(range.start, end), end };
}
