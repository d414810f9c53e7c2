/** Selects rows of a column's plan by position, in any order and with repetition. */

import type { RaggedForm } from "../../arrow/ragged/form.js";
import { createMemoryArray } from "../../containers/picked/memory-array.js";
import { createPickedArray } from "../../containers/picked/picked-array.js";
import { countRangeRows, listRowPositions, type RowRanges } from "../../containers/picked/row-ranges.js";
import type { StoredArray } from "../../containers/tree/container.js";
import type { IntType } from "../../model/stored.js";
import type { ColumnPlan } from "./plan.js";

/** Returns the column with the selected rows and, for a matrix, the selected columns. Null selects all positions. */
export function pickColumnPart(column: ColumnPlan, rows: RowRanges | null, cols: Int32Array | null): ColumnPlan {
  const pick = (array: StoredArray) => createPickedArray(array, rows, cols);
  switch (column.kind) {
    case "array":
    case "field":
      return { ...column, array: pick(column.array) };
    case "nullable":
      return { ...column, values: pick(column.values), mask: column.mask === null ? null : pick(column.mask) };
    case "categorical":
      return { ...column, codes: { ...column.codes, array: pick(column.codes.array) } };
    case "viewed":
      return { ...column, values: { ...column.values, array: createPickedArray(column.values.array, rows, null) } };
    case "ragged":
      return rows === null ? column : pickedRagged(column, rows);
    case "null":
      return column;
    default:
      return column satisfies never;
  }
}

const INDEX: IntType = { kind: "int", bits: 64, signed: true };

/** Selects rows of a ragged column through awkward's IndexedArray, which maps new to stored rows. */
function pickedRagged(column: Extract<ColumnPlan, { kind: "ragged" }>, rows: RowRanges): ColumnPlan {
  const [first] = column.buffers.values();
  // No array node has such a key, and selecting from a selection makes the key longer.
  const key = `picked rows of ${column.form.key}`;
  const positions = BigInt64Array.from(expanded(rows), BigInt);
  const index = createMemoryArray(
    key,
    INDEX,
    [positions.length],
    { kind: "fixed", values: positions },
    first?.plan?.source,
  );
  const form: RaggedForm = { class: "IndexedArray", key, index: INDEX, categorical: false, content: column.form };
  return { ...column, form, length: positions.length, buffers: new Map([...column.buffers, [`${key}-index`, index]]) };
}

function expanded(rows: RowRanges): Float64Array {
  return listRowPositions(rows, 0, countRangeRows(rows));
}
