/** A table with some of its columns. */

import type { DataTable } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";
import { projectSchema } from "./project-schema.js";
import { readTable } from "./read-table.js";

/**
 * `table` with the columns `names`, in that order; what is not named is never read.
 * @throws {NotFoundError} where the table has no such column.
 */
export function selectColumns(table: DataTable, names: readonly string[]): DataTable {
  const schema = projectSchema(table.schema, names, table.name);
  const { name, rows, metadata, derived, axis } = table;
  const selected: DataTable = {
    name,
    schema,
    rows,
    metadata,
    derived,
    axis,
    layouts: [],
    layout: async (layout) => {
      throw new InvalidInputError(`choose the layout "${layout}" before the columns`, { element: name });
    },
    batches: (options = {}) => {
      const columns = options.columns ?? names;
      projectSchema(schema, columns, name);
      return table.batches({ ...options, columns });
    },
    read: (options) => readTable(selected, options),
  };
  return selected;
}
