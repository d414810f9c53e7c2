/** What the commands share: cancellation, and how people are spoken to. */

import type { OpenedTable, OpenOptions } from "../api/open.js";
import type { Dataset } from "../model/dataset.js";
import { UsageError } from "./failure.js";

export interface CliContext {
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Folders that saved R objects may lead to, besides their own. */
  readonly follow: string[];
  /** The group of the file that is opened, where it is not the root. */
  path?: string;
  /** How many objects of the file are looked at. */
  maxObjects?: number;
  /** Milliseconds for one request to a web server. */
  httpTimeout?: number;
  /** How long what is running may take to end once it is interrupted; two seconds by default. */
  graceMilliseconds?: number;
  /** While `action` blocks this thread, which hears no signal then, Ctrl-C ends the process at once. */
  blocking<T>(action: () => Promise<T>): Promise<T>;
}

/** What the commands open. */
export const INPUT = "file, folder, or URL (http, https, grpc, grpc+tls)";

/** Opens the file, hands it to `action`, closes it. */
export async function withDataset<T>(
  file: string,
  context: CliContext,
  action: (dataset: Dataset) => Promise<T>,
): Promise<T> {
  checkName(file);
  const { open } = await import("../api/open.node.js");
  return closing(await open(file, openOptions(context)), action);
}

/** As `withDataset`, for stored tables without any Arrow library: that is half of the time that a short command takes. */
export async function withStored<T>(
  file: string,
  context: CliContext,
  action: (dataset: Dataset<OpenedTable>) => Promise<T>,
  options: { readonly whole?: boolean } = {},
): Promise<T> {
  checkName(file);
  const { openStored } = await import("../api/open.node.js");
  return closing(await openStored(file, { ...options, ...openOptions(context) }), action);
}

/** @throws {UsageError} for what names no file. */
function checkName(file: string): void {
  if (file === "") throw new UsageError("the name of the file is empty");
  if (file === "-") {
    throw new UsageError("the standard input is not read, since files are read in no fixed order: save it as a file");
  }
}

/** What all commands that read open files with. */
export function webOptions({ signal, httpTimeout }: CliContext): Pick<OpenOptions, "signal" | "http"> {
  return { signal, ...(httpTimeout === undefined ? {} : { http: { timeout: httpTimeout } }) };
}

function openOptions(context: CliContext): OpenOptions {
  const { follow, path, maxObjects } = context;
  return {
    ...webOptions(context),
    ...(follow.length === 0 ? {} : { follow }),
    ...(path === undefined ? {} : { path }),
    ...(maxObjects === undefined ? {} : { maxObjects }),
  };
}

async function closing<D extends { close(): Promise<void> }, T>(
  dataset: D,
  action: (dataset: D) => Promise<T>,
): Promise<T> {
  try {
    return await action(dataset);
  } finally {
    await dataset.close();
  }
}

/** Notes for people, on stderr. */
export async function warn(warnings: readonly string[]): Promise<void> {
  if (warnings.length === 0) return;
  const { printable } = await import("../display/printable.js");
  for (const warning of warnings) process.stderr.write(`annarrow: warning: ${printable(warning)}\n`);
}

/** Columns of the terminal; undefined where stdout is none. */
export function terminalWidth(): number | undefined {
  return process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : undefined;
}

/** Whether text on stdout may have colours: https://no-color.org */
export function mayColor(): boolean {
  return process.stdout.isTTY === true && !process.env.NO_COLOR;
}

/** A whole number with separators. (`toLocaleString` loads a locale first: 13 ms.) */
export const thousands = (count: number) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");
