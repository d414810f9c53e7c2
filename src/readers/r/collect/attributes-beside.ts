/** The attributes of vectors, lists and frames of R that are neither their values nor the form of these. */

import type { RValue } from "../../../containers/rds/model/value.js";
import { classesOf, hasClass } from "../values/value.js";

/** Attributes that are read with the values of any vector, and what R and our writer note of how a value is stored. */
export const DATA: ReadonlySet<string> = new Set(["names", "class", ".S3Class", "annarrow"]);

/** Attributes that are read of values of one class alone, or that its package computes of them, as an index of data.table. */
const OF_CLASSES: ReadonlyMap<string, string> = new Map([
  ["row.names", "data.frame"],
  ["levels", "factor"],
  ["tzone", "POSIXt"],
  ["balanced", "POSIXlt"],
  ["units", "difftime"],
  ["index", "data.table"],
]);

/**
 * Finds the attributes of a value without slots, also empty ones. None are found of values that are no data, as a call:
 * they are failures as a whole.
 */
export function attributesBeside(value: RValue): readonly (readonly [name: string, value: RValue])[] {
  switch (value.kind) {
    case "logical":
    case "integer":
    case "real":
    case "complex":
    case "character":
    case "raw":
    case "list":
      return [...value.attributes].filter(([name, one]) => !isRead(value, name) && !isOfTheSession(one));
    default:
      return [];
  }
}

function isRead(value: RValue, name: string): boolean {
  if (DATA.has(name)) return true;
  // A list has no dimensions here: it is a tree.
  if (name === "dim" || name === "dimnames") return value.kind !== "list";
  const own = OF_CLASSES.get(name);
  return own !== undefined && hasClass(value, own);
}

/**
 * Whether an attribute tells of the session that made the value, and of no data: an address in its memory (data.table, and
 * problems of readr), an object of its Python (reticulate), or how readr has parsed the text, whose types the columns have.
 */
function isOfTheSession(value: RValue): boolean {
  return value.kind === "external pointer" || classesOf(value).some((name) => OF_THE_SESSION.has(name));
}

const OF_THE_SESSION = new Set(["python.builtin.object", "col_spec"]);
