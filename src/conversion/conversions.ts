/** The conversions of all formats, as they are passed to what converts. */

import type { Format } from "../model/dataset.js";
import type { FormatConversion } from "./view/format-conversion.js";

export interface Conversions {
  /** Formats whose words tables of no format may use. */
  readonly formats: readonly Format[];
  /** @throws {UnsupportedError} for a format that has no conversion. */
  of(format: Format): Promise<FormatConversion>;
}

/**
 * The format whose words the tables use. Tables of no format have the words of which they use most: of the target's where
 * several formats have them, else of AnnData's.
 */
export async function vocabularyOf(
  format: Format,
  names: Iterable<string>,
  target: Format,
  conversions: Conversions,
): Promise<Format> {
  if (format !== "tables") return format;
  // Tables of any name are variables.
  if (target === "matlab") return target;
  const all = [...names];
  let best: Format = "anndata";
  let most = 0;
  for (const candidate of new Set<Format>([target, "anndata", ...conversions.formats])) {
    const { isOwnName } = await conversions.of(candidate);
    const own = all.filter(isOwnName).length;
    if (own > most) [best, most] = [candidate, own];
  }
  return best;
}
