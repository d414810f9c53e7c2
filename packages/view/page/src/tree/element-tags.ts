/** Short words for kinds and sizes of elements. */

import type { ViewTable } from "annarrow/view";

const TAGS: Readonly<Record<string, string>> = {
  dataframe: "frame",
  array: "array",
  csr_matrix: "csr",
  csc_matrix: "csc",
  categorical: "cat",
  "string-array": "text",
  string: "text",
  bytes: "bytes",
  "numeric-scalar": "num",
  "nullable-integer": "num",
  "nullable-boolean": "bool",
  "nullable-string-array": "text",
  "rec-array": "rec",
  "awkward-array": "awk",
  dict: "dict",
  null: "null",
  fragments: "frag",
};

/** Abbreviates a kind to at most six letters. */
export function tagOf(kind: string): string {
  return TAGS[kind] ?? kind.slice(0, 6);
}

/** Formats the size of an element, such as `2,700 × 800`. */
export function sizeOf({ kind, rows, shape, columnCount }: ViewTable): string {
  if (kind === "dataframe") return product([rows ?? 0, columnCount]);
  if (shape !== null && shape.length > 0) return product(shape);
  return rows === null || rows === 1 ? "" : product([rows]);
}

function product(sizes: readonly number[]): string {
  return sizes.map((size) => size.toLocaleString("en")).join(" × ");
}
