/**
 * Finds what the columns of a frame have besides their values: attributes, slots, and names that differ from the row
 * names.
 */

import { R_NULL, type RValue } from "../../../containers/rds/model/value.js";
import { findRFrame, isFrame, type RFrame } from "../values/frame.js";
import { findRStrings, getRAttributes, getRSlot, hasClass } from "../values/value.js";
import { areEqual, besideDimensions } from "./names-beside.js";

/** A slot, an attribute or names. The name is a path with dots: `ranges.metadata`. */
export type NamedSlot = readonly [name: string, value: RValue];

/** Prefixes slot names with the name of the value that has the slots, as in `matrix.note`. */
export function addPrefix(name: string, slots: readonly NamedSlot[]): readonly NamedSlot[] {
  return slots.map(([own, value]) => [`${name}.${own}`, value] as const);
}

/**
 * Finds what columns have besides their values. The results are named after the columns, as in `n.label`.
 * @param rows the row names; null if there are none.
 * @param findBeside finds the attributes and slots of one column.
 */
export function findExtraColumns(
  columns: RFrame["columns"],
  rows: RFrame["names"],
  findBeside: (column: RValue) => readonly NamedSlot[],
): readonly NamedSlot[] {
  return columns.flatMap(([name, column]) =>
    addPrefix(name, [...findExtraNames(column, rows), ...besideDimensions(column, rows), ...findBeside(column)]),
  );
}

/** Finds the names of a column, or the row names of an inner frame, if they differ from the names of the rows. */
function findExtraNames(column: RValue, rows: RFrame["names"]): readonly NamedSlot[] {
  const names = namesOf(column);
  const own = findRStrings(names);
  if (own === null || own.length === 0 || areEqual(names, rows)) return [];
  return [[isFrame(column) ? "rownames" : "names", names]];
}

function namesOf(column: RValue): RValue {
  if (isFrame(column)) return findRFrame(column)?.names ?? R_NULL;
  const names = getRSlot(getRSlot(column, "partitioning"), "NAMES");
  if (names.kind !== "null") return names;
  // The names of a time are the names of its parts.
  if (column.kind === "s4" || hasClass(column, "POSIXlt") || getRAttributes(column).has("dim")) return R_NULL;
  return getRSlot(column, "names");
}
