/** Copies a file's matrices by gene and reports the copies, for `annarrow index` and `annarrow query --cache`. */

import { escapeControlChars } from "annarrow/core/api";
import { type CompanionOptions, type CompanionResult, writeCompanion } from "annarrow/node/api";
import { type CliContext, getOutputWebOptions, openOptions, thousands } from "../context/context.js";
import { UsageError } from "../context/failure.js";
import { createProgressBar } from "../context/progress.js";
import { withStored } from "../files/open-input.js";
import { formatBytes } from "../tables/table-outline.js";

/**
 * Copies the matrices of a file by gene into the folder of companions, unless the file has a companion. If no companion
 * can be made, a line on stderr states the reason.
 */
export async function ensureCompanion(file: string, context: CliContext): Promise<void> {
  const { companion = "auto" } = context;
  if (companion === "off") throw new UsageError("give either --cache or --companion off");
  const found = await withStored(file, context, async ({ companion: own }) => {
    const identity = own === null ? "saved R objects and datasets of servers have none" : await own.identity();
    return own === null || typeof identity === "string" ? { reason: identity } : { state: await own.state() };
  });
  if ("reason" in found) {
    process.stderr.write(`${escapeControlChars(`${file} can have no copy by genes: ${found.reason}`)}\n`);
    return;
  }
  if (found.state?.problem === null) return;
  const result = await copyByGenes(file, { cache: companion === "auto" ? undefined : companion }, context);
  if (result.path !== null && result.written) reportCopies(result.path, result);
}

/** Copies the matrices of a file by gene, with a progress bar. */
export async function copyByGenes(file: string, how: CompanionOptions, context: CliContext): Promise<CompanionResult> {
  const { companion: _, follow: __, ...options } = openOptions(context);
  const bar = await createProgressBar();
  const written = how.beside ? getOutputWebOptions(file, context) : {};
  return writeCompanion(file, { ...options, ...written, ...how, onProgress: bar.update }).finally(() => bar.stop());
}

/** Prints to stderr which matrices were copied, and which copies were removed to free space. */
export function reportCopies(path: string, { written, matrices, removed }: CompanionResult): void {
  for (const { name, entries, bytes } of matrices) {
    const size = formatBytes({ size: bytes, estimated: false });
    process.stderr.write(`${escapeControlChars(`${name}: ${thousands(entries)} entries, ${size}`)}\n`);
  }
  reportRemoved(removed);
  process.stderr.write(`${written ? "wrote" : "up to date:"} ${escapeControlChars(path)}\n`);
}

/** Prints to stderr which copies were removed to free space. */
export function reportRemoved(removed: CompanionResult["removed"]): void {
  for (const { source, path } of removed) {
    process.stderr.write(`${escapeControlChars(`removed the copy of ${source}, to make room: ${path}`)}\n`);
  }
}
