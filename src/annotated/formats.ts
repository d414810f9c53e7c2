/** The formats that have an annotated view. A new one is a file and a line. */

import type { Format } from "../model/dataset.js";
import { UnsupportedError } from "../model/errors.js";
import type { AnnotatedFormat } from "./annotated.js";

const FORMATS: Readonly<Partial<Record<Format, () => Promise<AnnotatedFormat>>>> = {
  anndata: async () => (await import("./anndata.js")).anndata,
  bpcells: async () => (await import("./bpcells.js")).bpcells,
  loom: async () => (await import("./loom.js")).loom,
  matlab: async () => (await import("./matlab.js")).matlab,
  mudata: async () => (await import("./mudata.js")).mudata,
  "10x": async () => (await import("./tenx.js")).tenx,
};

const KNOWN = ["anndata", "bpcells", "loom", "mudata", "10x"] as const satisfies readonly Format[];

/** @throws {UnsupportedError} for a format that has no such view. */
export async function annotatedFormat(format: Format): Promise<AnnotatedFormat> {
  const load = FORMATS[format];
  if (load !== undefined) return load();
  throw new UnsupportedError(
    `no conversion from or to the format ${format} yet: its tables are written as files of tables`,
  );
}

/**
 * The format whose words the tables use. Those of no format have the words of which they use most: of the target's where
 * several formats have them, else of AnnData's.
 */
export async function vocabularyOf(format: Format, names: Iterable<string>, target: Format): Promise<Format> {
  if (format !== "tables") return format;
  // Tables of any name are variables.
  if (target === "matlab") return target;
  const all = [...names];
  let best: Format = "anndata";
  let most = 0;
  for (const candidate of new Set<Format>([target, "anndata", ...KNOWN])) {
    const { isOwnName } = await annotatedFormat(candidate);
    const own = all.filter(isOwnName).length;
    if (own > most) [best, most] = [candidate, own];
  }
  return best;
}
