/** Describes an opened dataset for the page. */

import type { Dataset, DataTable } from "../model/dataset.js";
import type { ViewDescription, ViewTable } from "./view-request.js";

export function describeInput(name: string, dataset: Dataset): ViewDescription {
  const { format, version, container, shape, warnings } = dataset;
  return {
    ...{ name, format, version, container, shape, warnings },
    tables: [...dataset.tables.values()].map(described),
    failures: [...dataset.failures].map(([element, { tag, problem }]) => ({
      name: element,
      error: tag,
      message: problem,
    })),
  };
}

function described({ name, rows, metadata, derived, axis, layouts, schema }: DataTable): ViewTable {
  const { index } = metadata;
  return {
    ...{ name, rows, derived, axis, layouts },
    kind: metadata.kind,
    shape: metadata.shape ?? null,
    index: typeof index === "string" && schema.fields.some((field) => field.name === index) ? index : null,
    columns: schema.fields.map((field) => ({ name: field.name, type: String(field.type), nullable: field.nullable })),
  };
}
