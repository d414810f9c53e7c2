/** Selects the cells, genes and elements that a command's options name. */

import type { AxisSelector } from "annarrow";
import type { OpenedDataset, OpenedTable } from "annarrow/core/api";
import { readAxisLength } from "annarrow/core/api";
import { runWithLocation } from "annarrow/core/model";
import { selectElements } from "annarrow/core/selection";
import { warn } from "../context/context.js";
import { readTextLines } from "../files/text-lines.js";
import { pickGivenOptions } from "../options/output-options.js";

import type { PartFlags } from "../options/part-options.js";

/**
 * Returns the part that the options select; the dataset itself if they select nothing.
 * @throws {InvalidInputError} for a dataset of variables, which has no cells and genes.
 */
async function partOf(
  dataset: OpenedDataset<OpenedTable>,
  flags: PartFlags,
  signal: AbortSignal,
): Promise<OpenedDataset<OpenedTable>> {
  const { modality, X, dropUnused = false } = flags;
  let part = dataset;
  if (modality !== undefined || X !== undefined || dropUnused) {
    const named = { modality, X };
    part = await part.select({ ...named, dropUnused, signal });
  }
  for (const axis of ["obs", "var"] as const) {
    const names = flags[`${axis}Names`];
    const condition = flags[axis];
    const statement = flags[`${axis}Sql`];
    const range = flags[`${axis}Slice`];
    const selectors: ((of: OpenedDataset<OpenedTable>) => Promise<AxisSelector>)[] = [];
    if (names !== undefined) selectors.push(() => readTextLines(names));
    if (condition !== undefined) selectors.push(async () => ({ kind: "sql", text: condition }));
    if (statement !== undefined) {
      const { selectByStatement } = await import("./answered-positions.js");
      selectors.push((of) => selectByStatement(of, statement, { axis, files: flags.files ?? false, signal }));
    }
    if (range !== undefined) selectors.push(async () => range);
    // Each selector applies to the positions that the previous selectors left.
    for (const selector of selectors) part = await part.select({ [axis]: await selector(part), dropUnused, signal });
    if (selectors.length > 0 && part.shape !== null) await warnIfEmpty(part, axis);
  }
  return part;
}

/** Warns of a part without cells or genes, which more likely comes from a misspelled value than from intent. */
async function warnIfEmpty(part: OpenedDataset<OpenedTable>, axis: "obs" | "var"): Promise<void> {
  if ((await readAxisLength(part, axis)) > 0) return;
  warn([`${part.source}: the options choose no ${axis === "obs" ? "cell" : "gene"}`]);
}

/**
 * Returns the part that the options select, with its elements renamed; `tables` names the selected elements, and is
 * null if all are selected.
 */
export async function selectChosenPart(
  dataset: OpenedDataset<OpenedTable>,
  flags: PartFlags,
  signal: AbortSignal,
): Promise<{ readonly part: OpenedDataset<OpenedTable>; readonly tables: readonly string[] | null }> {
  const namesIn = ({ tables, failures }: OpenedDataset<OpenedTable>) => [...tables.keys(), ...failures.keys()];
  const part = await partOf(dataset, flags, signal);
  const tables = await runWithLocation({ source: dataset.source }, async () => selectElements(namesIn(part), flags));
  const { elements, drop, rename } = flags;
  if (rename === undefined) return { part, tables };
  const renamed = await part.select({ ...pickGivenOptions({ elements, drop }), rename, signal });
  return { part: renamed, tables: tables === null ? null : namesIn(renamed) };
}
