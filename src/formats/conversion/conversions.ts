/** The conversions of all formats. Callers pass them down. */

import type { Format } from "../../model/dataset.js";
import { formatNamed } from "../../model/formats/registry.js";
import { hasModalities } from "../../model/modalities.js";
import type { FormatConversion } from "./view/format-conversion.js";

export interface Conversions {
  /** Formats that tables without a declared format may belong to. */
  readonly formats: readonly Format[];
  /**
   * The conversion of a format.
   * @throws {UnsupportedError} for a format that has no conversion.
   */
  of(format: Format): Promise<FormatConversion>;
}

/**
 * Returns the format whose names the tables have. For tables without a format, this is the format that knows most of
 * their names. Among formats that know equally many, it is the target, else AnnData.
 */
export async function detectVocabulary(
  format: Format,
  names: Iterable<string>,
  target: Format,
  conversions: Conversions,
): Promise<Format> {
  const all = [...names];
  const own = await ownVocabulary(format, all, target, conversions);
  const { vocabularyOf } = await conversions.of(target);
  return vocabularyOf === undefined ? own : vocabularyOf(own, all);
}

async function ownVocabulary(
  format: Format,
  names: readonly string[],
  target: Format,
  conversions: Conversions,
): Promise<Format> {
  // The datasets of an R object are modalities, with the names that MuData gives them.
  if (format !== target && hasModalities(format, names)) return "mudata";
  if (format !== "tables") return format;
  // A variable may have any name, and so may an array.
  if (formatNamed(target).tableNames === "any") return target;
  let best: Format = "anndata";
  let most = 0;
  for (const candidate of new Set<Format>([target, "anndata", ...conversions.formats])) {
    const { isOwnName } = await conversions.of(candidate);
    const own = names.filter(isOwnName).length;
    if (own > most) [best, most] = [candidate, own];
  }
  return best;
}
