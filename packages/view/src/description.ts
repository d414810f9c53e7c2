/** Describes an opened dataset for the page. */

import type { Dataset, DataTable } from "annarrow";
import { formatNamed, versionInWords } from "annarrow/core/model";
import { createSqlTableNames } from "annarrow/core/query";
import { describeRenamedColumns, describeRenamedTable } from "annarrow/core/tables";
import { toShownTable } from "./shown-tables.js";
import type { ViewColumn, ViewDescription, ViewTable } from "./view-request.js";

/** Maximum number of columns in a description. A table may have a million columns. */
const MAX_COLUMNS = 10_000;

/** Returns the table columns from a position on, but no more than the page shows at once. */
export function describeColumns({ schema }: DataTable, from: number): readonly ViewColumn[] {
  return schema.fields
    .slice(from, from + MAX_COLUMNS)
    .map(({ name, type, nullable }) => ({ name, type: String(type), nullable }));
}

export function describeInput(name: string, dataset: Dataset): ViewDescription {
  const { format, version, container, shape } = dataset;
  const { program, title } = formatNamed(format);
  const warnings = [...dataset.warnings];
  const names = createSqlTableNames(dataset);
  const tables = [...dataset.tables].map(([element, stored]) => {
    const shown = toShownTable(stored);
    const called = names.get(element) ?? element;
    const renaming = describeRenamedColumns(shown);
    if (called !== element) warnings.push(describeRenamedTable(element, called));
    if (renaming !== null) warnings.push(renaming);
    return { ...described(shown), name: called, layouts: stored.layouts };
  });
  return {
    content: `${program ?? title}${versionInWords(format, version)}`,
    ...{ name, format, version, container, shape, warnings, tables },
    failures: [...dataset.failures].map(([element, { tag, problem }]) => ({
      name: element,
      error: tag,
      message: problem,
    })),
  };
}

function described(table: DataTable): Omit<ViewTable, "name" | "layouts"> {
  const { rows, metadata, derived, axis, schema } = table;
  const { index } = metadata;
  return {
    ...{ rows, derived, axis },
    kind: metadata.kind,
    shape: metadata.shape ?? null,
    index: typeof index === "string" && schema.fields.some((field) => field.name === index) ? index : null,
    columns: describeColumns(table, 0),
    columnCount: schema.fields.length,
  };
}
