/** Tells the datasets that consist of modalities, each a dataset of its own below `mod/`. */

import type { Format } from "./dataset.js";

/** Whether a dataset has modalities: a MuData, or an R object with several assays or experiments. */
export function hasModalities(format: Format, names: Iterable<string>): boolean {
  return format === "mudata" || (format === "r" && [...names].some((name) => name.startsWith("mod/")));
}
