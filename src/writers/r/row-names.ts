/** Frames whose rows have names, each another one. */

import { decimals, textValues } from "../../arrow/text.js";
import type { LossContext } from "../context.js";
import { DistinctNames } from "../distinct-names.js";
import type { WrittenFrame } from "./frame.js";

/**
 * The frame with names that are there once; rows without names are named by their positions, as anndata names them.
 * @throws {RefusedError} for names that occur twice, or are empty, unless losses are allowed: then they are numbered.
 */
export function withDistinctNames(
  frame: WrittenFrame,
  element: string,
  cx: LossContext,
): WrittenFrame & { readonly names: readonly string[] } {
  if (frame.names === null) {
    return { ...frame, names: textValues(decimals(0, 1, frame.rows)).map((name) => name ?? "") };
  }
  return { ...frame, names: new DistinctNames(element, cx).add(frame.names) };
}
