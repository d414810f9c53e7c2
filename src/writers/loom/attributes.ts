/**
 * Writes `/row_attrs` and `/col_attrs`, with one array per column, or a group for a column of records that was read
 * from a group.
 */

import type { Column, StructColumn } from "../../arrow/column.js";
import type { ArrowField } from "../../arrow/type.js";
import type { WrittenType } from "../../arrow/written-type.js";
import type { GroupWriter } from "../../containers/tree/container-writer.js";
import { UnsupportedElementError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { isFromLoom } from "./column-encoding.js";
import { type AttributeArray, writeColumns } from "./columns.js";
import type { LoomWriterContext } from "./context.js";
import { checkName, createStampAttributes } from "./groups.js";

export type AttributeTable = "row_attrs" | "col_attrs";

/**
 * Writes an axis's attributes.
 * @param rows the length of the axis.
 * @returns the number of rows.
 * @throws {InvalidInputError} for names that Loom rejects, for a number of rows that differs from the matrix, and,
 * unless losses are allowed, for values that Loom cannot represent.
 */
export async function writeAttributes(
  table: ColumnTable,
  name: AttributeTable,
  rows: number,
  cx: LoomWriterContext,
): Promise<number> {
  checkNames(table.fields, name);
  const group = await cx.groups.at(name);
  const targets = (
    await Promise.all(table.fields.map((field, place) => targetsOf(field, place, { path: name, group, rows }, cx)))
  ).flat();
  cx.groups.stamp(name, table.metadata?.last_modified);
  const by = `the matrix's ${name === "row_attrs" ? "row" : "column"} axis`;
  return await writeColumns(table, targets, { rows, by }, cx);
}

interface Place {
  readonly path: string;
  readonly group: GroupWriter;
  readonly rows: number;
}

async function targetsOf(
  field: ArrowField,
  place: number,
  { path, group, rows }: Place,
  cx: LoomWriterContext,
): Promise<AttributeArray[]> {
  const element = `${path}/${field.name}`;
  const { type, metadata = {} } = field;
  const { groups, version } = cx;
  const open =
    (own: GroupWriter, name: string, stamped: ArrowField["metadata"]) =>
    ({ type, shape }: WrittenType) =>
      own.array(name, { type, shape: [rows, ...shape], ...createStampAttributes(stamped, version) });
  if (type.id !== "Struct" || !isFromLoom(metadata) || metadata.kind !== "dict") {
    return [{ element, field, place, part: (column) => column, open: open(group, field.name, metadata) }];
  }
  checkNames(type.fields, element, place);
  const below = await groups.at(element);
  groups.stamp(element, metadata.last_modified);
  const stored = Array.isArray(metadata.fields) ? metadata.fields : [];
  return type.fields.map((child, i) => ({
    element: `${element}/${child.name}`,
    field: { ...child, metadata: { kind: "array", ...stored[i] } },
    place,
    part: (column) => structOf(column, element).children[i],
    open: open(below, child.name, {}),
  }));
}

function structOf(column: Column, element: string): StructColumn {
  if (column.layout !== "struct") throw new TypeError("records expected");
  const missing = column.validity?.nullCount ?? 0;
  if (missing === 0) return column;
  throw new UnsupportedElementError(`${missing} of ${column.length} records are missing, for which Loom has no form`, {
    element,
  });
}

/**
 * Checks the names of columns, or of the fields of one column.
 * @param place position of the column that contains the fields; absent if the fields are columns.
 */
function checkNames(fields: readonly ArrowField[], path: string, place?: number): void {
  const seen = new Set<string>();
  for (const [i, { name }] of fields.entries()) {
    const column = place ?? i;
    const location = { element: path, column };
    checkName(name, location);
    if (seen.has(name)) {
      throw new UnsupportedElementError(`two columns are called ${JSON.stringify(name)}: rename one`, location);
    }
    seen.add(name);
  }
}
