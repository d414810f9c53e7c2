/** Takes rows of a column's plan by their positions, in any order and any number of times. */

import type { RaggedForm } from "../../arrow/ragged/form.js";
import { memoryArray } from "../../containers/picked/memory-array.js";
import { pickedArray } from "../../containers/picked/picked-array.js";
import { type RowRuns, rowCount, rowsOfRuns } from "../../containers/picked/row-runs.js";
import type { StoredArray } from "../../containers/tree/container.js";
import type { IntType } from "../../model/stored.js";
import type { ColumnPlan } from "./plan.js";

/** The column with picked rows, and of a matrix with picked columns; null picks all. */
export function pickedColumn(column: ColumnPlan, rows: RowRuns | null, cols: Int32Array | null): ColumnPlan {
  const pick = (array: StoredArray) => pickedArray(array, rows, cols);
  switch (column.kind) {
    case "array":
    case "field":
      return { ...column, array: pick(column.array) };
    case "nullable":
      return { ...column, values: pick(column.values), mask: column.mask === null ? null : pick(column.mask) };
    case "categorical":
      return { ...column, codes: { ...column.codes, array: pick(column.codes.array) } };
    case "viewed":
      return { ...column, values: { ...column.values, array: pickedArray(column.values.array, rows, null) } };
    case "ragged":
      return rows === null ? column : pickedRagged(column, rows);
    case "null":
      return column;
    default:
      return column satisfies never;
  }
}

const INDEX: IntType = { kind: "int", bits: 64, signed: true };

/** A ragged column with picked rows: awkward's own indexed form says which row stands where. */
function pickedRagged(column: Extract<ColumnPlan, { kind: "ragged" }>, rows: RowRuns): ColumnPlan {
  const [first] = column.buffers.values();
  // No node of an array has such a key, and a part of a part has one more.
  const key = `picked rows of ${column.form.key}`;
  const positions = BigInt64Array.from(expanded(rows), BigInt);
  const index = memoryArray(key, INDEX, [positions.length], { kind: "fixed", values: positions }, first?.plan?.source);
  const form: RaggedForm = { class: "IndexedArray", key, index: INDEX, categorical: false, content: column.form };
  return { ...column, form, length: positions.length, buffers: new Map([...column.buffers, [`${key}-index`, index]]) };
}

function expanded(rows: RowRuns): Float64Array {
  return rowsOfRuns(rows, 0, rowCount(rows));
}
