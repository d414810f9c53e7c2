/** Pairs of cells or features (`SelfHits` of S4Vectors) as a sparse matrix. */

import type { RValue } from "../../../containers/rds/model/value.js";
import { InvalidDataError } from "../../../model/errors.js";
import type { TableElement } from "../../element.js";
import { sparseMatrix } from "../matrices/forms.js";
import { sparseSlots } from "../matrices/sparse.js";
import { frameOf } from "../values/frame.js";
import { called, slot, wholeNumbers } from "../values/value.js";

/** Returns the columns of pairs, each of which becomes a matrix; an unnamed one if there are no columns. */
export function pairsColumns(hits: RValue): readonly (readonly [name: string, values: RValue | null])[] {
  const beside = slot(hits, "elementMetadata");
  const columns = beside.kind === "null" ? [] : frameOf(beside).columns;
  return columns.length === 0 ? [["", null]] : columns;
}

/**
 * Returns the matrix of the pairs.
 * @param values a value for each pair; TRUE if null.
 * @throws {InvalidDataError} for pairs with unknown nodes.
 */
export function pairsTable(path: string, hits: RValue, values: RValue | null): TableElement {
  const [rows] = wholeNumbers(slot(hits, "nLnode"), "nLnode");
  const [columns] = wholeNumbers(slot(hits, "nRnode"), "nRnode");
  if (!(rows >= 0 && columns >= 0)) throw new InvalidDataError(`${called(hits)} with ${rows} and ${columns} nodes`);
  const [i, j] = ["from", "to"].map((name): RValue => {
    const values = wholeNumbers(slot(hits, name), name).map((position) => position - 1);
    return { kind: "integer", values, attributes: new Map() };
  });
  const slots = new Map<string, RValue>([["i", i], ["j", j], ...(values === null ? [] : [["x", values] as const])]);
  const entries = sparseSlots({ kind: "s4", className: "pairs", package: null, slots }, [rows, columns], path);
  return sparseMatrix([rows, columns], [null, null], entries).table(path, "same");
}
