/** `annarrow union IN… FOLDER`, and its steps as separate commands. */

import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { type Command, InvalidArgumentError } from "commander";
import { createInputKeys } from "../../model/input-name.js";
import { type MatrixOrder, parsePlan } from "../../union/plan-document.js";
import {
  cleanUnion,
  commitUnion,
  union as makeUnion,
  planUnion,
  removeFromUnion,
  runUnionTask,
  type UnionResult,
  unionViews,
} from "../../union/union.node.js";
import type { CommitOptions, UnionElements, UnionOptions } from "../../union/union-options.js";
import type { ViewEngine } from "../../union/views.js";
import { type CliContext, getWebOptions, INPUT, openOptions, thousands, warn } from "../context/context.js";
import { UsageError } from "../context/failure.js";
import { createProgressBar } from "../context/progress.js";
import { expandInputs } from "../files/file-pattern.js";
import { readTextLines } from "../files/text-lines.js";
import { createChoiceOption } from "../options/choice.js";
import { addExamples } from "../options/examples.js";
import { pickGivenOptions } from "../options/output-options.js";

interface Flags {
  readonly elements?: UnionElements;
  readonly order?: MatrixOrder;
  readonly varKey?: string;
  readonly modality?: string;
  readonly tasks?: number;
  readonly skipBroken?: boolean;
  readonly verify?: boolean;
  readonly inputs?: string;
  readonly output?: string;
}

const VERIFY = "read all inputs and files again before the commit, and compare sums and checksums";

const EXAMPLES = `\
  annarrow union "studies/*.h5ad" atlas/ --elements X=layers/counts,obs,var --var-key gene_id
  annarrow union add study8=new.h5ad atlas/
  annarrow union remove atlas/ study7
  annarrow query atlas/ "select cell_type, sum(value) from X join obs using (row) group by 1"`;

const NOTES = `\
As tasks of a scheduler, in any order, on any machines that see the folder:
  annarrow union plan "studies/*.h5ad" atlas/ -o plan.json --tasks 200
  annarrow union task plan.json 17
  annarrow union commit plan.json`;

export function defineUnion(union: Command, context: CliContext): void {
  addExamples(union, EXAMPLES, NOTES);
  addInputs(union, context, "none");
  addInputs(union.command("add").description("add files to a union that is there"), context, "some");
  const plan = union.command("plan").description("plan a union, or an addition, as tasks");
  addInputOptions(plan)
    .option("-o, --output <file>", "file of the plan (default: the standard output)")
    .action((paths: string[], flags: Flags) => planTo(paths, flags, context));
  union
    .command("task")
    .description("run a task of a plan; running it again changes nothing")
    .argument("<plan>", "file of the plan")
    .argument("<number>", "number of the task, from 0 on", wholeNumber)
    .action(async (file: string, task: number) => {
      const { parts } = await runUnionTask(parsePlan(await text(file), file), task, openOptions(context));
      process.stderr.write(`task ${task}: ${thousands(parts.length)} files\n`);
    });
  union
    .command("commit")
    .description("make the datasets of a plan visible, once all tasks have run")
    .argument("<plan>", "file of the plan")
    .option("--verify", VERIFY)
    .action(async (file: string, { verify = false }: { readonly verify?: boolean }) => {
      const known = parsePlan(await text(file), file);
      await told(known.output, await commitUnion(known, { verify, ...openOptions(context) }));
    });
  union
    .command("remove")
    .description("remove datasets from a union; clean removes their files")
    .argument("<folder>", "folder or address of the union")
    .argument("<id...>", "names of datasets, as in the column dataset_id")
    .action(async (folder: string, ids: string[]) => {
      await told(folder, await removeFromUnion(folder, ids, getWebOptions(context)));
    });
  union
    .command("clean")
    .description("remove files that a union does not list; no task may run meanwhile")
    .argument("<folder>", "folder or address of the union")
    .action(async (folder: string) => {
      const removed = await cleanUnion(folder, getWebOptions(context));
      process.stderr.write(`${folder}: ${thousands(removed.length)} files removed\n`);
    });
  union
    .command("sql")
    .description("print views of all tables for DuckDB or Spark, as of the last commit")
    .argument("<folder>", "folder or address of the union")
    .addOption(
      createChoiceOption("--engine <name>", "engine that reads the views", ["duckdb", "spark"]).default("duckdb"),
    )
    .action(async (folder: string, { engine }: { readonly engine: ViewEngine }) => {
      process.stdout.write(await unionViews(folder, engine, getWebOptions(context)));
    });
}

function addInputOptions(command: Command): Command {
  return command
    .argument(
      "<in...>",
      `${INPUT}, pattern; name=file gives a dataset its name; at last the folder of the union, or its address`,
    )
    .usage("[options] <in...> <folder>")
    .option(
      "--elements <list>",
      "what is taken: X, obs, var and all layers (default; of files that are added, what the union was made of), X=layers/counts,layers/raw,obsm/X_pca",
      elementsIn,
    )
    .addOption(
      createChoiceOption("--order <order>", "entries by rows (default), or by columns: genes are read faster", [
        "csr",
        "csc",
      ]),
    )
    .option("--var-key <column>", "column of var that tells features apart (default: the index)")
    .option("--modality <name>", "the modality that is taken of each MuData")
    .option("--inputs <file>", "a file with one input a line, after the inputs of the command")
    .option("--tasks <number>", "number of tasks of about equal work", wholeNumber)
    .option("--skip-broken", "leave out files that cannot be read, with a warning");
}

function addInputs(command: Command, context: CliContext, before: "none" | "some"): void {
  addInputOptions(command)
    .option("--verify", VERIFY)
    .action(async (paths: string[], flags: Flags) => {
      const { inputs, folder, names } = await inputsOf(paths, flags, context);
      const bar = await createProgressBar();
      const result = await makeUnion(inputs, folder, {
        ...optionsOf(flags, context),
        ...names,
        add: before === "some",
        onProgress: bar.update,
      }).finally(bar.stop);
      await told(folder, result);
    });
}

async function planTo(paths: string[], flags: Flags, context: CliContext): Promise<void> {
  const { inputs, folder, names } = await inputsOf(paths, flags, context);
  const bar = await createProgressBar();
  const plan = await planUnion(inputs, folder, {
    ...optionsOf(flags, context),
    ...names,
    onProgress: bar.update,
  }).finally(bar.stop);
  warn(plan.notes);
  const json = `${JSON.stringify(plan)}\n`;
  if (flags.output === undefined) process.stdout.write(json);
  else await writeFile(flags.output, json);
  process.stderr.write(`${plan.inputs.length} datasets, ${plan.tasks.length} tasks, from 0 on\n`);
}

async function inputsOf(paths: readonly string[], { inputs: list }: Flags, context: CliContext) {
  const folder = paths.at(-1);
  if (folder === undefined) throw new UsageError("missing the folder: annarrow union IN… FOLDER");
  const given = await namedInputs(paths.slice(0, -1), context);
  const listed = list === undefined ? [] : (await readTextLines(list)).filter((line) => line !== "").map(namedInput);
  const all = [...given, ...listed];
  if (all.length === 0) throw new UsageError("missing the inputs: annarrow union IN… FOLDER");
  const inputs = all.map(({ path }) => path);
  if (all.every(({ name }) => name === null)) return { inputs, folder, names: {} };
  const keys = createInputKeys(all.flatMap(({ name, path }) => (name === null ? [path] : []))).values();
  return { inputs, folder, names: { ids: all.map(({ name }) => name ?? keys.next().value ?? "") } };
}

/** A file, and the name of its dataset; null uses the name of the file. */
interface NamedInput {
  readonly name: string | null;
  readonly path: string;
}

async function namedInputs(given: readonly string[], context: CliContext): Promise<readonly NamedInput[]> {
  const inputs: NamedInput[] = [];
  for (const { name, path } of given.map(namedInput)) {
    const { paths } = await expandInputs([path], getWebOptions(context));
    if (name !== null && paths.length > 1) {
      throw new UsageError(`${name}= names one file, but ${path} matches ${thousands(paths.length)}`);
    }
    for (const one of paths) inputs.push({ name, path: one });
  }
  return inputs;
}

/** Parses `name=file`, unless a file with the whole text as its name exists. */
function namedInput(text: string): NamedInput {
  const named = /^([\p{L}\p{N}_][\p{L}\p{N}_. -]*)=(.+)$/u.exec(text);
  return named === null || existsSync(text) ? { name: null, path: text } : { name: named[1], path: named[2] };
}

function optionsOf({ inputs: _, output: __, ...flags }: Flags, context: CliContext): UnionOptions & CommitOptions {
  const { elements, order, varKey, modality, tasks, skipBroken, verify } = flags;
  return {
    ...pickGivenOptions({ elements, order, varKey, modality, tasks, skipBroken, verify }),
    ...openOptions(context),
  };
}

/** Parses `X=layers/counts,obs,var,layers/raw`. */
function elementsIn(list: string): UnionElements {
  const layers: string[] = [];
  const obsm: string[] = [];
  let main: string | undefined;
  for (const one of list.split(",")) {
    const matrix = /^X(?:=(.+))?$/.exec(one);
    const [, kind, name] = /^(layers|obsm)\/(.+)$/.exec(one) ?? [];
    if (matrix !== null) main = matrix[1] ?? "X";
    else if (name !== undefined) (kind === "layers" ? layers : obsm).push(name);
    else if (one !== "obs" && one !== "var") {
      throw new InvalidArgumentError(`A union has X, obs, var, layers and obsm/NAME, not ${JSON.stringify(one)}.`);
    }
  }
  return { layers, obsm: obsm.length === 0 ? undefined : obsm, X: main };
}

async function told(folder: string, { shape, datasets, warnings }: UnionResult): Promise<void> {
  warn(warnings);
  const [rows, features] = shape.map(thousands);
  const count = datasets === 1 ? "1 dataset" : `${thousands(datasets)} datasets`;
  process.stderr.write(`${folder}: ${count}, ${rows} observations, ${features} features\n`);
}

const text = (file: string) => readFile(file, "utf8");

function wholeNumber(given: string): number {
  if (/^\d{1,7}$/.test(given)) return Number(given);
  throw new InvalidArgumentError("It must be a whole number.");
}
