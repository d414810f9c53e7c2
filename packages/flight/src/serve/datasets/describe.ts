/** Descriptions of datasets for clients. */

import type { TableSet } from "annarrow";
import type { OpenedTable } from "annarrow/core/api";
import { describeArrowType } from "annarrow/core/arrow";
import { StoredTable } from "annarrow/core/tables";

/** Describes a dataset as JSON, using the name under which it is served. */
export function describeDataset(name: string, dataset: TableSet<OpenedTable>) {
  const { format, version, container, shape, warnings } = dataset;
  return {
    name,
    ...{ format, version, container, shape },
    tables: [...dataset.tables.values()].map(describeTable),
    failures: [...dataset.failures].map(([element, error]) => ({
      name: element,
      error: error.tag,
      message: error.problem,
    })),
    warnings,
  };
}

function describeTable(table: OpenedTable) {
  const { name, rows, metadata, derived, axis, layouts } = table;
  const columns =
    table instanceof StoredTable
      ? table.fields.map((field) => ({
          name: field.name,
          type: describeArrowType(field.type),
          nullable: field.nullable,
        }))
      : table.schema.fields.map((field) => ({ name: field.name, type: String(field.type), nullable: field.nullable }));
  return { name, kind: metadata.kind, rows, derived, axis, layouts, metadata, columns };
}
