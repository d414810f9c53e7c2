/** Which batches lie in memory that comes back from their consumer. */

import type { StoredArray } from "../../containers/tree/container.js";
import type { Task } from "./task.js";

/** Whether memory of batches comes back: of matrices, of which nothing that a scan keeps lies in it. */
export function returnsMemory({ product, rows }: Task): boolean {
  if (product.kind !== "batches" || product.reuse !== true) return false;
  if (rows.kind !== "columns") return rows.kind === "coordinate" || rows.kind === "entries" || rows.kind === "selected";
  return rows.columns.every((column) => column.kind === "array" && isMatrix(column.array));
}

function isMatrix({ shape, type }: StoredArray): boolean {
  return shape !== null && shape.length > 1 && (type.kind === "int" || type.kind === "float");
}
