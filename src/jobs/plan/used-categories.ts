/** Leaves out the categories that no row of a dataframe has. */

import { memoryArray } from "../../containers/picked/memory-array.js";
import { pickedArray } from "../../containers/picked/picked-array.js";
import { runsOf } from "../../containers/picked/row-runs.js";
import type { StoredArray } from "../../containers/tree/container.js";
import { integers } from "../../kernels/sparse/indptr.js";
import { InvalidDataError, located, UnsupportedError } from "../../model/errors.js";
import { allocate, type IntArray } from "../../model/stored.js";
import type { ReadOptions } from "../../sources/source.js";
import type { CategoricalPlan, ColumnPlan, TablePlan } from "./plan.js";

/** Most rows of a column whose codes lie in memory with their new numbers. */
const MAX_ROWS = 2 ** 28;

/** Number of codes that are read at a time. */
const AT_ONCE = 2 ** 20;

export interface UsedCategories {
  readonly plan: TablePlan;
  /** The positions of the categories that are left, by the names of their columns; and how many there were. */
  readonly columns: ReadonlyMap<string, { readonly used: Int32Array; readonly all: number }>;
}

/** The table without categories that no row has; their order stays. The codes of all rows are read. */
export async function withoutUnused(table: TablePlan, options: ReadOptions): Promise<UsedCategories> {
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

/** Null for a column whose codes are no array of their own, or whose categories cannot be picked. */
async function usedOf(plan: CategoricalPlan, options: ReadOptions): Promise<UsedColumn | null> {
  const { codes, categories, oneBased = false } = plan;
  if (codes.kind !== "array" || codes.array.shape?.length !== 1 || categories.kind !== "array") return null;
  const { array } = codes;
  const [all = 0] = categories.array.shape ?? [];
  const first = oneBased ? 1 : 0;
  return located({ element: array.path }, async () => {
    const read = await allCodes(array, options);
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
    const recoded = memoryArray(
      array.path,
      array.type,
      [read.length],
      { kind: "fixed", values: read },
      array.plan?.source,
    );
    const kept = { ...categories, array: pickedArray(categories.array, runsOf(used)) };
    return { column: { ...plan, codes: { kind: "array", array: recoded }, categories: kept }, used, all };
  });
}

/** Gives the codes of categories, in place, the numbers that the categories have now. */
function renumber(codes: IntArray, numbers: Int32Array, first: number): void {
  for (let i = 0; i < codes.length; i++) {
    const category = Number(codes[i]) - first;
    if (category < 0) continue;
    const code = numbers[category] + first;
    if (codes instanceof BigInt64Array || codes instanceof BigUint64Array) codes[i] = BigInt(code);
    else codes[i] = code;
  }
}

async function allCodes(array: StoredArray, options: ReadOptions): Promise<IntArray> {
  const [rows = 0] = array.shape ?? [];
  if (rows > MAX_ROWS) throw new UnsupportedError(`the used categories of ${rows} rows, at most ${MAX_ROWS}`);
  const values = allocate(array.type, rows);
  if (values instanceof Float32Array || values instanceof Float64Array)
    throw new InvalidDataError("codes are not integers");
  for (let at = 0; at < rows; at += AT_ONCE) {
    const part = integers(await array.read(at, Math.min(rows, at + AT_ONCE), options));
    for (let i = 0; i < part.length; i++) values[at + i] = part[i];
  }
  return values;
}
