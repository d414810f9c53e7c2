/** Pairs of cells or features (`SelfHits` of S4Vectors) as a sparse matrix. */

import { InvalidDataError } from "annarrow";
import type { TableElement } from "annarrow/format";
import type { RValue } from "../../../containers/rds/model/value.js";
import { createSparseRMatrix } from "../matrices/forms.js";
import { getSparseSlots } from "../matrices/sparse.js";
import { toRFrame } from "../values/frame.js";
import { describeRValue, getRSlot, toWholeNumbers } from "../values/value.js";

/** Returns the columns of pairs. Each becomes a matrix. If there are no columns, returns an unnamed one. */
export function listPairsColumns(hits: RValue): readonly (readonly [name: string, values: RValue | null])[] {
  const beside = getRSlot(hits, "elementMetadata");
  const columns = beside.kind === "null" ? [] : toRFrame(beside).columns;
  return columns.length === 0 ? [["", null]] : columns;
}

/**
 * Returns the matrix that represents the pairs.
 * @param values a value for each pair. If null, all values are TRUE.
 * @throws {InvalidDataError} for pairs with unknown nodes.
 */
export function createPairsTable(path: string, hits: RValue, values: RValue | null): TableElement {
  const [rows] = toWholeNumbers(getRSlot(hits, "nLnode"), "nLnode");
  const [columns] = toWholeNumbers(getRSlot(hits, "nRnode"), "nRnode");
  if (!(rows >= 0 && columns >= 0))
    throw new InvalidDataError(`${describeRValue(hits)} with ${rows} and ${columns} nodes`);
  const [i, j] = ["from", "to"].map((name): RValue => {
    const values = toWholeNumbers(getRSlot(hits, name), name).map((position) => position - 1);
    return { kind: "integer", values, attributes: new Map() };
  });
  const slots = new Map<string, RValue>([["i", i], ["j", j], ...(values === null ? [] : [["x", values] as const])]);
  const entries = getSparseSlots({ kind: "s4", className: "pairs", package: null, slots }, [rows, columns], path);
  return createSparseRMatrix([rows, columns], [null, null], entries).table(path, "same");
}
