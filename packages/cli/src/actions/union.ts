/** `annarrow union IN… FOLDER`, and its steps as separate commands. */

import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import type { CommitOptions, UnionElements, UnionOptions, ViewEngine } from "@annarrow/union";
import { type MatrixOrder, parsePlan } from "@annarrow/union";
import {
  cleanUnion,
  commitUnion,
  planUnion,
  removeFromUnion,
  runUnionTask,
  type UnionResult,
  union,
  unionViews,
} from "@annarrow/union/node";
import { createInputKeys } from "annarrow/core/model";
import { type CliContext, getWebOptions, openOptions, thousands, warn } from "../context/context.js";
import { UsageError } from "../context/failure.js";
import { createProgressBar } from "../context/progress.js";
import { expandInputs } from "../files/file-pattern.js";
import { readTextLines } from "../files/text-lines.js";
import { pickGivenOptions } from "../options/output-options.js";

export interface UnionFlags {
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

/** `annarrow union`, and `annarrow union add` if `add` is true. */
export async function makeUnion(
  paths: readonly string[],
  flags: UnionFlags,
  { add, context }: { readonly add: boolean; readonly context: CliContext },
): Promise<void> {
  const { inputs, folder, names } = await inputsOf(paths, flags, context);
  const bar = await createProgressBar();
  const result = await union(inputs, folder, {
    ...optionsOf(flags, context),
    ...names,
    add,
    onProgress: bar.update,
  }).finally(bar.stop);
  reportUnion(folder, result);
}

export async function runTask(file: string, task: number, context: CliContext): Promise<void> {
  const { parts } = await runUnionTask(await readPlan(file), task, openOptions(context));
  process.stderr.write(`task ${task}: ${thousands(parts.length)} files\n`);
}

export async function commit(file: string, verify: boolean, context: CliContext): Promise<void> {
  const plan = await readPlan(file);
  reportUnion(plan.output, await commitUnion(plan, { verify, ...openOptions(context) }));
}

export async function remove(folder: string, ids: readonly string[], context: CliContext): Promise<void> {
  reportUnion(folder, await removeFromUnion(folder, ids, getWebOptions(context)));
}

export async function clean(folder: string, context: CliContext): Promise<void> {
  const removed = await cleanUnion(folder, getWebOptions(context));
  process.stderr.write(`${folder}: ${thousands(removed.length)} files removed\n`);
}

export async function printViews(folder: string, engine: ViewEngine, context: CliContext): Promise<void> {
  process.stdout.write(await unionViews(folder, engine, getWebOptions(context)));
}

export async function planTo(paths: readonly string[], flags: UnionFlags, context: CliContext): Promise<void> {
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

async function inputsOf(paths: readonly string[], { inputs: list }: UnionFlags, context: CliContext) {
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

function optionsOf({ inputs: _, output: __, ...flags }: UnionFlags, context: CliContext): UnionOptions & CommitOptions {
  const { elements, order, varKey, modality, tasks, skipBroken, verify } = flags;
  return {
    ...pickGivenOptions({ elements, order, varKey, modality, tasks, skipBroken, verify }),
    ...openOptions(context),
  };
}

function reportUnion(folder: string, { shape, datasets, warnings }: UnionResult): void {
  warn(warnings);
  const [rows, features] = shape.map(thousands);
  const count = datasets === 1 ? "1 dataset" : `${thousands(datasets)} datasets`;
  process.stderr.write(`${folder}: ${count}, ${rows} observations, ${features} features\n`);
}

const readPlan = async (file: string) => parsePlan(await readFile(file, "utf8"), file);
