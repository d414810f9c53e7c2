/** The arguments and options of `annarrow union`. */

import type { UnionElements, ViewEngine } from "@annarrow/union";
import { type Command, InvalidArgumentError } from "commander";
import type { UnionFlags } from "../actions/union.js";
import { type CliContext, INPUT } from "../context/context.js";
import { createChoiceOption } from "../options/choice.js";
import { addExamples } from "../options/examples.js";

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

const load = () => import("../actions/union.js");

export function defineUnion(union: Command, context: CliContext): void {
  addExamples(union, EXAMPLES, NOTES);
  addInputs(union, context, "none");
  addInputs(union.command("add").description("add files to a union that is there"), context, "some");
  const plan = union.command("plan").description("plan a union, or an addition, as tasks");
  addInputOptions(plan)
    .option("-o, --output <file>", "file of the plan (default: the standard output)")
    .action(async (paths: string[], flags: UnionFlags) => (await load()).planTo(paths, flags, context));
  union
    .command("task")
    .description("run a task of a plan; running it again changes nothing")
    .argument("<plan>", "file of the plan")
    .argument("<number>", "number of the task, from 0 on", wholeNumber)
    .action(async (file: string, task: number) => (await load()).runTask(file, task, context));
  union
    .command("commit")
    .description("make the datasets of a plan visible, once all tasks have run")
    .argument("<plan>", "file of the plan")
    .option("--verify", VERIFY)
    .action(async (file: string, { verify = false }: { readonly verify?: boolean }) =>
      (await load()).commit(file, verify, context),
    );
  union
    .command("remove")
    .description("remove datasets from a union; clean removes their files")
    .argument("<folder>", "folder or address of the union")
    .argument("<id...>", "names of datasets, as in the column dataset_id")
    .action(async (folder: string, ids: string[]) => (await load()).remove(folder, ids, context));
  union
    .command("clean")
    .description("remove files that a union does not list; no task may run meanwhile")
    .argument("<folder>", "folder or address of the union")
    .action(async (folder: string) => (await load()).clean(folder, context));
  union
    .command("sql")
    .description("print views of all tables for DuckDB or Spark, as of the last commit")
    .argument("<folder>", "folder or address of the union")
    .addOption(
      createChoiceOption("--engine <name>", "engine that reads the views", ["duckdb", "spark"]).default("duckdb"),
    )
    .action(async (folder: string, { engine }: { readonly engine: ViewEngine }) =>
      (await load()).printViews(folder, engine, context),
    );
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
    .action(async (paths: string[], flags: UnionFlags) =>
      (await load()).makeUnion(paths, flags, { add: before === "some", context }),
    );
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

function wholeNumber(given: string): number {
  if (/^\d{1,7}$/.test(given)) return Number(given);
  throw new InvalidArgumentError("It must be a whole number.");
}
