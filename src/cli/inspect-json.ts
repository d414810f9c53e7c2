/** What a dataset holds, as JSON. */

import type { OpenedTable } from "../api/open.js";
import type { Dataset } from "../model/dataset.js";
import { storageOf } from "./storage.js";
import { type TableOutline, tableOutline } from "./table-outline.js";
import { tableBytes } from "./table-size.js";

export async function inspectJson(dataset: Dataset<OpenedTable>) {
  const { source, format, version, container, shape, warnings } = dataset;
  return {
    ...{ source, format, version, container, shape },
    tables: (await Promise.all([...dataset.tables.values()].map(tableOutline))).map(tableJson),
    failures: [...dataset.failures].map(([name, error]) => ({ name, error: error.tag, message: error.message })),
    warnings,
  };
}

function tableJson(table: TableOutline) {
  const { name, rows, derived, axis, layouts, metadata } = table;
  const bytes = tableBytes(table);
  const storage = storageOf(metadata);
  return {
    name,
    kind: metadata.kind,
    rows,
    bytes: bytes === null ? null : Math.ceil(bytes.size),
    bytesAreEstimated: bytes?.estimated ?? null,
    ...{ derived, axis, layouts, metadata },
    ...(storage === null ? {} : { storage }),
    columns: table.columns.map(({ name, type, nullable, metadata }) => ({ name, type, nullable, metadata })),
  };
}
