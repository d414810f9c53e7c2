/** Columns as a dataframe: the index first. */

import { pandasMetadata } from "../arrow/pandas.js";
import { type ArrowField, mayBeNull } from "../arrow/type.js";
import { columnRows, columnType } from "../jobs/rows/columns.js";
import { InvalidDataError } from "../model/errors.js";
import type { ColumnElement, TableElement } from "./element.js";

/**
 * @param path what errors call it.
 * @param names of the columns.
 * @throws {InvalidDataError} where a column is not as long as the index.
 */
export function frameOf(
  path: string,
  names: readonly string[],
  columns: readonly ColumnElement[],
  metadata: Readonly<Record<string, unknown>>,
): TableElement {
  const rows = columnRows(columns[0].plan);
  const fields = columns.map(({ plan, metadata: column }, i): ArrowField => {
    const length = columnRows(plan);
    if (length !== rows) {
      throw new InvalidDataError(`column ${JSON.stringify(names[i])} has ${length} rows, the index has ${rows}`, {
        element: path,
      });
    }
    const type = columnType(plan);
    const nullable = plan.kind === "nullable" || plan.kind === "ragged" || mayBeNull(type);
    return { name: names[i], type, nullable, metadata: column };
  });
  return {
    kind: "table",
    fields,
    metadata: { kind: "dataframe", ...metadata },
    schemaMetadata: new Map([["pandas", pandasMetadata(fields)]]),
    rows,
    plan: { kind: "columns", columns: columns.map(({ plan }) => plan) },
    shape: [rows],
  };
}
