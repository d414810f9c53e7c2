/** Detects datasets that consist of modalities, which are separate datasets below `mod/`. */

import { type Format, formatNamed } from "./formats/registry.js";

/** Whether the tables of a format are named as in AnnData. */
export function isNamedAsAnnData(format: Format): boolean {
  return formatNamed(format).tableNames === "anndata";
}

export function mayHaveModalities(format: Format): boolean {
  return formatNamed(format).modalities !== undefined;
}

/** Whether a dataset has modalities: a MuData, or an R object with several assays or experiments. */
export function hasModalities(format: Format, names: Iterable<string>): boolean {
  const { modalities } = formatNamed(format);
  return modalities === "always" || (modalities === "may" && [...names].some((name) => name.startsWith("mod/")));
}
