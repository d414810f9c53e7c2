/** The commands in the order of `annarrow --help`. Their modules are loaded when they are called. */

import type { Command } from "commander";
import type { CliContext } from "./context/context.js";

/** Adds arguments, options and the action to a command that already has its name and description. */
export type DefineCommand = (command: Command, context: CliContext) => void;

export interface CommandEntry {
  readonly name: string;
  /** The arguments that `annarrow --help` shows, empty if there are none; the module of the command describes them. */
  readonly args: string;
  readonly description: string;
  /** Left out of `annarrow --help` and of the completion. */
  readonly hidden?: boolean;
  load(): Promise<DefineCommand>;
}

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "inspect",
    args: "<file>",
    description: "show what is in a file: tables, types, rows, sizes, versions",
    load: async () => (await import("./commands/inspect.js")).defineInspect,
  },
  {
    name: "head",
    args: "<file> [table]",
    description: "show the first rows of a table",
    load: async () => (await import("./commands/head.js")).defineHead,
  },
  {
    name: "convert",
    args: "<in> [out] [more...]",
    description:
      "write a file as .h5ad, .zarr, .h5mu, .loom, .mat, .bpcells, .h5seurat or .rds, or its tables as Parquet, Arrow, CSV or DuckDB",
    load: async () => (await import("./commands/convert.js")).defineConvert,
  },
  {
    name: "concat",
    args: "[in...]",
    description: "put files together along cells or genes, with the meaning of anndata.concat",
    load: async () => (await import("./commands/concat.js")).defineConcat,
  },
  {
    name: "split",
    args: "<in> <folder>",
    description: "write a file as many, one for each value of a column, or for each number of cells",
    load: async () => (await import("./commands/split.js")).defineSplit,
  },
  {
    name: "union",
    args: "<in...>",
    description: "make one dataset of many files: a folder of Parquet with one set of features",
    load: async () => (await import("./commands/union.js")).defineUnion,
  },
  {
    name: "query",
    args: "<file...>",
    description: "answer SQL about files; only the tables, columns and entries that a statement needs are read",
    load: async () => (await import("./commands/query.js")).defineQuery,
  },
  {
    name: "index",
    args: "[file]",
    description: "copy the matrices by genes, so that one gene is read in milliseconds",
    load: async () => (await import("./commands/index-file.js")).defineIndex,
  },
  {
    name: "serve",
    args: "<dir...>",
    description: "put the files of folders behind Arrow Flight, and HTTP",
    load: async () => (await import("./commands/serve.js")).defineServe,
  },
  {
    name: "view",
    args: "[file...]",
    description: "show files in a page of the browser: tables, embeddings, SQL, and parts of them to save",
    load: async () => (await import("./commands/view.js")).defineView,
  },
  {
    name: "doctor",
    args: "",
    description: "show what this machine offers: versions, threads, memory, optional parts",
    load: async () => (await import("./commands/doctor.js")).defineDoctor,
  },
  {
    name: "complete",
    args: "[shell] [words...]",
    description: "print what completes this command in bash, zsh or fish",
    load: async () => (await import("./completion/complete.js")).defineComplete,
  },
  {
    name: "pipe",
    args: "",
    description: "answer the program that has started this command (the Python package)",
    hidden: true,
    load: async () => (await import("./commands/pipe.js")).definePipe,
  },
];

/**
 * Returns the commands whose definition a command line needs: the first word that is not an option, and if this word is
 * `help` or `complete`, also the next word.
 */
export function findCalledCommands(words: readonly string[]): readonly CommandEntry[] {
  const [first, second] = words.filter((word) => !word.startsWith("-"));
  const names = first === "help" || first === "complete" ? [first, second] : [first];
  return COMMANDS.filter(({ name }) => names.includes(name));
}
