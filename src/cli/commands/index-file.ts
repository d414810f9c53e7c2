/** `annarrow index FILE`. */

import type { Command } from "commander";
import type { CompanionOptions, CompanionResult } from "../../api/companion.node.js";
import { type CliContext, getOutputWebOptions, INPUT, openOptions, thousands, withStored } from "../context/context.js";
import { UsageError } from "../context/failure.js";
import { createProgressBar } from "../context/progress.js";
import { parseByteSize } from "../options/engine-options.js";
import { addExamples } from "../options/examples.js";

interface Flags {
  readonly elements?: string;
  readonly beside?: boolean;
  readonly cache?: string;
  readonly cacheSize?: number;
  readonly list?: boolean;
  readonly remove?: boolean;
}

const EXAMPLES = `\
  annarrow index pbmc.h5ad                                 X, raw/X and layers, in ~/.cache/annarrow
  annarrow index pbmc.h5ad --beside                        in pbmc.h5ad.annarrow/, to be uploaded with the file
  annarrow index s3://bucket/pbmc.h5ad --beside            in the bucket
  annarrow index pbmc.h5ad --elements layers/counts
  annarrow index pbmc.h5ad --remove
  annarrow index --list`;

const NOTES = `\
Every command and the library use the copy for as long as the file is the one that was copied.`;

export function addIndex(program: Command, context: CliContext): void {
  const command = program
    .command("index")
    .description("copy the matrices by genes, so that one gene is read in milliseconds")
    .argument("[file]", INPUT)
    .optionsGroup("Index:")
    .option("--elements <list>", "matrices to copy, with commas between them (default: X, raw/X, layers)")
    .option("--beside", "beside the file, in FILE.annarrow/, where it is found on the web, too")
    .option("--cache <folder>", "folder of the copies (default: annarrow in XDG_CACHE_HOME, or in ~/.cache)")
    .option(
      "--cache-size <size>",
      "most bytes of the folder, as 5GiB; the oldest copies are removed (default: 20GiB)",
      parseByteSize,
    )
    .option("--remove", "remove the copies of the file, beside it and in the folder")
    .option("--list", "list the copies in the folder")
    .action((file: string | undefined, flags: Flags) => index(file, flags, context));
  addExamples(command, EXAMPLES, NOTES);
}

async function index(file: string | undefined, flags: Flags, context: CliContext): Promise<void> {
  const { elements, beside = false, cache, cacheSize, list = false, remove = false } = flags;
  if (list !== (file === undefined)) throw new UsageError(list ? "--list takes no file" : "give a file, or --list");
  if (beside && cache !== undefined) throw new UsageError("give either --beside or --cache");
  const { listCompanions, removeCompanion } = await import("../../api/companion.node.js");
  if (file === undefined) return print(await listCompanions(cache));
  if (remove) {
    const { http, cloud } = openOptions(context);
    const removed = await removeCompanion(file, {
      cache,
      http,
      cloud,
    });
    for (const path of removed) process.stderr.write(`removed ${path}\n`);
    if (removed.length === 0) process.stderr.write("there is nothing to remove\n");
    return;
  }
  const result = await copied(
    file,
    {
      beside,
      cache,
      cacheBytes: cacheSize,
      elements: elements === undefined ? undefined : elements.split(",").map((name) => name.trim()),
    },
    context,
  );
  const { escapeControlChars } = await import("../../display/plain.js");
  for (const { name, reason } of result.leftOut)
    process.stderr.write(`${escapeControlChars(`${name} is not copied: ${reason}`)}\n`);
  if (result.path === null) return void process.stderr.write("there is nothing to copy\n");
  await report(result.path, result);
}

/**
 * Copies the matrices of a file by gene into the folder of companions, unless the file has a companion. If it cannot
 * have one, a line on stderr states the reason.
 */
export async function ensureCompanion(file: string, context: CliContext): Promise<void> {
  const { companion = "auto" } = context;
  if (companion === "off") throw new UsageError("give either --cache or --companion off");
  const found = await withStored(file, context, async ({ companion: own }) => {
    const identity = own === null ? "saved R objects and datasets of servers have none" : await own.identity();
    return own === null || typeof identity === "string" ? { reason: identity } : { state: await own.state() };
  });
  if ("reason" in found) {
    const { escapeControlChars } = await import("../../display/plain.js");
    process.stderr.write(`${escapeControlChars(`${file} can have no copy by genes: ${found.reason}`)}\n`);
    return;
  }
  if (found.state?.problem === null) return;
  const result = await copied(file, { cache: companion === "auto" ? undefined : companion }, context);
  if (result.path !== null && result.written) await report(result.path, result);
}

async function copied(file: string, how: CompanionOptions, context: CliContext): Promise<CompanionResult> {
  const { writeCompanion } = await import("../../api/companion.node.js");
  const { companion: _, follow: __, ...options } = openOptions(context);
  const bar = await createProgressBar();
  const written = how.beside ? getOutputWebOptions(file, context) : {};
  return writeCompanion(file, { ...options, ...written, ...how, onProgress: bar.update }).finally(() => bar.stop());
}

/** Prints to stderr which matrices were copied, and which copies were removed to free space. */
async function report(path: string, { written, matrices, removed }: CompanionResult): Promise<void> {
  const { escapeControlChars } = await import("../../display/plain.js");
  const { formatBytes } = await import("../tables/table-outline.js");
  for (const { name, entries, bytes } of matrices) {
    const size = formatBytes({ size: bytes, estimated: false });
    process.stderr.write(`${escapeControlChars(`${name}: ${thousands(entries)} entries, ${size}`)}\n`);
  }
  await reportRemoved(removed);
  process.stderr.write(`${written ? "wrote" : "up to date:"} ${escapeControlChars(path)}\n`);
}

/** Prints to stderr which copies were removed to free space. */
export async function reportRemoved(removed: CompanionResult["removed"]): Promise<void> {
  const { escapeControlChars } = await import("../../display/plain.js");
  for (const { source, path } of removed) {
    process.stderr.write(`${escapeControlChars(`removed the copy of ${source}, to make room: ${path}`)}\n`);
  }
}

async function print(companions: Awaited<ReturnType<typeof import("../../api/companion.node.js").listCompanions>>) {
  const { formatBytes } = await import("../tables/table-outline.js");
  const { formatTextTable } = await import("../tables/text-table.js");
  const rows = companions.map(({ source, kind, elements, bytes, path }) => [
    source,
    kind,
    elements.join(", "),
    formatBytes({ size: bytes, estimated: false }),
    path,
  ]);
  const total = companions.reduce((sum, { bytes }) => sum + bytes, 0);
  const columns = [
    { title: "file", align: "left" },
    { title: "copy", align: "left" },
    { title: "matrices", align: "left" },
    { title: "size", align: "right" },
    { title: "folder", align: "left" },
  ] as const;
  process.stdout.write(formatTextTable(columns, rows, {}));
  process.stderr.write(
    `${companions.length === 1 ? "1 copy" : `${companions.length} copies`}, ${formatBytes({ size: total, estimated: false })}\n`,
  );
}
