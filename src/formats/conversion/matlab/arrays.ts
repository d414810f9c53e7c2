/** MATLAB variables as matrices and as arrays along an axis. As stored, cells are the rows. */

import { InvalidInputError } from "../../../model/errors.js";
import type { ColumnTable } from "../../../tables/column-table.js";
import { foldTableRows } from "../../../tables/reshaped-tables.js";
import type { ViewOptions } from "../view/format-conversion.js";
import { createRenamedTable } from "../view/renamed.js";
import { toFrameParts } from "./frame.js";
import { getOrigin, toSparseElement } from "./origin.js";
import { describeVariableSize, type MatlabVariable } from "./variables.js";

/**
 * Converts a variable to a matrix.
 * @throws {InvalidInputError} if the variable is not a numeric matrix.
 */
export function toMatrixElement({ table, path }: MatlabVariable, name: string): ColumnTable {
  const matrix = table === null ? null : (toSparseElement(table, name) ?? denseOf(table, name));
  if (matrix !== null && matrix.metadata?.shape?.length === 2) return matrix;
  throw new InvalidInputError(
    `${path} is ${table === null ? "a struct" : describeVariableSize(table)}, no matrix of numbers`,
    {
      element: name,
    },
  );
}

/**
 * Converts a variable to elements along an axis. For a struct of matrices, each matrix becomes an element named after
 * its field.
 */
export function toAlignedElements(
  part: MatlabVariable,
  name: string,
  options: ViewOptions,
): ReadonlyMap<string, ColumnTable> {
  const { table, below } = part;
  if (table !== null || ![...below.values()].every(isMatrix))
    return new Map([[name, toAlignedElement(part, name, options)]]);
  const all = new Map<string, ColumnTable>();
  for (const [field, one] of below) {
    const own = { path: `${part.path}/${field}`, table: one, below: new Map(), listing: null };
    all.set(`${name}/${field}`, toAlignedElement(own, `${name}/${field}`, options));
  }
  return all;
}

function isMatrix({ fields, metadata }: ColumnTable): boolean {
  return metadata?.kind === "csc_matrix" || (fields.length === 1 && fields[0].type.id === "FixedSizeList");
}

/** Converts an array with any number of dimensions, a dataframe, or a struct that was written from a dataframe. */
export function toAlignedElement(part: MatlabVariable, name: string, options: ViewOptions): ColumnTable {
  const { table } = part;
  if (table === null) return frameAlone(part, name, options);
  const array = toSparseElement(table, name) ?? vectorOf(table, name) ?? denseOf(table, name);
  if (array !== null) return array;
  if (table.metadata?.size === undefined) return createRenamedTable(table, name, table.metadata);
  return frameAlone(part, name, options);
}

/** Converts a variable to a dataframe only. Matrices among its columns count as losses. */
function frameAlone(part: MatlabVariable, name: string, options: ViewOptions): ColumnTable {
  const { frame, matrices } = toFrameParts(part, name, options);
  for (const field of matrices.keys()) {
    options.losses.add(`${part.path}/${field}`, "a column of several values each, in a table");
  }
  return frame;
}

/** Returns a one-dimensional array. MATLAB arrays have at least two dimensions, so it was written with a second one. */
function vectorOf(table: ColumnTable, name: string): ColumnTable | null {
  const known = getOrigin(table)?.metadata;
  const isFlat = table.fields.length === 1 && table.fields[0].type.id !== "FixedSizeList";
  if (known?.kind !== "array" || known.shape?.length !== 1 || !isFlat || !isNumber(table)) return null;
  return createRenamedTable(table, name, known);
}

/** Returns an array with at least two dimensions. In MATLAB, vectors and scalars have two. */
function denseOf(table: ColumnTable, name: string): ColumnTable | null {
  const { fields, metadata } = table;
  const size: unknown = metadata?.size;
  if (fields.length !== 1 || !isSize(size) || size.length < 2 || !isNumber(table)) return null;
  const known = getOrigin(table)?.metadata;
  const own = { ...(known?.kind === "array" ? known : {}), kind: "array", shape: size };
  const isFolded = fields[0].type.id === "FixedSizeList";
  return createRenamedTable(isFolded ? table : foldTableRows(table, [size[0], size[1]]), name, own);
}

/**
 * True if a table is an array of numbers. A single column of a table, or a single field of a struct array, does not
 * count, because it has a name.
 */
function isNumber({ fields: [field], metadata }: ColumnTable): boolean {
  if (metadata?.kind === "dataframe" || metadata?.kind === "rec-array") return false;
  let { type } = field;
  while (type.id === "FixedSizeList") type = type.item.type;
  return type.id === "Int" || type.id === "Float" || type.id === "Bool" || type.id === "Struct";
}

function isSize(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((one) => typeof one === "number");
}
