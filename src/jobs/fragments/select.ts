/** Plans a selection of fragments by chromosomes, by cells, and by a range. */

import type { Column } from "../../arrow/column.js";
import { decodeTextValues } from "../../arrow/text.js";
import { createPickedArray } from "../../containers/picked/picked-array.js";
import { toRowRanges } from "../../containers/picked/row-ranges.js";
import type { ReadOptions } from "../../io/sources/source.js";
import type { FragmentSelection } from "../../model/dataset.js";
import { InvalidInputError } from "../../model/errors.js";
import { findNearestNames } from "../../model/nearest.js";
import type { FragmentFilter, FragmentsPlan, TablePlan } from "../plan/plan.js";
import { ScanState } from "../rows/columns.js";
import { readLineNames } from "./lines.js";

/** Maximum number of names that an error searches for similar names. Searching more names would take too long. */
const MAX_NEAR = 4096;

/**
 * Limits a table to the selected fragments, which keep their order. The number of fragments is known in advance only
 * for whole chromosomes in stored arrays; otherwise it requires a scan.
 * @throws {InvalidInputError} if the table contains no fragments, a name is unknown, or the range is invalid.
 */
export async function selectFragments(
  table: TablePlan,
  { chr, range, cell }: FragmentSelection,
  options: ReadOptions = {},
): Promise<TablePlan> {
  const { name, text } = table;
  if (!hasFragments(table)) {
    throw new InvalidInputError("chromosomes, ranges and cells are selected of fragments", { element: name });
  }
  if (range !== undefined && !(range[0] >= 0 && range[1] >= range[0])) {
    throw new InvalidInputError(`bases ${range[0]} to ${range[1]} are no range`, { element: name });
  }
  const { plan } = table;
  const state = new ScanState(text, options);
  const find = async (which: "chr" | "cell", asked: Iterable<string> | undefined) => {
    if (asked === undefined) return null;
    const wanted = new Set(asked);
    const what = which === "chr" ? "chromosome" : "cell";
    return positions(await namesOf(plan, which, state), wanted, what, name);
  };
  const chromosomes = await find("chr", chr);
  const cells = storedCells(plan, await find("cell", cell));
  // An empty range overlaps no fragment.
  const nothing = range !== undefined && range[0] === range[1];
  const only: FragmentFilter = { range: range ?? null, cells };
  if (plan.kind === "fragment-lines") {
    return { ...table, rows: null, plan: { ...plan, only: { ...only, chromosomes: nothing ? [] : chromosomes } } };
  }
  const kept = chromosomes && new Set(chromosomes);
  const runs = nothing ? [] : plan.runs.filter((run) => kept === null || kept.has(run.chr));
  const whole = nothing || (only.range === null && only.cells === null);
  const rows = whole ? runs.reduce((sum, { start, end }) => sum + end - start, 0) : null;
  return { ...table, rows, plan: { ...plan, runs, only: whole ? null : only } };
}

/** Returns the stored indices of cells; null for all cells. */
function storedCells({ picked }: Fragments, cells: readonly number[] | null): readonly number[] | null {
  if (picked === undefined) return cells;
  return cells === null ? [...picked.positions] : cells.map((cell) => picked.positions[cell]);
}

/** The table of fragments, stored as arrays or as lines. */
export type FragmentTablePlan = TablePlan & { readonly plan: Fragments };

export function hasFragments(table: TablePlan): table is FragmentTablePlan {
  return table.plan.kind === "fragments" || table.plan.kind === "fragment-lines";
}

/**
 * Selects the fragments of some cells, and renumbers these cells.
 * @param cells positions of cells, in their new order.
 * @throws {InvalidInputError} if a cell is selected twice, because a fragment belongs to only one cell.
 */
export async function selectCellFragments(
  table: FragmentTablePlan,
  cells: Int32Array,
  options: ReadOptions = {},
): Promise<TablePlan> {
  const { name, plan } = table;
  const stored = plan.picked?.ids.length ?? (await countCells(table, options));
  const positions = Int32Array.from(storedCells(plan, [...cells]) ?? []);
  const ids = new Int32Array(stored).fill(-1);
  for (const [id, cell] of positions.entries()) {
    if (ids[cell] >= 0) {
      throw new InvalidInputError(`cell ${cells[id]} is chosen twice, and a fragment is of one cell`, {
        element: name,
      });
    }
    ids[cell] = id;
  }
  const { shape: _, ...metadata } = table.metadata;
  const picked = { positions, ids };
  const only = { range: plan.only?.range ?? null, cells: [...positions] };
  const part = { ...table, metadata: { ...metadata, kind: table.metadata.kind }, rows: null };
  if (plan.kind === "fragment-lines") {
    return { ...part, plan: { ...plan, picked, only: { ...only, chromosomes: plan.only?.chromosomes ?? null } } };
  }
  return { ...part, plan: { ...plan, cellNames: createPickedArray(plan.cellNames, toRowRanges(cells)), picked, only } };
}

export async function readFragmentNames(
  { plan, text }: FragmentTablePlan,
  options: ReadOptions,
): Promise<Readonly<Record<"chr" | "cell", Column>>> {
  const state = new ScanState(text, options);
  return { chr: await namesOf(plan, "chr", state), cell: await namesOf(plan, "cell", state) };
}

/** Returns the number of cells, including cells without fragments. */
export async function countCells({ plan, text }: FragmentTablePlan, options: ReadOptions): Promise<number> {
  if (plan.kind === "fragments") return plan.cellNames.shape?.[0] ?? 0;
  return (await readLineNames(plan, new ScanState(text, options))).cell.length;
}

type Fragments = Extract<TablePlan["plan"], { kind: "fragments" | "fragment-lines" }>;

async function namesOf(plan: Fragments, which: "chr" | "cell", state: ScanState): Promise<Column> {
  if (plan.kind === "fragments") return state.names(arrayOf(plan, which));
  return (await readLineNames(plan, state))[which];
}

function arrayOf(plan: FragmentsPlan, which: "chr" | "cell") {
  return which === "chr" ? plan.chrNames : plan.cellNames;
}

/** Returns the indices of the selected names. A name that occurs twice yields both indices. */
function positions(column: Column, wanted: ReadonlySet<string>, what: string, element: string): readonly number[] {
  const names = column.layout === "variable" ? decodeTextValues(column).map((name) => name ?? "") : [];
  const found: number[] = [];
  const seen = new Set<string>();
  for (const [i, name] of names.entries()) {
    if (!wanted.has(name)) continue;
    found.push(i);
    seen.add(name);
  }
  for (const name of wanted) {
    if (seen.has(name)) continue;
    const near = names.length > MAX_NEAR ? [] : findNearestNames(name, names);
    const meant = near.length === 0 ? `there are ${names.length}` : `did you mean ${near.join(", ")}?`;
    throw new InvalidInputError(`no ${what} ${JSON.stringify(name)}; ${meant}`, { element });
  }
  return found;
}
