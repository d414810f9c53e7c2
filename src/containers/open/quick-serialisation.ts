/** Error texts for files of the R packages qs and qs2, whose form is their own. */

import type { ByteSource, ReadOptions } from "../../sources/source.js";

/** The first bytes that both packages write, before a byte that tells them apart. */
const MAGIC = [0x0b, 0x0e, 0x0a];

/** Returns the text for such a file, or null for other files. Old files of qs have no first bytes of their own. */
export async function quickSerialisation(source: ByteSource, options: ReadOptions): Promise<string | null> {
  const head = await source.read(0, Math.min(4, source.size), options);
  const isMarked = head.length === 4 && MAGIC.every((byte, i) => head[i] === byte);
  if (!isMarked && !/\.(qs|qs2|qdata)$/i.test(source.name)) return null;
  return "an R object in the form of the package qs or qs2: save it again in R with saveRDS()";
}
