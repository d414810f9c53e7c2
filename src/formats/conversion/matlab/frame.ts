/** MATLAB variables as dataframes: tables, structs of columns, struct arrays, lists of names. */

import type { ArrowField } from "../../../arrow/type.js";
import { InvalidInputError, isAnnarrowError } from "../../../model/errors.js";
import type { ColumnTable } from "../../../tables/column-table.js";
import { dropFieldMetadata } from "../../../tables/frame-index.js";
import { joinColumnTables } from "../../../tables/joined-columns.js";
import { selectTableColumns } from "../../../tables/reshaped-tables.js";
import { toNamesFrame } from "../view/axis-names.js";
import type { ViewOptions } from "../view/format-conversion.js";
import { createRenamedTable } from "../view/renamed.js";
import { UnsupportedElements } from "../view/unsupported-elements.js";
import { describeVariableSize, getVariableAt, type MatlabVariable } from "./variables.js";

export interface FrameParts {
  readonly frame: ColumnTable;
  readonly matrices: ReadonlyMap<string, ColumnTable>;
}

/**
 * Converts a variable to a dataframe.
 * @throws {InvalidInputError} if the variable is not a table, a struct of columns, or a list of names.
 */
export function toFrameParts(part: MatlabVariable, name: string, { losses }: Pick<ViewOptions, "losses">): FrameParts {
  const { table, path } = part;
  if (table === null) return structFrame(part, name, losses);
  const { metadata, fields } = table;
  const kind = metadata?.kind;
  if (kind === "dataframe" && !Array.isArray(metadata?.size)) {
    return { frame: createRenamedTable(table, name, metadata), matrices: new Map() };
  }
  if (kind === "dataframe" || kind === "rec-array") {
    return split(table, name, path, { kind: "dataframe", index: metadata?.index });
  }
  if (fields.length === 1 && isText(fields[0])) return { frame: toNamesFrame(table, name), matrices: new Map() };
  throw new InvalidInputError(
    `${path} is ${describeVariableSize(table)}: ${name} is a table, a struct of columns, or a list of names`,
    { element: name },
  );
}

/** Converts a variable to a dataframe; null if this is not possible. */
export function toVariableFrame(tables: ReadonlyMap<string, ColumnTable>, name: string): ColumnTable | null {
  const part = getVariableAt(tables, name);
  if (part.table === null && part.below.size === 0) return null;
  try {
    return toFrameParts(part, name, { losses: new UnsupportedElements("") }).frame;
  } catch (error) {
    if (isAnnarrowError(error, "InvalidInputError")) return null;
    throw error;
  }
}

function isText({ type }: ArrowField): boolean {
  return type.id === "Utf8" || (type.id === "Dictionary" && type.value.id === "Utf8");
}

/** Splits a table: columns with several values per row become separate matrices next to the dataframe. */
function split(
  table: ColumnTable,
  name: string,
  path: string,
  metadata: Readonly<Record<string, unknown>> & { kind: string },
): FrameParts {
  const flat = table.fields.flatMap((field, place) =>
    field.type.id === "FixedSizeList" ? [] : [{ place, field: dropFieldMetadata(field) }],
  );
  const frame = selectTableColumns(table, name, flat, metadata);
  const matrices = new Map<string, ColumnTable>();
  for (const [place, field] of table.fields.entries()) {
    if (field.type.id !== "FixedSizeList") continue;
    const own = [{ place, field: { ...dropFieldMetadata(field), name: "value" } }];
    const shape = table.rows === null ? undefined : [table.rows, field.type.size];
    matrices.set(field.name, selectTableColumns(table, `${path}/${field.name}`, own, { kind: "array", shape }));
  }
  return { frame, matrices };
}

/** Joins the fields of a struct column-wise into one dataframe. */
function structFrame({ path, below }: MatlabVariable, name: string, losses: UnsupportedElements): FrameParts {
  const columns: ColumnTable[] = [];
  const matrices = new Map<string, ColumnTable>();
  for (const [field, table] of below) {
    const [first, ...others] = table.fields;
    const isTable = table.metadata?.kind === "dataframe" || table.metadata?.kind === "rec-array";
    if (field.includes("/") || isTable || (others.length > 0 && !isSparse(table))) {
      losses.add(`${path}/${field.split("/")[0]}`, "what is no column, in a struct of columns");
    } else if (isSparse(table) || first.type.id === "FixedSizeList") matrices.set(field, table);
    else
      columns.push(
        selectTableColumns(
          table,
          `${path}/${field}`,
          [{ place: 0, field: { ...dropFieldMetadata(first), name: field } }],
          null,
        ),
      );
  }
  if (columns.length === 0) {
    throw new InvalidInputError(`${path} is a struct without columns of numbers or text`, { element: name });
  }
  return { frame: joinColumnTables(name, columns, { kind: "dataframe" }), matrices };
}

function isSparse({ metadata }: ColumnTable): boolean {
  return metadata?.kind === "csc_matrix";
}
