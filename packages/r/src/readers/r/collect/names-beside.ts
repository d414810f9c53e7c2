/** Finds the row and column names of matrices in lists, and the names of arrays, whose tables contain only values. */

import { R_NULL, type RList, type RValue } from "../../../containers/rds/model/value.js";
import { createRCharacter, type RFrame } from "../values/frame.js";
import { findRStrings, getRSlot, hasSlots, isS4, listNamedElements } from "../values/value.js";

type Named = readonly [name: string, value: RValue];

/** Maximum number of steps from a delayed matrix to its values, as for delayed matrices that are read. */
const MAX_STEPS = 16;

/**
 * Finds the names along the dimensions of a value: `rownames` and `colnames` of a matrix, `dimnames` of other arrays.
 * In an array with one dimension, the names are the index of its table. The titles of the dimensions are `dimnames`,
 * too.
 * @param rows names that the rows already have, such as the row names of a frame that contains the matrix as a column.
 */
export function besideDimensions(value: RValue, rows: RFrame["names"] = null): readonly Named[] {
  const names = dimensionNames(value);
  if (names === null) return [];
  const [first, second] = names.values;
  if (names.values.length > 2) return names.values.some(isText) ? [["dimnames", withoutNull(names)]] : [];
  const parts: readonly Named[] =
    names.values.length === 1
      ? []
      : [
          ["rownames", first],
          ["colnames", second],
        ];
  const titles = getRSlot(names, "names");
  const hasTitles = findRStrings(titles)?.some((one) => one !== null && one !== "") ?? false;
  return [
    ...parts.filter(([name, one]) => isText(one) && !(name === "rownames" && areEqual(one, rows))),
    ...(hasTitles ? [["dimnames", titles] as const] : []),
  ];
}

/** Returns the names along the only dimension of an array; NULL for other values, and if there are no names. */
export function namesOfOne(value: RValue): RValue {
  const names = isS4(value) ? null : dimensionNames(value);
  return names?.values.length === 1 ? names.values[0] : R_NULL;
}

function dimensionNames(value: RValue): RList | null {
  let inner = value;
  for (let step = 0; step < MAX_STEPS; step++) {
    const names = getRSlot(inner, hasSlots(inner, "Dimnames") ? "Dimnames" : "dimnames");
    if (names.kind === "list") return inner.kind === "list" ? null : names;
    if (!hasSlots(inner, "seed")) return null;
    inner = getRSlot(inner, "seed");
  }
  return null;
}

function isText(value: RValue): boolean {
  return value.kind === "character";
}

/** Whether `names` are equal to the row names. */
export function areEqual(names: RValue, rows: RFrame["names"]): boolean {
  const own = findRStrings(names) ?? [];
  const all = rows === null ? null : findRStrings(rows);
  return all !== null && own.length === all.length && own.every((name, i) => name === all[i]);
}

/** Returns the names of those dimensions that have names, under the title or the position of each dimension. */
function withoutNull(names: RList): RList {
  const kept = listNamedElements(names).filter(([, one]) => isText(one));
  const titles = kept.map(([name]) => name);
  return {
    kind: "list",
    values: kept.map(([, one]) => one),
    attributes: new Map([["names", createRCharacter(titles)]]),
  };
}
