/** Describes an opened dataset for the page. */

import type { Dataset, DataTable } from "../model/dataset.js";
import { namesInSql } from "../query/tables-in-sql.js";
import { renamedTableWarning, renamingWarning } from "../tables/distinct-columns.js";
import { shownTable } from "./shown-tables.js";
import type { ViewDescription, ViewTable } from "./view-request.js";

export function describeInput(name: string, dataset: Dataset): ViewDescription {
  const { format, version, container, shape } = dataset;
  const warnings = [...dataset.warnings];
  const names = namesInSql(dataset);
  const tables = [...dataset.tables].map(([element, stored]) => {
    const shown = shownTable(stored);
    const called = names.get(element) ?? element;
    const renaming = renamingWarning(shown);
    if (called !== element) warnings.push(renamedTableWarning(element, called));
    if (renaming !== null) warnings.push(renaming);
    return { ...described(shown), name: called, layouts: stored.layouts };
  });
  return {
    ...{ name, format, version, container, shape, warnings, tables },
    failures: [...dataset.failures].map(([element, { tag, problem }]) => ({
      name: element,
      error: tag,
      message: problem,
    })),
  };
}

function described({ rows, metadata, derived, axis, schema }: DataTable): Omit<ViewTable, "name" | "layouts"> {
  const { index } = metadata;
  return {
    ...{ rows, derived, axis },
    kind: metadata.kind,
    shape: metadata.shape ?? null,
    index: typeof index === "string" && schema.fields.some((field) => field.name === index) ? index : null,
    columns: schema.fields.map((field) => ({ name: field.name, type: String(field.type), nullable: field.nullable })),
  };
}
