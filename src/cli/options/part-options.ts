/** Command line options that select cells, genes and elements. */

import { type Command, InvalidArgumentError } from "commander";
import type { OpenedDataset, OpenedTable } from "../../api/opened-dataset.js";
import { readAxisLength } from "../../api/select.js";
import { runWithLocation } from "../../model/errors.js";
import { type AxisSelector, type AxisSlice, slice } from "../../model/selection.js";
import { selectElements } from "../../selection/chosen-elements.js";
import { warn } from "../context/context.js";
import { readTextLines } from "../files/text-lines.js";
import { addNewName, type Pairs } from "./name-pairs.js";
import { pickGivenOptions } from "./output-options.js";

export interface PartFlags {
  readonly modality?: string;
  readonly X?: string;
  readonly obs?: string;
  readonly var?: string;
  readonly obsSql?: string;
  readonly varSql?: string;
  readonly files?: boolean;
  readonly obsNames?: string;
  readonly varNames?: string;
  readonly obsSlice?: AxisSlice;
  readonly varSlice?: AxisSlice;
  readonly elements?: readonly string[];
  readonly drop?: readonly string[];
  readonly rename?: Pairs;
  readonly dropUnused?: boolean;
}

export function addPartOptions(command: Command): Command {
  return command
    .optionsGroup("Cells, genes and elements:")
    .option("--obs <condition>", "only the observations (cells) for which an SQL condition holds")
    .option("--var <condition>", "only the variables (genes) for which an SQL condition holds")
    .option("--obs-sql <statement>", "only the observations whose positions are the column row of its answer")
    .option("--var-sql <statement>", "only the variables whose positions are the column col of its answer")
    .option("--files", "let these statements name files of tables: join 'list.csv' using (barcode)")
    .option("--obs-names <file>", "only the observations (cells) of this file, which has one name a line")
    .option("--var-names <file>", "only the variables (genes) of this file, which has one name a line")
    .option("--obs-slice <start:end>", "only the observations from start to before end, as 0:1000", parseAxisSlice)
    .option("--var-slice <start:end>", "only the variables from start to before end", parseAxisSlice)
    .option("--elements <names>", "only these elements, and all below them, as X,obs,var,obsm", parseElementList)
    .option("--drop <names>", "leave out these elements, and all below them, as raw,uns/log", parseElementList)
    .option("--rename <name=new>", "another name for an element, as obsm/X_pca=obsm/pca; repeatable", addNewName)
    .option("--drop-unused", "leave out categories that no chosen cell or gene has, and their colours")
    .option("--modality <name>", "one modality of a MuData, as an AnnData of its own");
}

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

function parseElementList(text: string): readonly string[] {
  return text.split(",").filter((name) => name !== "");
}

/** Parses a range `start:end`. The start is 0 by default, the end is the end of the axis. */
function parseAxisSlice(text: string): AxisSlice {
  const found = /^(\d{0,15}):(\d{0,15})$/.exec(text);
  if (found === null) throw new InvalidArgumentError("It must be a range, as 0:1000.");
  const [, start, end] = found;
  return end === "" ? slice(Number(start)) : slice(Number(start), Number(end));
}
