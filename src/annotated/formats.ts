/** The formats that have an annotated view. A new one is a file and a line. */

import type { Format } from "../dataset.js";
import { UnsupportedError } from "../errors.js";
import type { AnnotatedFormat } from "./annotated.js";

const FORMATS: Readonly<Partial<Record<Format, () => Promise<AnnotatedFormat>>>> = {
  anndata: async () => (await import("./anndata.js")).anndata,
  bpcells: async () => (await import("./bpcells.js")).bpcells,
  "10x": async () => (await import("./tenx.js")).tenx,
};

/** @throws {UnsupportedError} for a format that has no such view. */
export async function annotatedFormat(format: Format): Promise<AnnotatedFormat> {
  const load = FORMATS[format];
  if (load !== undefined) return load();
  throw new UnsupportedError(`tables of the format ${format} cannot be written as another format yet`);
}

/**
 * The format whose words the tables use. Tables of no format are those of the target where their names say so, else they
 * have the names of an AnnData.
 */
export async function vocabularyOf(format: Format, names: Iterable<string>, target: Format): Promise<Format> {
  if (format !== "tables") return format;
  const { isOwnName } = await annotatedFormat(target);
  return [...names].some(isOwnName) ? target : "anndata";
}
