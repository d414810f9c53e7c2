/** Reports failures of the command: one line on stderr, and an exit code. */

import { AnnarrowError, isAnnarrowError } from "annarrow";
import { escapeControlChars } from "annarrow/core/api";
import { isCancellation } from "annarrow/core/model";
import { createDiskError, hasCode } from "annarrow/node/model";
import { EXIT_INTERRUPTED } from "annarrow/node/platform";

export const EXIT_ERROR = 1;
export const EXIT_USAGE = 2;

/** Oldest Node version that can run the command (`engines` of package.json). */
const OLDEST_NODE = 20;

/** Invalid use of the command line. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** The failed inputs of a batch with their errors. All other inputs have been converted. */
export class FailedInputs extends Error {
  override name = "FailedInputs";
  readonly failed: ReadonlyMap<string, unknown>;

  constructor(failed: ReadonlyMap<string, unknown>, count: number) {
    super(`${failed.size} of ${count} inputs failed`);
    this.failed = failed;
  }
}

/** Runs `check`, and reports invalid options as usage errors. */
export function checkUsage<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (isAnnarrowError(error, "InvalidInputError")) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** Prints an error; returns the exit code. */
export function report(error: unknown, verbose: boolean): number {
  if (isBrokenPipe(error)) return 0;
  if (isCancellation(error)) return EXIT_INTERRUPTED;
  if (error instanceof FailedInputs) {
    for (const [input, cause] of error.failed) {
      const line = oneLine(cause);
      process.stderr.write(
        `annarrow: ${line.startsWith(`${input}: `) ? line : `${escapeControlChars(input)}: ${line}`}\n`,
      );
      if (verbose) process.stderr.write(`${stacks(cause)}\n`);
    }
    process.stderr.write(`annarrow: ${error.message}\n`);
    return EXIT_ERROR;
  }
  process.stderr.write(`annarrow: ${oneLine(error)}\n`);
  if (verbose) process.stderr.write(`${stacks(error)}\n`);
  return error instanceof UsageError ? EXIT_USAGE : EXIT_ERROR;
}

/** True if the reader of our output has closed it, as in `annarrow … | head`. */
function isBrokenPipe(error: unknown): boolean {
  return hasCode(error, "EPIPE", "ERR_STREAM_DESTROYED");
}

/** Converts an error that occurred while writing to stdout, such as a full disk. */
export function toOutputError(error: Error): Error {
  return isBrokenPipe(error) ? error : createDiskError("the standard output", error);
}

function oneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = text.split("\n").find((part) => part.trim() !== "") ?? "unknown error";
  const ours = error instanceof UsageError || error instanceof AnnarrowError || isAnnarrowError(error);
  const short = escapeControlChars(line.length > 1000 ? `${line.slice(0, 1000)}…` : line);
  if (ours) return short;
  // An old Node version lacks some JavaScript functions, so any code may fail.
  return `${short} (unexpected; ${findNodeProblem(process.version) ?? "--verbose shows where"})`;
}

function stacks(error: unknown): string {
  const lines: string[] = [];
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    lines.push(`${depth === 0 ? "" : "caused by "}${(at.stack ?? at.message).slice(0, 4000)}`);
  }
  return lines.flatMap((part) => part.split("\n").map(escapeControlChars)).join("\n");
}

/**
 * Returns the problem with a Node version; null if it is new enough.
 * @param version in the form of `process.version`.
 */
export function findNodeProblem(version: string): string | null {
  if (Number(version.slice(1).split(".")[0]) >= OLDEST_NODE) return null;
  return `Node ${version} is too old: annarrow needs ${OLDEST_NODE} or later`;
}
