/** Writes dataframe columns by copying their stored chunks unchanged. */

import type { Column } from "../../arrow/column.js";
import type { ArrowField } from "../../arrow/type.js";
import { getCodesType, toWrittenForm } from "../../arrow/written-type.js";
import type { StoredArray } from "../../containers/tree/container.js";
import type { GroupWriter } from "../../containers/tree/container-writer.js";
import { areOneNumber, areOneType } from "../../containers/tree/stored-chunks.js";
import type { CategoricalPlan, ColumnPlan } from "../../jobs/plan/plan.js";
import { getColumnRowCount } from "../../jobs/rows/columns.js";
import type { StoredType } from "../../model/stored.js";
import { type ColumnTable, findStoredElement, type StoredElement } from "../../tables/column-table.js";
import { createEncodingAttributes } from "../attributes.js";
import { type ElementDestination, getArrayEncoding, getElementEncoding } from "./array.js";
import { openCategorical, writeCategories } from "./categorical.js";
import { createChunkCopy, hasShape } from "./chunk-copies.js";
import { openColumn } from "./column.js";
import { findMissingText, findNullableEncoding, openNullable } from "./nullable.js";

export type CopyColumn = () => Promise<void>;

/** A column in a stored dataframe, and the output location of its element. */
interface KeptColumn {
  readonly place: ElementDestination;
  readonly field: ArrowField;
  readonly rows: number;
}

/**
 * Returns the copies of a frame's columns whose chunks the container can store, by column position in the table.
 * @param parent the frame's group.
 * @param nameOf the name of the element that a column becomes; null for a column whose values are needed.
 */
export async function createColumnCopies(
  { cx }: ElementDestination,
  parent: GroupWriter,
  table: ColumnTable,
  nameOf: (column: number) => string | null,
): Promise<ReadonlyMap<number, CopyColumn>> {
  const copies = new Map<number, CopyColumn>();
  const stored = findStoredElement(table);
  if (cx.keep === null || stored?.rows.kind !== "columns" || table.rows === null) return copies;
  for (const [i, plan] of stored.rows.columns.entries()) {
    const name = nameOf(i);
    if (name === null) continue;
    const column = { place: { cx, parent, name }, field: table.fields[i], rows: table.rows };
    const copy = await columnCopy(column, plan, () => categoriesOf(stored, i, cx.signal));
    if (copy !== null) copies.set(i, copy);
  }
  return copies;
}

async function columnCopy(
  column: KeptColumn,
  plan: ColumnPlan,
  categories: () => Promise<Column>,
): Promise<CopyColumn | null> {
  switch (plan.kind) {
    case "array":
      return plainCopy(column, plan.array);
    case "nullable":
      return plan.mask === null ? null : nullableCopy(column, plan.values, plan.mask);
    case "categorical":
      return categoricalCopy(column, plan, categories);
    case "field":
    case "viewed":
    case "ragged":
    case "null":
      return null;
    default:
      return plan satisfies never;
  }
}

const PLAIN: ReadonlySet<string> = new Set(["Int", "Float", "Bool", "Utf8"]);

async function plainCopy({ place, field, rows }: KeptColumn, array: StoredArray): Promise<CopyColumn | null> {
  const { type, nullable, metadata } = field;
  const form = toWrittenForm(field);
  const encoding = getElementEncoding(form.type);
  if (nullable || !PLAIN.has(type.id) || (metadata?.kind ?? encoding) !== encoding) return null;
  if (form.shape.length > 0 || !isColumn(array, form.type, rows)) return null;
  const copy = await createChunkCopy(place, place.parent, place.name, array, {
    attributes: createEncodingAttributes(encoding),
  });
  return copy && (() => copy(noProgress));
}

async function nullableCopy(
  { place, field, rows }: KeptColumn,
  values: StoredArray,
  mask: StoredArray,
): Promise<CopyColumn | null> {
  const encoding = findNullableEncoding(field);
  if (encoding === null || field.metadata?.kind !== encoding) return null;
  const { type, shape } = toWrittenForm(field);
  if (shape.length > 0 || !isColumn(values, type, rows) || !isColumn(mask, { kind: "bool" }, rows)) return null;
  if (!(await canKeep(place, [values, mask]))) return null;
  return async () => {
    const group = await openNullable(place, encoding, findMissingText(field));
    await copyTo(place, group, "values", values);
    await copyTo(place, group, "mask", mask);
  };
}

/** Copies the codes unchanged if the stored categories are distinct, because distinct categories keep their order. */
async function categoricalCopy(
  { place, field, rows }: KeptColumn,
  { codes, categories: stored, oneBased }: CategoricalPlan,
  categories: () => Promise<Column>,
): Promise<CopyColumn | null> {
  const { type, metadata } = field;
  if (type.id !== "Dictionary" || metadata?.kind !== "categorical" || !PLAIN.has(type.value.id)) return null;
  if (oneBased === true || codes.kind !== "array" || !hasShape(codes.array, [rows])) return null;
  if (!areOneNumber(getCodesType(field, null), codes.array.type) || !(await canKeep(place, [codes.array]))) return null;
  const values = await categories();
  if (values.length !== getColumnRowCount(stored)) return null;
  return async () => {
    const group = await openCategorical(place, type);
    await copyTo(place, group, "codes", codes.array);
    await writeCategories({ cx: place.cx, parent: group }, field, [values], openColumn);
  };
}

function isColumn(array: StoredArray, type: StoredType, rows: number): boolean {
  return areOneType(type, array.type) && hasShape(array, [rows]);
}

/** Whether the container can store the chunks of all these arrays. */
async function canKeep({ cx, parent, name }: ElementDestination, arrays: readonly StoredArray[]): Promise<boolean> {
  for (const array of arrays) if ((await createChunkCopy({ cx }, parent, name, array, {})) === null) return false;
  return true;
}

async function copyTo({ cx }: ElementDestination, group: GroupWriter, name: string, array: StoredArray): Promise<void> {
  const copy = await createChunkCopy({ cx }, group, name, array, {
    attributes: createEncodingAttributes(getArrayEncoding(array.type)),
  });
  if (copy === null) throw new TypeError("the container can store these chunks");
  await copy(noProgress);
}

function noProgress(): void {}

async function categoriesOf(stored: StoredElement, field: number, signal: AbortSignal | undefined): Promise<Column> {
  const [column] = await stored.noRows([field], { signal });
  if (column.layout !== "dictionary") throw new TypeError("a categorical is a dictionary");
  return column.dictionary;
}
