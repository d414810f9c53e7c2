/** Error texts for files of the R packages qs and qs2, whose formats are not supported. */

import type { ByteSource, ReadOptions } from "annarrow/format";

/** The first bytes in both formats. The byte after them distinguishes the formats. */
const MAGIC = [0x0b, 0x0e, 0x0a];

/** Returns the error text for such a file; null for any other file. Old qs files have no signature. */
export async function detectQuickSerialisation(source: ByteSource, options: ReadOptions): Promise<string | null> {
  const head = await source.read(0, Math.min(4, source.size), options);
  const isMarked = head.length === 4 && MAGIC.every((byte, i) => head[i] === byte);
  if (!isMarked && !/\.(qs|qs2|qdata)$/i.test(source.name)) return null;
  return "an R object in the form of the package qs or qs2: save it again in R with saveRDS()";
}
