/** Opens the input of a command, and closes it at the end. */

import type { Dataset } from "annarrow";
import type { OpenedDataset, OpenedTable } from "annarrow/core/api";
import { open, openStored } from "annarrow/node/api";
import { type CliContext, openOptions } from "../context/context.js";
import { UsageError } from "../context/failure.js";

/** Opens the file, passes the dataset to `action`, and closes it. */
export async function withDataset<T>(
  file: string,
  context: CliContext,
  action: (dataset: Dataset) => Promise<T>,
): Promise<T> {
  checkName(file);
  return closing(await open(file, openOptions(context)), action);
}

/** Like `withDataset`, for stored tables. Avoids loading the Arrow library, which is half of a short command's time. */
export async function withStored<T>(
  file: string,
  context: CliContext,
  action: (dataset: OpenedDataset<OpenedTable>) => Promise<T>,
  options: { readonly whole?: boolean } = {},
): Promise<T> {
  checkName(file);
  return closing(await openStored(file, { ...options, ...openOptions(context) }), action);
}

/** @throws {UsageError} if `file` is not the name of a file. */
function checkName(file: string): void {
  if (file === "") throw new UsageError("the name of the file is empty");
  if (file === "-") {
    throw new UsageError("the standard input is not read, since files are read in no fixed order: save it as a file");
  }
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
