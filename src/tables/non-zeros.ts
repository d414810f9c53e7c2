/** Dense matrices, one list of fixed size a row, as the coordinates of what is not zero. */

import type { Column, ColumnBatch, PrimitiveColumn } from "../arrow/column.js";
import { handedDown, nonZeros } from "../arrow/dense.js";
import { type ArrowField, coordinateType, field, INT32, typeText } from "../arrow/type.js";
import { firstMissing } from "../arrow/written-values.js";
import { packBits, unpackBits } from "../kernels/values/bitmap.js";
import { InvalidInputError, RefusedError } from "../model/errors.js";
import { bytesOf } from "../model/stored.js";
import type { ColumnTable } from "./column-table.js";

/**
 * The entries of `dense` in row order. The number of its rows becomes the shape where it is known.
 * @throws {InvalidInputError} where it is no table of lists of numbers, later for a missing value.
 */
export function nonZeroTable(dense: ColumnTable): ColumnTable {
  const [lists, ...others] = dense.fields;
  const { type } = lists;
  const value = type.id === "FixedSizeList" ? type.item.type : null;
  const isNumber = value?.id === "Bool" || value?.id === "Int" || value?.id === "Float";
  if (others.length > 0 || type.id !== "FixedSizeList" || !isNumber) {
    throw new RefusedError(`${typeText(type)} is no matrix of numbers`, { element: dense.name });
  }
  const fields: ArrowField[] = [field("row", INT32, false), field("col", INT32, false), field("value", value, false)];
  const shape = dense.rows === null ? {} : { shape: [dense.rows, type.size] };
  return {
    ...{ name: dense.name, fields, rows: null, derived: dense.derived, repeatable: dense.repeatable },
    metadata: { ...shape, ...dense.metadata, kind: "array", layout: "coordinate", order: "row" },
    schemaMetadata: dense.schemaMetadata,
    layouts: [],
    layout: async () => {
      throw new InvalidInputError("the entries have one layout", { element: dense.name });
    },
    async *batches(options): AsyncGenerator<ColumnBatch> {
      let row = 0;
      for await (const { columns, length } of dense.batches(options)) {
        yield entries(columns[0], type.size, row, dense.name);
        row += length;
      }
    },
  };
}

function entries(lists: Column, width: number, firstRow: number, element: string): ColumnBatch {
  if (lists.layout !== "fixed-size-list") throw new TypeError("lists of fixed size expected");
  const flat = handedDown(lists);
  const missing = firstMissing(flat);
  if (missing >= 0) {
    throw new RefusedError(`row ${firstRow + Math.floor(missing / width)} has a missing value`, { element });
  }
  if (flat.layout !== "primitive") throw new TypeError("numbers expected");
  const isBool = flat.type.id === "Bool";
  const block = isBool ? unpackBits(bytesOf(flat.values), flat.length) : flat.values.subarray(0, flat.length);
  const { row, col, value } = nonZeros(block, lists.length, width, firstRow);
  const { length } = row;
  const values: PrimitiveColumn = {
    ...{ layout: "primitive", type: flat.type, length, validity: null },
    values: isBool ? packBits(bytesOf(value)) : value,
  };
  return { length, columns: [positions(row), positions(col), values] };
}

function positions(values: Int32Array): PrimitiveColumn {
  return { layout: "primitive", type: coordinateType(0), length: values.length, validity: null, values };
}
