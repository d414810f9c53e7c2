/** The conversions of all formats, which callers pass down. */

import type { Format } from "../../model/dataset.js";
import { formatNamed } from "../../model/formats/registry.js";
import { hasModalities } from "../../model/modalities.js";
import type { FormatConversion } from "./view/format-conversion.js";

export interface Conversions {
  /** Formats to which tables without a declared format may belong. */
  readonly formats: readonly Format[];
  /**
   * Returns the conversion of a format.
   * @throws {UnsupportedError} for a format that has no conversion.
   */
  of(format: Format): Promise<FormatConversion>;
}

/**
 * Returns the format whose names the tables use. For tables without a format, this is the format that recognizes most
 * of their names. If several formats recognize equally many, it is the target if it is one of them, else AnnData.
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
  // The datasets in an R object are modalities, and their tables have the names used in MuData.
  if (format !== target && hasModalities(format, names)) return "mudata";
  if (format !== "tables") return format;
  // Variables and arrays may have any name.
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
