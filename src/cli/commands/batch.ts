/** Several inputs of one command: the names of their outputs, and the conversions side by side. */

import { mkdir, rmdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { isCloudAddress } from "../../cloud/objects/address.js";
import { printable } from "../../display/plain.js";
import { outputFormats, outputOf } from "../../formats/output.js";
import type { Progress } from "../../model/dataset.js";
import { isAnnarrowError } from "../../model/errors.js";
import { stem } from "../../model/input-name.js";
import { diskError } from "../../model/system-error.node.js";
import { type SystemRules, systemRules } from "../../platform/system-rules.node.js";
import { warn } from "../context/context.js";
import { FailedInputs, UsageError, usage } from "../context/failure.js";
import { batchProgress } from "../context/progress.js";

/** An input, and the path of its output. */
export interface BatchItem {
  readonly input: string;
  readonly output: string;
}

/** The outputs of a batch. */
interface BatchOutputs {
  readonly folder: string;
  /** The end of their names, as `h5ad`; null for directories of tables. */
  readonly ending: string | null;
  readonly rules?: SystemRules;
}

/**
 * Gives each input an output in `folder`: its own name, with the ending of the format.
 * Where the file system takes names that differ in case alone for one name, so does the check.
 * @throws {UsageError} where two inputs would have one output.
 */
export function batchItems(
  inputs: readonly string[],
  { folder, ending, rules = systemRules() }: BatchOutputs,
): readonly BatchItem[] {
  const byOutput = new Map<string, BatchItem>();
  for (const input of inputs) {
    const name = ending === null ? stem(input) : `${stem(input)}.${ending}`;
    const isCloud = isCloudAddress(folder);
    const output = isCloud ? `${folder.replace(/\/+$/, "")}/${name}` : rules.path.join(folder, name);
    const key = isCloud ? output : rules.fold(output);
    const before = byOutput.get(key)?.input;
    if (before !== undefined) {
      const both = before === input ? `${input} is given twice` : `${before} and ${input} would both be written to it`;
      throw new UsageError(`${output}: ${both}`);
    }
    byOutput.set(key, { input, output });
  }
  return [...byOutput.values()];
}

/**
 * The ending of a batch's outputs in `folder`; null for directories of tables.
 * @param isOneTable whether one table of each input is written.
 * @throws {UsageError} where no format is given, and where the name is no folder's.
 */
export function batchEnding(folder: string, to: string | undefined, isOneTable: boolean): string | null {
  const name = folder.replace(/[/\\]+$/, "");
  const needed = "several inputs, or a pattern, need a folder for their outputs, as out/";
  if (folder === "-" || isNamedOutput(name)) throw new UsageError(`${folder}: ${needed}`);
  if (to === undefined) throw new UsageError(`${needed} --to ${outputFormats().join("|")}`);
  const form = usage(() => outputOf(to === "10x" ? "fragments.tsv.gz" : "input", to));
  switch (form.kind) {
    case "directory":
      return isOneTable ? to : null;
    case "fragments":
      return "fragments.tsv.gz";
    case "store":
      return form.format;
    case "file":
    case "database":
    case "stdout":
      return to;
    default:
      form satisfies never;
      throw new TypeError("unknown kind of output");
  }
}

/** Whether a name tells the format of one output. */
function isNamedOutput(name: string): boolean {
  try {
    outputOf(name);
    return true;
  } catch (error) {
    if (isAnnarrowError(error, "InvalidInputError")) return false;
    throw error;
  }
}

export interface BatchPlan {
  /** How many inputs are converted at a time. */
  readonly jobs: number;
  /** The folder of the outputs, which is made. */
  readonly folder: string;
}

/** The line on stderr about a converted item, and its warnings. */
export interface ConvertedItem {
  readonly line: string;
  readonly warnings: readonly string[];
}

export type ConvertItem = (item: BatchItem, onProgress: (progress: Progress) => void) => Promise<ConvertedItem>;

/**
 * Converts all items, some at a time. An item that fails stops no other.
 * @throws {FailedInputs} with all errors, at the end; the error itself where there is one item.
 */
export async function runBatch(
  items: readonly BatchItem[],
  { jobs, folder }: BatchPlan,
  signal: AbortSignal,
  convert: ConvertItem,
): Promise<void> {
  const made = await makeFolder(folder);
  const progress = await batchProgress(items.length);
  const failed = new Map<string, unknown>();
  const waiting = items.values();
  const lane = async () => {
    for (const item of waiting) {
      if (signal.aborted) return;
      try {
        const { line, warnings } = await convert(item, (state) => progress.update(item.input, state));
        await progress.around(async () => {
          await warn(warnings.map((warning) => `${item.input}: ${warning}`));
          process.stderr.write(`${printable(line)}\n`);
        });
      } catch (error) {
        failed.set(item.input, error);
      }
      progress.done();
    }
  };
  try {
    // Every lane ends by itself, so that after Ctrl-C each conversion has removed its unfinished output.
    await Promise.all(Array.from({ length: Math.min(jobs, items.length) }, lane));
  } finally {
    progress.stop();
    if (made !== null) await removeEmpty(resolve(folder), resolve(made));
  }
  signal.throwIfAborted();
  if (items.length === 1) for (const error of failed.values()) throw error;
  const inOrder = items.flatMap(({ input }) => (failed.has(input) ? [[input, failed.get(input)] as const] : []));
  if (inOrder.length > 0) throw new FailedInputs(new Map(inOrder), items.length);
}

/**
 * Makes a folder, and the folders above it; object stores need none.
 * @returns the first one that was made; null where the folder was there.
 */
async function makeFolder(folder: string): Promise<string | null> {
  if (isCloudAddress(folder)) return null;
  const there = await stat(folder).catch(() => null);
  if (there?.isDirectory()) return null;
  if (there !== null) throw new UsageError(`${folder}: a file, but several inputs need a folder for their outputs`);
  const made = await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
    throw diskError(folder, cause);
  });
  return made ?? null;
}

/** Removes the folder where it is empty, and empty ones above it, up to `first`. */
async function removeEmpty(folder: string, first: string): Promise<void> {
  try {
    for (let at = folder; at.startsWith(first); at = dirname(at)) await rmdir(at);
  } catch {
    // A folder with outputs stays.
  }
}
