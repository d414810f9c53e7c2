/** What a dataset holds, as JSON. */

import type { Dataset, DataTable } from "../dataset.js";
import { tableBytes } from "./table-size.js";

export function inspectJson(dataset: Dataset) {
  const { source, format, version, container, shape, warnings } = dataset;
  return {
    ...{ source, format, version, container, shape },
    tables: [...dataset.tables.values()].map(tableJson),
    failures: [...dataset.failures].map(([name, error]) => ({ name, error: error.tag, message: error.message })),
    warnings,
  };
}

function tableJson(table: DataTable) {
  const { name, rows, derived, axis, layouts, metadata, schema } = table;
  const bytes = tableBytes(table);
  return {
    name,
    kind: metadata.kind,
    rows,
    bytes: bytes === null ? null : Math.ceil(bytes.size),
    bytesAreEstimated: bytes?.estimated ?? null,
    ...{ derived, axis, layouts, metadata },
    columns: schema.fields.map((field) => ({
      name: field.name,
      type: String(field.type),
      nullable: field.nullable,
      metadata: Object.fromEntries(field.metadata),
    })),
  };
}
