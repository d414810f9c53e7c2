/** What a dataset holds, as JSON. */

import { typeText } from "../arrow/type.js";
import type { Dataset } from "../dataset.js";
import type { StoredTable } from "../tables/stored-table.js";
import { tableBytes } from "./table-size.js";

export function inspectJson(dataset: Dataset<StoredTable>) {
  const { source, format, version, container, shape, warnings } = dataset;
  return {
    ...{ source, format, version, container, shape },
    tables: [...dataset.tables.values()].map(tableJson),
    failures: [...dataset.failures].map(([name, error]) => ({ name, error: error.tag, message: error.message })),
    warnings,
  };
}

function tableJson(table: StoredTable) {
  const { name, rows, derived, axis, layouts, metadata, fields } = table;
  const bytes = tableBytes(table);
  return {
    name,
    kind: metadata.kind,
    rows,
    bytes: bytes === null ? null : Math.ceil(bytes.size),
    bytesAreEstimated: bytes?.estimated ?? null,
    ...{ derived, axis, layouts, metadata },
    columns: fields.map((field) => ({
      name: field.name,
      type: typeText(field.type),
      nullable: field.nullable,
      metadata: field.metadata === undefined ? {} : { annarrow: JSON.stringify(field.metadata) },
    })),
  };
}
