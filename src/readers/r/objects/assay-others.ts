/** What an assay has beside its matrices and features: models of `SCTAssay`, ranges of `ChromatinAssay`, `misc`. */

import type { RValue } from "../../../containers/rds/model/value.js";
import type { RTables } from "../collect/tables.js";
import { characters } from "../values/frame.js";
import { isRanges, wholeRanges } from "../values/ranges.js";
import { attributesOf, listOf } from "../values/value.js";

/** The slots that `assayOf` reads, and those that only R has a use for. */
const KNOWN = new Set([
  ...["counts", "data", "scale.data", "meta.features", "var.features"],
  ...["layers", "cells", "features", "default", "meta.data", "key", "assay.orig"],
]);

/** Adds the other slots below `uns`; ranges, one for each feature, as a frame beside the features. */
export async function addOthers(
  assay: RValue,
  features: readonly string[],
  prefix: string,
  tables: RTables,
): Promise<void> {
  for (const [name, value] of attributesOf(assay)) {
    if (KNOWN.has(name) || value.kind === "null") continue;
    const place = `${prefix}uns/${name}`;
    await tables.attempt(place, async () => {
      if (value.kind === "list") return tables.mapping(place, listOf(value, name));
      if (!isRanges(value)) return tables.value(place, value);
      const ranges = wholeRanges(value);
      if (ranges.rows !== features.length) await tables.frame(place, ranges);
      else await tables.frame(`${prefix}varm/${name}`, { ...ranges, names: characters(features) });
    });
  }
}
