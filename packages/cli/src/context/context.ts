/** Context of a command: cancellation, options for opening files, and messages to the user. */

import { isCloudAddress } from "@annarrow/cloud";
import type { OpenOptions } from "annarrow";
import { escapeControlChars } from "annarrow/core/api";

export type WebOptions = Pick<OpenOptions, "signal" | "http" | "cloud">;

export interface CliContext {
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Folders to which a saved R object's paths may lead, in addition to the object's own folder. */
  readonly follow: string[];
  /** The group in the file that is opened, if it is not the root. */
  path?: string;
  /** Maximum number of objects in the file that are visited. */
  maxObjects?: number;
  /** Maximum number of columns of a table in a Parquet or Arrow file. */
  maxColumns?: number;
  /** Handling of text that is not UTF-8. */
  text?: "error" | "latin1";
  /** Opens any HDF5 or Zarr as generic arrays. */
  openAs?: "hdf5" | "zarr";
  /** Decodes values of generic files by the CF conventions. */
  cf?: boolean;
  /** Groups of generic files whose arrays become the columns of one table. */
  readonly frame?: string[];
  /** Where to look for companions: `auto`, `off`, or a folder. */
  companion?: string;
  /** Time limit in milliseconds of one request to a web server. */
  httpTimeout?: number;
  /** Sends requests to object stores without credentials. */
  anonymous?: boolean;
  /** Accepts the costs of requests to requester-pays buckets. */
  requesterPays?: boolean;
  /** Milliseconds that the command may take to stop after Ctrl-C; two seconds by default. */
  graceMilliseconds?: number;
  /**
   * From here on, Ctrl-C (unless it is excepted) and other signals remove unfinished output before the process ends. Until
   * then they end the process at once.
   */
  listen(how?: { readonly exceptInterrupt?: boolean }): void;
}

/** Milliseconds that a command with an output in an object store may take to stop after Ctrl-C. */
const CLOUD_GRACE_MS = 60_000;

export const INPUT = "file, folder, or URL (http, https, s3, gs, az, hf, grpc, grpc+tls)";

export function getWebOptions(context: CliContext): WebOptions {
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
 * Returns the web options of an output. For an object store, the command gets more time to stop after Ctrl-C, because
 * it removes the uploaded objects one by one.
 */
export function getOutputWebOptions(output: string, context: CliContext): WebOptions {
  if (isCloudAddress(output)) context.graceMilliseconds = CLOUD_GRACE_MS;
  return getWebOptions(context);
}

export function openOptions(context: CliContext): OpenOptions {
  const { follow, path, text, maxObjects, maxColumns, openAs, cf, frame = [], companion } = context;
  return {
    ...getWebOptions(context),
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

/** Prints warnings to stderr. */
export function warn(warnings: readonly string[]): void {
  for (const warning of warnings) process.stderr.write(`annarrow: warning: ${escapeControlChars(warning)}\n`);
}

/** Returns the number of columns of the terminal; undefined if stdout is not a terminal. */
export function getTerminalWidth(): number | undefined {
  return process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : undefined;
}

/** True if stdout may be coloured: https://no-color.org, or https://force-color.org outside a terminal. */
export function mayColor(): boolean {
  const { NO_COLOR, FORCE_COLOR } = process.env;
  if (NO_COLOR) return false;
  return FORCE_COLOR ? FORCE_COLOR !== "0" : process.stdout.isTTY === true;
}

/** Formats a whole number with separators. (`toLocaleString` would first load a locale: 13 ms.) */
export const thousands = (count: number) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");
