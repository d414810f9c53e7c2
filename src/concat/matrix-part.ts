/** One dataset's matrix in a concatenation: its places along the other axis, its form, its type, its order. */

import type { ArrowField, ArrowType } from "../arrow/type.js";
import { typeText } from "../arrow/type.js";
import { type MinorMap, placingMap } from "../kernels/sparse/minor-map.js";
import { InvalidInputError } from "../model/errors.js";
import type { ColumnTable } from "../tables/column-table.js";
import { coordinatesOf, entriesValue, listOrder } from "../tables/sparse/sparse-entries.js";
import { commonNumericType, isNumericType, type NumericType } from "./common-type.js";

/** A matrix of one dataset. */
export interface MatrixPart {
  /** The dataset, for errors. */
  readonly source: string;
  /** The matrix; null where the dataset has none of this name. */
  readonly table: ColumnTable | null;
  /** Its length along the axis of the concatenation. */
  readonly length: number;
  /** Its length along the other axis. */
  readonly across: number;
  /** The new position of each position along the other axis, -1 where it is left out; null where all stay in place. */
  readonly places: Int32Array | null;
}

/** The length of all matrices together, along the axis of the concatenation. */
export function lengthOfAll(parts: readonly MatrixPart[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** Whether all matrices can be read again. */
export function areRepeatable(parts: readonly MatrixPart[]): boolean {
  return parts.every(({ table }) => table?.repeatable ?? true);
}

/** Whether the table has the entries of a sparse matrix. */
export function isSparse({ fields, metadata, layouts }: ColumnTable): boolean {
  if (metadata?.kind === "array" && layouts.includes("dense")) return false;
  return entriesValue({ fields }) !== null || coordinatesOf(fields) !== null;
}

/** The table of a dense matrix with one list of values for each row; null for another element. */
export async function denseForm(table: ColumnTable): Promise<ColumnTable | null> {
  const dense = table.layouts.includes("dense") && table.layouts[0] !== "dense" ? await table.layout("dense") : table;
  return dense.fields.length === 1 && dense.fields[0].type.id === "FixedSizeList" ? dense : null;
}

/** Whether the entries of a sparse matrix come as one list for each row. */
export function hasRowLists(table: ColumnTable): boolean {
  if (listOrder(table) !== "row") return false;
  return entriesValue(table) !== null || table.layouts.includes("list");
}

/** The order of the entries of a sparse matrix; null where they have none, or do not say it. */
export function entryOrder(table: ColumnTable): "row" | "column" | null {
  return table.metadata?.order === null ? null : listOrder(table);
}

/** The type of the values of a matrix, sparse or dense. */
export function valueType({ fields }: ColumnTable): ArrowType {
  const value = entriesValue({ fields }) ?? valueField(fields);
  let type = value.type;
  while (type.id === "FixedSizeList") type = type.item.type;
  return type;
}

function valueField(fields: readonly ArrowField[]): ArrowField {
  const places = coordinatesOf(fields);
  return fields[places === null ? 0 : places[2]];
}

/**
 * The type of the numbers of all matrices together.
 * @param others types of values that are filled in.
 * @throws {InvalidInputError} where the values of one are no numbers, and not all have one type.
 */
export function commonType(parts: readonly MatrixPart[], others: readonly NumericType[], element: string): NumericType {
  const types = [...others];
  for (const { table, source } of parts) {
    if (table === null) continue;
    const type = valueType(table);
    if (!isNumericType(type))
      throw new InvalidInputError(`${typeText(type)} is no type of numbers`, { source, element });
    types.push(type);
  }
  return commonNumericType(types);
}

/** The map of positions along the other axis; null where all stay in place. */
export function minorMapOf({ places }: MatrixPart, across: number): MinorMap | null {
  return places === null ? null : placingMap(places, across);
}

/** Whether the other axis of the result has positions that the part does not have. */
export function lacksPositions({ table, places, across }: MatrixPart, width: number): boolean {
  if (table === null) return width > 0;
  if (places === null) return across < width;
  let placed = 0;
  for (const place of places) if (place >= 0) placed++;
  return placed < width;
}

/** Whether the result leaves out positions of the part's other axis. */
export function dropsPositions({ places }: MatrixPart): boolean {
  return places?.includes(-1) ?? false;
}
