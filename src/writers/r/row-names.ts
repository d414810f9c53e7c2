/** Names of cells and features as Seurat demands them: each one once, and none of them empty. */

import { decimals, textValues } from "../../arrow/text.js";
import { type LossContext, reportLoss } from "../context.js";
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
  const { names } = frame;
  const seen = new Set<string>();
  const twice = names.find((name) => name === "" || seen.size === seen.add(name).size);
  if (twice === undefined) return { ...frame, names };
  reportLoss(cx, element, {
    problem:
      twice === ""
        ? "an empty name, which Seurat does not take"
        : `the name ${JSON.stringify(twice)} occurs twice, and Seurat tells rows by their names`,
    remedy: "rename them (obs_names_make_unique, var_names_make_unique)",
    instead: "names that occur twice get numbers, as by R's make.unique, and empty ones the name NA",
  });
  return { ...frame, names: madeUnique(names.map((name) => (name === "" ? "NA" : name))) };
}

/** Numbers names that occur again: `a`, `a.1`, `a.2`, beside the names that are there. */
function madeUnique(names: readonly string[]): readonly string[] {
  const taken = new Set(names);
  const seen = new Set<string>();
  const next = new Map<string, number>();
  return names.map((name) => {
    if (!seen.has(name)) {
      seen.add(name);
      return name;
    }
    let number = next.get(name) ?? 1;
    while (taken.has(`${name}.${number}`)) number++;
    next.set(name, number + 1);
    const own = `${name}.${number}`;
    taken.add(own);
    return own;
  });
}
