/** Handles several inputs of one command: names their outputs and converts them concurrently. */

import { mkdir, rmdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { isCloudAddress } from "@annarrow/cloud";
import type { Progress } from "annarrow";
import { isAnnarrowError } from "annarrow";
import { escapeControlChars } from "annarrow/core/api";
import { outputFormats, parseOutput } from "annarrow/core/formats";
import { DEFAULT_SORT_BYTES } from "annarrow/core/jobs";
import { getInputStem } from "annarrow/core/model";
import { refuseInputs } from "annarrow/node/api";
import { createDiskError } from "annarrow/node/model";
import { getSystemRules, type SystemRules } from "annarrow/node/platform";
import { warn } from "../context/context.js";
import { checkUsage, FailedInputs, UsageError } from "../context/failure.js";
import { createBatchProgress } from "../context/progress.js";

export interface BatchItem {
  readonly input: string;
  readonly output: string;
}

interface BatchOutputs {
  readonly folder: string;
  /** The file extension of the outputs, such as `h5ad`; null for directories of tables. */
  readonly ending: string | null;
  readonly rules?: SystemRules;
}

/**
 * Assigns each input an output in `folder`: the input's name with the extension of the format. On case-insensitive file
 * systems, names that differ only in case count as equal.
 * @throws {UsageError} if two inputs would have the same output.
 */
export function planBatchItems(
  inputs: readonly string[],
  { folder, ending, rules = getSystemRules() }: BatchOutputs,
): readonly BatchItem[] {
  const byOutput = new Map<string, BatchItem>();
  for (const input of inputs) {
    const name = ending === null ? getInputStem(input) : `${getInputStem(input)}.${ending}`;
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
 * Returns the extension of a batch's outputs in `folder`; null for directories of tables.
 * @param isOneTable whether one table of each input is written.
 * @throws {UsageError} if no format is given, or if `folder` has the name of an output file.
 */
export function findBatchEnding(folder: string, to: string | undefined, isOneTable: boolean): string | null {
  const name = folder.replace(/[/\\]+$/, "");
  const needed = "several inputs, or a pattern, need a folder for their outputs, as out/";
  if (folder === "-" || isNamedOutput(name)) throw new UsageError(`${folder}: ${needed}`);
  if (to === undefined) throw new UsageError(`${needed} --to ${outputFormats().join("|")}`);
  const form = checkUsage(() => parseOutput(to === "10x" ? "fragments.tsv.gz" : "input", to));
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

/** True if a name determines the format of an output. */
function isNamedOutput(name: string): boolean {
  try {
    parseOutput(name);
    return true;
  } catch (error) {
    if (isAnnarrowError(error, "InvalidInputError")) return false;
    throw error;
  }
}

export interface BatchPlan {
  /** Number of inputs that are converted concurrently. */
  readonly jobs: number;
  /** The folder of the outputs, which is created. */
  readonly folder: string;
}

/** The line about a converted item that is printed to stderr, and the item's warnings. */
export interface ConvertedItem {
  readonly line: string;
  readonly warnings: readonly string[];
}

/** Options for converting one of several items. */
interface ItemOptions {
  /** Memory in bytes for sorting entries. Concurrent conversions share the memory that a single one would have. */
  readonly sortBytes: number;
  readonly onProgress: (progress: Progress) => void;
}

export type ConvertItem = (item: BatchItem, options: ItemOptions) => Promise<ConvertedItem>;

/**
 * Converts all items, several at a time. An item that fails does not stop the others.
 * @throws {InvalidInputError} before any conversion, if an output is an input, is inside an input, or contains one.
 * @throws {FailedInputs} with all errors, at the end. If there is only one item, its own error is thrown instead.
 */
export async function runBatch(
  items: readonly BatchItem[],
  { jobs, folder }: BatchPlan,
  signal: AbortSignal,
  convert: ConvertItem,
): Promise<void> {
  await refuseInputs(
    items.map(({ input }) => input),
    items.map(({ output }) => output),
  );
  const sortBytes = Math.floor(DEFAULT_SORT_BYTES / Math.min(jobs, items.length));
  const made = await makeFolder(folder);
  const progress = await createBatchProgress(items.length);
  const failed = new Map<string, unknown>();
  const waiting = items.values();
  const lane = async () => {
    for (const item of waiting) {
      if (signal.aborted) return;
      try {
        const { line, warnings } = await convert(item, {
          sortBytes,
          onProgress: (state) => progress.update(item.input, state),
        });
        await progress.around(async () => {
          warn(warnings.map((warning) => `${item.input}: ${warning}`));
          process.stderr.write(`${escapeControlChars(line)}\n`);
        });
      } catch (error) {
        failed.set(item.input, error);
      }
      progress.done();
    }
  };
  try {
    // All lanes run to completion, so that after Ctrl-C each conversion has removed its unfinished output.
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
 * Creates a folder and its parent folders; object stores need none.
 * @returns the first folder that was created; null if the folder existed.
 */
async function makeFolder(folder: string): Promise<string | null> {
  if (isCloudAddress(folder)) return null;
  const there = await stat(folder).catch(() => null);
  if (there?.isDirectory()) return null;
  if (there !== null) throw new UsageError(`${folder}: a file, but several inputs need a folder for their outputs`);
  const made = await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
    throw createDiskError(folder, cause);
  });
  return made ?? null;
}

/** Removes the folder if it is empty, and then its empty parents up to `first`. */
async function removeEmpty(folder: string, first: string): Promise<void> {
  try {
    for (let at = folder; at.startsWith(first); at = dirname(at)) await rmdir(at);
  } catch {
    // A folder that contains outputs is not removed.
  }
}
