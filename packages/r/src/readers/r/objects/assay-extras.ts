/** Additional parts of an assay: models of `SCTAssay`, ranges of `ChromatinAssay`, `misc`. */

import type { RValue } from "../../../containers/rds/model/value.js";
import type { RTables } from "../collect/tables.js";
import { isEmpty } from "../values/empty.js";
import { createRCharacter } from "../values/frame.js";
import { isRanges, toFullRangesFrame } from "../values/ranges.js";
import { getRSlot } from "../values/value.js";
import { addOtherSlots, getMiscPath } from "./slots.js";

/** Slots that are read by `openAssay` and this file, and slots that are only useful in R. */
const KNOWN = new Set([
  ...["counts", "raw.data", "data", "scale.data", "meta.features", "var.features", "var.genes", "ranges"],
  ...["layers", "cells", "features", "default", "meta.data", "key", "assay.orig"],
]);

/** Adds the other slots below `uns`. If there is one range per feature, the ranges become a dataframe in `varm`. */
export async function addOthers(
  assay: RValue,
  features: readonly string[],
  prefix: string,
  tables: RTables,
): Promise<void> {
  const place = (name: string) => `${prefix}${getMiscPath(name, getRSlot(assay, name))}`;
  await addOtherSlots(assay, KNOWN, place, tables);
  const ranges = getRSlot(assay, "ranges");
  if (isEmpty(ranges)) return;
  await tables.attempt(`${prefix}varm/ranges`, async () => {
    if (!isRanges(ranges)) return tables.value(`${prefix}uns/ranges`, ranges);
    const frame = toFullRangesFrame(ranges);
    if (frame.rows !== features.length) await tables.frame(`${prefix}uns/ranges`, frame);
    else await tables.frame(`${prefix}varm/ranges`, { ...frame, names: createRCharacter(features) });
  });
}
