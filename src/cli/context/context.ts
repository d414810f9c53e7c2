/** Context of a command: cancellation, how files are opened, messages for people. */

import type { OpenOptions } from "../../api/open.js";
import type { OpenedDataset, OpenedTable } from "../../api/opened-dataset.js";
import { isCloudAddress } from "../../cloud/objects/address.js";
import type { Dataset } from "../../model/dataset.js";
import type { WebOptions } from "../files/file-tree.js";
import { UsageError } from "./failure.js";

export interface CliContext {
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Folders that saved R objects may lead to, in addition to their own. */
  readonly follow: string[];
  /** The group of the file that is opened, where it is not the root. */
  path?: string;
  /** Limit of the objects of the file that are visited. */
  maxObjects?: number;
  /** Limit of the columns of a table in a file of Parquet or Arrow. */
  maxColumns?: number;
  /** How text that is not UTF-8 is read. */
  text?: "error" | "latin1";
  /** How any HDF5 or Zarr is opened as plain arrays. */
  openAs?: "hdf5" | "zarr";
  /** Whether values of plain files are decoded by the CF conventions. */
  cf?: boolean;
  /** Groups of plain files whose arrays are the columns of one table. */
  readonly frame?: string[];
  /** Where companions are looked for: `auto`, `off`, or a folder. */
  companion?: string;
  /** Milliseconds for one request to a web server. */
  httpTimeout?: number;
  /** Whether object stores are asked without credentials. */
  anonymous?: boolean;
  /** Whether requests to buckets whose readers pay are paid for. */
  requesterPays?: boolean;
  /** Milliseconds that the command may take to end after Ctrl-C; two seconds by default. */
  graceMilliseconds?: number;
  /**
   * From here on, Ctrl-C (unless it is excepted) and other signals remove unfinished output before the process ends. Until
   * then they end the process at once.
   */
  listen(how?: { readonly exceptInterrupt?: boolean }): void;
}

/** Milliseconds that a command with an output in an object store may take to end after Ctrl-C. */
const CLOUD_GRACE_MS = 60_000;

/** Description of an input, for help texts. */
export const INPUT = "file, folder, or URL (http, https, s3, gs, az, hf, grpc, grpc+tls)";

/** Opens the file, hands it to `action`, closes it. */
export async function withDataset<T>(
  file: string,
  context: CliContext,
  action: (dataset: Dataset) => Promise<T>,
): Promise<T> {
  checkName(file);
  const { open } = await import("../../api/open.node.js");
  return closing(await open(file, openOptions(context)), action);
}

/** As `withDataset`, for stored tables without any Arrow library: that is half of the time that a short command takes. */
export async function withStored<T>(
  file: string,
  context: CliContext,
  action: (dataset: OpenedDataset<OpenedTable>) => Promise<T>,
  options: { readonly whole?: boolean } = {},
): Promise<T> {
  checkName(file);
  const { openStored } = await import("../../api/open.node.js");
  return closing(await openStored(file, { ...options, ...openOptions(context) }), action);
}

/** @throws {UsageError} for what names no file. */
function checkName(file: string): void {
  if (file === "") throw new UsageError("the name of the file is empty");
  if (file === "-") {
    throw new UsageError("the standard input is not read, since files are read in no fixed order: save it as a file");
  }
}

/** Options of requests, for all commands that read or write. */
export function webOptions(context: CliContext): WebOptions {
  const { signal, httpTimeout, anonymous = false, requesterPays = false } = context;
  const project = process.env.GOOGLE_CLOUD_PROJECT;
  const paying = { s3: { requesterPays }, gs: project ? { userProject: project } : undefined };
  return {
    signal,
    http: httpTimeout === undefined ? undefined : { timeout: httpTimeout },
    cloud: anonymous || requesterPays ? { anonymous, ...(requesterPays ? paying : {}) } : undefined,
  };
}

/**
 * Options of an output, which may be an address of an object store: what was uploaded before Ctrl-C is then removed object by
 * object, which takes its time.
 */
export function outputWeb(output: string, context: CliContext): WebOptions {
  if (isCloudAddress(output)) context.graceMilliseconds = CLOUD_GRACE_MS;
  return webOptions(context);
}

/** Options of `open`, as the command line gives them. */
export function openOptions(context: CliContext): OpenOptions {
  const { follow, path, text, maxObjects, maxColumns, openAs, cf, frame = [], companion } = context;
  return {
    ...webOptions(context),
    follow: follow.length === 0 ? undefined : follow,
    path,
    text,
    maxObjects,
    maxColumns,
    openAs,
    cf,
    frame: frame.length === 0 ? undefined : frame,
    companion,
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
  const { printable } = await import("../../display/plain.js");
  for (const warning of warnings) process.stderr.write(`annarrow: warning: ${printable(warning)}\n`);
}

/** Columns of the terminal; undefined where stdout is none. */
export function terminalWidth(): number | undefined {
  return process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : undefined;
}

/** Whether text on stdout may have colours: https://no-color.org, and https://force-color.org where it is no terminal. */
export function mayColor(): boolean {
  const { NO_COLOR, FORCE_COLOR } = process.env;
  if (NO_COLOR) return false;
  return FORCE_COLOR ? FORCE_COLOR !== "0" : process.stdout.isTTY === true;
}

/** A whole number with separators. (`toLocaleString` loads a locale first: 13 ms.) */
export const thousands = (count: number) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");
