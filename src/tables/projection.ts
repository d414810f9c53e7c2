/** A table with some of its columns. */

import { type Field, Schema } from "apache-arrow";
import type { DataTable } from "./dataset.js";
import { InvalidInputError, NotFoundError } from "./errors.js";
import { readBatches } from "./read-batches.js";

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
    read: (options) => readBatches(selected, options),
  };
  return selected;
}

/** The schema of the columns `names`, in that order; a name that stands twice means both. */
export function projectSchema(schema: Schema, names: readonly string[], element: string): Schema {
  const fields = names.flatMap((name): Field[] => {
    const found = schema.fields.filter((candidate) => candidate.name === name);
    if (found.length > 0) return found;
    const some = schema.fields.slice(0, 20).map((field) => field.name);
    throw new NotFoundError(`no column ${JSON.stringify(name)}; there are ${some.join(", ")}`, { element });
  });
  return new Schema(fields, schema.metadata);
}
