/** Removes the categories that no row of a dataframe uses. */

import { createMemoryArray } from "../../containers/picked/memory-array.js";
import { toRowRanges } from "../../containers/picked/row-ranges.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { checkIntegers } from "../../kernels/sparse/indptr.js";
import { InvalidDataError, runWithLocation, UnsupportedError } from "../../model/errors.js";
import { allocate, type IntArray, type StoredType } from "../../model/stored.js";
import { pickColumnPart } from "./picked-column.js";
import type { CategoricalPlan, ColumnPlan, SinglePlan, TablePlan } from "./plan.js";

/** Maximum number of rows in a column whose codes are renumbered in memory. */
const MAX_ROWS = 2 ** 28;

/** Number of codes that are read in one batch. */
const AT_ONCE = 2 ** 20;

export interface UsedCategories {
  readonly plan: TablePlan;
  /** By column name: the indices of the used categories, and the original number of categories. */
  readonly columns: ReadonlyMap<string, { readonly used: Int32Array; readonly all: number }>;
}

/** Returns the table without unused categories, in the same order. Reads the codes of all rows. */
export async function dropUnusedCategories(table: TablePlan, options: ReadOptions): Promise<UsedCategories> {
  const { plan } = table;
  const columns = new Map<string, { used: Int32Array; all: number }>();
  if (plan.kind !== "columns") return { plan: table, columns };
  const changed: ColumnPlan[] = [];
  for (const [i, column] of plan.columns.entries()) {
    const found = column.kind === "categorical" ? await usedOf(column, options) : null;
    changed.push(found?.column ?? column);
    if (found !== null) columns.set(table.fields[i].name, found);
  }
  return { plan: { ...table, plan: { ...plan, columns: changed } }, columns };
}

interface UsedColumn {
  readonly column: CategoricalPlan;
  readonly used: Int32Array;
  readonly all: number;
}

/** Returns null if the column has several codes per row or its categories are not single values. */
async function usedOf(plan: CategoricalPlan, options: ReadOptions): Promise<UsedColumn | null> {
  const { codes, categories, oneBased = false } = plan;
  const { array } = codes;
  const all = countOf(categories);
  if (array.shape?.length !== 1 || all === null) return null;
  const first = oneBased ? 1 : 0;
  return runWithLocation({ element: array.path }, async () => {
    const { type, read } = await allCodes(codes, options);
    const isUsed = new Uint8Array(all);
    for (const code of read) {
      const category = Number(code) - first;
      if (category >= all) throw new InvalidDataError(`code ${code} of ${all} categories`);
      if (category >= 0) isUsed[category] = 1;
    }
    const used = Int32Array.from(isUsed.keys()).filter((category) => isUsed[category] === 1);
    const numbers = new Int32Array(all);
    for (let i = 0; i < used.length; i++) numbers[used[i]] = i;
    if (used.length < all) renumber(read, numbers, first);
    const recoded = createMemoryArray(
      array.path,
      type,
      [read.length],
      { kind: "fixed", values: read },
      array.plan?.source,
    );
    const kept = pickColumnPart(categories, toRowRanges(used), null);
    return { column: { ...plan, codes: { kind: "array", array: recoded }, categories: kept }, used, all };
  });
}

/** Returns the number of categories; null if they are not single values. */
function countOf(categories: ColumnPlan): number | null {
  switch (categories.kind) {
    case "array":
    case "field":
      return categories.array.shape?.[0] ?? null;
    case "nullable":
      return categories.values.shape?.[0] ?? null;
    case "viewed":
      return categories.values.array.shape?.[0] ?? null;
    case "categorical":
    case "ragged":
    case "null":
      return null;
    default:
      return categories satisfies never;
  }
}

/** Replaces category codes with their new numbers, in place. */
function renumber(codes: IntArray, numbers: Int32Array, first: number): void {
  for (let i = 0; i < codes.length; i++) {
    const category = Number(codes[i]) - first;
    if (category < 0) continue;
    const code = numbers[category] + first;
    if (codes instanceof BigInt64Array || codes instanceof BigUint64Array) codes[i] = BigInt(code);
    else codes[i] = code;
  }
}

/** Reads the codes of all rows. Also returns the type that the codes have in memory. */
async function allCodes(codes: SinglePlan, options: ReadOptions): Promise<{ type: StoredType; read: IntArray }> {
  const { array } = codes;
  const type = typeOf(codes);
  const [rows = 0] = array.shape ?? [];
  if (rows > MAX_ROWS) throw new UnsupportedError(`the used categories of ${rows} rows, at most ${MAX_ROWS}`);
  const read = allocate(type, rows);
  if (read instanceof Float32Array || read instanceof Float64Array)
    throw new InvalidDataError("codes are not integers");
  for (let at = 0; at < rows; at += AT_ONCE) {
    const values = await array.read(at, Math.min(rows, at + AT_ONCE), options);
    const part = checkIntegers(
      codes.kind === "field" && values.kind === "record" ? values.fields[codes.field] : values,
    );
    for (let i = 0; i < part.length; i++) read[at + i] = part[i];
  }
  return { type, read };
}

function typeOf(codes: SinglePlan): StoredType {
  const { type } = codes.array;
  return codes.kind === "field" && type.kind === "record" ? type.fields[codes.field].type : type;
}
