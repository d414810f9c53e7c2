/** Describes one dataset's matrix in a concatenation: its positions along the other axis, its form, type and order. */

import type { ArrowField, ArrowType } from "../arrow/type.js";
import { describeArrowType } from "../arrow/type.js";
import { createPositionMap, type MinorMap } from "../kernels/sparse/minor-map.js";
import { InvalidInputError } from "../model/errors.js";
import type { ColumnTable } from "../tables/column-table.js";
import { findCoordinateColumns, findEntriesValue, listOrder } from "../tables/sparse/sparse-entries.js";
import { getCommonNumericType, isNumericType, type NumericType } from "./common-type.js";

export interface MatrixPart {
  /** The dataset, for errors. */
  readonly source: string;
  /** The matrix; null if the dataset has no matrix with this name. */
  readonly table: ColumnTable | null;
  /** Length of the matrix along the concatenation axis. */
  readonly length: number;
  /** Length of the matrix along the other axis. */
  readonly across: number;
  /**
   * The new position of each position along the other axis, -1 if it is dropped; null if all positions stay the same.
   */
  readonly places: Int32Array | null;
}

/** Returns the total length of all matrices along the concatenation axis. */
export function sumPartLengths(parts: readonly MatrixPart[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** True if all matrices can be read more than once. */
export function areRepeatable(parts: readonly MatrixPart[]): boolean {
  return parts.every(({ table }) => table?.repeatable ?? true);
}

/** True if the table contains the entries of a sparse matrix. */
export function isSparse({ fields, metadata, layouts }: ColumnTable): boolean {
  if (metadata?.kind === "array" && layouts.includes("dense")) return false;
  return findEntriesValue({ fields }) !== null || findCoordinateColumns(fields) !== null;
}

/** Returns the table of a dense matrix with one list of values per row; null for any other element. */
export async function findDenseForm(table: ColumnTable): Promise<ColumnTable | null> {
  const dense = table.layouts.includes("dense") && table.layouts[0] !== "dense" ? await table.layout("dense") : table;
  return dense.fields.length === 1 && dense.fields[0].type.id === "FixedSizeList" ? dense : null;
}

/** True if the entries of a sparse matrix are read as one list per row. */
export function hasRowLists(table: ColumnTable): boolean {
  if (listOrder(table) !== "row") return false;
  return findEntriesValue(table) !== null || table.layouts.includes("list");
}

/** Returns the order of a sparse matrix's entries; null if they are unordered or the order is unspecified. */
export function getEntryOrder(table: ColumnTable): "row" | "column" | null {
  return table.metadata?.order === null ? null : listOrder(table);
}

export function getMatrixEntryType({ fields }: ColumnTable): ArrowType {
  const value = findEntriesValue({ fields }) ?? valueField(fields);
  let type = value.type;
  while (type.id === "FixedSizeList") type = type.item.type;
  return type;
}

function valueField(fields: readonly ArrowField[]): ArrowField {
  const places = findCoordinateColumns(fields);
  return fields[places === null ? 0 : places[2]];
}

/**
 * Returns the common numeric type of all matrices.
 * @param others types of the fill values.
 * @throws {InvalidInputError} if the values of a matrix are not numbers.
 */
export function getCommonMatrixType(
  parts: readonly MatrixPart[],
  others: readonly NumericType[],
  element: string,
): NumericType {
  const types = [...others];
  for (const { table, source } of parts) {
    if (table === null) continue;
    const type = getMatrixEntryType(table);
    if (!isNumericType(type))
      throw new InvalidInputError(`${describeArrowType(type)} is no type of numbers`, { source, element });
    types.push(type);
  }
  return getCommonNumericType(types);
}

/** Returns the map of positions along the other axis; null if all positions stay the same. */
export function getPartMinorMap({ places }: MatrixPart, across: number): MinorMap | null {
  return places === null ? null : createPositionMap(places, across);
}

/** True if the part lacks some positions of the result's other axis. */
export function lacksPositions({ table, places, across }: MatrixPart, width: number): boolean {
  if (table === null) return width > 0;
  if (places === null) return across < width;
  let placed = 0;
  for (const place of places) if (place >= 0) placed++;
  return placed < width;
}

/** True if the result drops some positions of the part's other axis. */
export function dropsPositions({ places }: MatrixPart): boolean {
  return places?.includes(-1) ?? false;
}
