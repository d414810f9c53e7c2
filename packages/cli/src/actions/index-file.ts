/** `annarrow index FILE`. */

import { escapeControlChars } from "annarrow/core/api";
import { type ListedCompanion, listCompanions, removeCompanion } from "annarrow/node/api";
import { type CliContext, openOptions } from "../context/context.js";
import { UsageError } from "../context/failure.js";
import { formatBytes } from "../tables/table-outline.js";
import { formatTextTable } from "../tables/text-table.js";
import { copyByGenes, reportCopies } from "./copy-by-genes.js";

export interface IndexFlags {
  readonly elements?: string;
  readonly beside?: boolean;
  readonly cache?: string;
  readonly cacheSize?: number;
  readonly list?: boolean;
  readonly remove?: boolean;
}

export async function index(file: string | undefined, flags: IndexFlags, context: CliContext): Promise<void> {
  const { elements, beside = false, cache, cacheSize, list = false, remove = false } = flags;
  if (list !== (file === undefined)) throw new UsageError(list ? "--list takes no file" : "give a file, or --list");
  if (beside && cache !== undefined) throw new UsageError("give either --beside or --cache");
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
  const result = await copyByGenes(
    file,
    {
      beside,
      cache,
      cacheBytes: cacheSize,
      elements: elements === undefined ? undefined : elements.split(",").map((name) => name.trim()),
    },
    context,
  );
  for (const { name, reason } of result.leftOut)
    process.stderr.write(`${escapeControlChars(`${name} is not copied: ${reason}`)}\n`);
  if (result.path === null) return void process.stderr.write("there is nothing to copy\n");
  reportCopies(result.path, result);
}

function print(companions: readonly ListedCompanion[]): void {
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
