/** A vector of values as the rows of a matrix: each a row of one value, or all of them one row. */

import { fixedSizeLists } from "../arrow/dense.js";
import { joinColumns } from "../arrow/join.js";
import { nested } from "../arrow/type.js";
import { RefusedError } from "../model/errors.js";
import { plainListing } from "./chosen-columns.js";
import type { ColumnTable } from "./column-table.js";

/** More values of one row than are held at once. */
const MAX_VALUES = 2 ** 27;

/**
 * A table of one column as the matrix of `shape`, of which one length is 1.
 * @throws {InvalidInputError} for a row that is too long to be held, or another number of values.
 */
export function foldedRows(table: ColumnTable, shape: readonly [rows: number, columns: number]): ColumnTable {
  const [rows, width] = shape;
  const [field] = table.fields;
  const type = nested(field.type, [width]);
  if (width > MAX_VALUES) {
    throw new RefusedError(`one row of ${width} values, of which ${MAX_VALUES} are held`, { element: table.name });
  }
  return {
    ...plainListing(table.name, rows),
    metadata: table.metadata,
    repeatable: table.repeatable,
    fields: [{ ...field, type, nullable: false }],
    async *batches(options) {
      const held = [];
      for await (const { length, columns } of table.batches(width === 1 ? options : { ...options, reuse: false })) {
        if (width === 1) yield { length, columns: [fixedSizeLists(columns[0], [1], length)] };
        else held.push(columns[0]);
      }
      if (width === 1) return;
      const row = joinColumns(held);
      if (row.length !== width) {
        throw new RefusedError(`${row.length} values for a row of ${width}`, { element: table.name });
      }
      yield { length: 1, columns: [fixedSizeLists(row, [width], 1)] };
    },
  };
}
