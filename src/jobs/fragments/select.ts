/** Plans a selection of fragments by chromosomes, by cells, and by a range. */

import type { Column } from "../../arrow/column.js";
import { textValues } from "../../arrow/text.js";
import type { FragmentSelection } from "../../model/dataset.js";
import { InvalidInputError } from "../../model/errors.js";
import { nearest } from "../../model/nearest.js";
import type { ReadOptions } from "../../sources/source.js";
import type { FragmentFilter, FragmentsPlan, TablePlan } from "../plan/plan.js";
import { ScanState } from "../rows/columns.js";
import { lineNames } from "./lines.js";

/** Most names among which an error looks for similar ones: with more names the search takes too long. */
const MAX_NEAR = 4096;

/**
 * Limits a table to the selected fragments, in their order. The number of fragments is known for whole chromosomes of
 * stored arrays; otherwise only a scan can tell.
 * @throws {InvalidInputError} where the table holds no fragments, a name is unknown, or the range is invalid.
 */
export async function selectFragments(
  table: TablePlan,
  { chr, range, cell }: FragmentSelection,
  options: ReadOptions = {},
): Promise<TablePlan> {
  const { plan, name, text } = table;
  if (plan.kind !== "fragments" && plan.kind !== "fragment-lines") {
    throw new InvalidInputError("chromosomes, ranges and cells are selected of fragments", { element: name });
  }
  if (range !== undefined && !(range[0] >= 0 && range[1] >= range[0])) {
    throw new InvalidInputError(`bases ${range[0]} to ${range[1]} are no range`, { element: name });
  }
  const state = new ScanState(text, options);
  const find = async (which: "chr" | "cell", asked: Iterable<string> | undefined) => {
    if (asked === undefined) return null;
    const wanted = new Set(asked);
    const what = which === "chr" ? "chromosome" : "cell";
    return positions(await namesOf(plan, which, state), wanted, what, name);
  };
  const chromosomes = await find("chr", chr);
  const cells = await find("cell", cell);
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

type Fragments = Extract<TablePlan["plan"], { kind: "fragments" | "fragment-lines" }>;

async function namesOf(plan: Fragments, which: "chr" | "cell", state: ScanState): Promise<Column> {
  if (plan.kind === "fragments") return state.names(arrayOf(plan, which));
  return (await lineNames(plan, state))[which];
}

function arrayOf(plan: FragmentsPlan, which: "chr" | "cell") {
  return which === "chr" ? plan.chrNames : plan.cellNames;
}

/** The positions of the wanted names; a name that occurs twice has both positions. */
function positions(column: Column, wanted: ReadonlySet<string>, what: string, element: string): readonly number[] {
  const names = column.layout === "variable" ? textValues(column).map((name) => name ?? "") : [];
  const found: number[] = [];
  const seen = new Set<string>();
  for (const [i, name] of names.entries()) {
    if (!wanted.has(name)) continue;
    found.push(i);
    seen.add(name);
  }
  for (const name of wanted) {
    if (seen.has(name)) continue;
    const near = names.length > MAX_NEAR ? [] : nearest(name, names);
    const meant = near.length === 0 ? `there are ${names.length}` : `did you mean ${near.join(", ")}?`;
    throw new InvalidInputError(`no ${what} ${JSON.stringify(name)}; ${meant}`, { element });
  }
  return found;
}
