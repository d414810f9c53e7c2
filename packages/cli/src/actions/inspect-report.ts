/** Describes a dataset's content as text: its tables, or one table with all its columns. */

import type { ContainerKind, Format, TableMetadata, TableSet } from "annarrow";
import type { OpenedTable } from "annarrow/core/api";
import { escapeControlChars, truncateText } from "annarrow/core/api";
import { getContainerTitle, isContainerKind } from "annarrow/core/containers";
import type { DatasetContainer } from "annarrow/core/model";
import { formatNamed, versionInWords } from "annarrow/core/model";
import type { GeneIndexState } from "annarrow/core/query";
import { readSingleValue } from "annarrow/core/tables";
import { CELLS_BY_GENES } from "annarrow/format";
import { thousands } from "../context/context.js";
import {
  computeTableOutline,
  estimateTableBytes,
  formatBytes,
  formatStorage,
  getStorageOutline,
  type TableOutline,
} from "../tables/table-outline.js";
import { formatTextTable, type TextColumn, type TextTableOptions } from "../tables/text-table.js";

/** Labels for datasets that are stored in something other than a container. */
const OTHERS: Readonly<Record<Exclude<DatasetContainer, ContainerKind>, string>> = {
  parquet: "Parquet",
  arrow: "Arrow IPC",
  tsv: "tab-separated text",
  flight: "Arrow Flight",
};

/** Assumed width, in columns, of a terminal whose width is unknown. */
const WIDTH = 120;

/** Maximum number of columns listed per table. */
const COLUMNS = 40;

/** Maximum number of elements of `uns` that are listed one by one. */
const UNFOLDED = 5;

const TITLES: readonly TextColumn[] = [
  { title: "table", align: "left" },
  { title: "kind", align: "left" },
  { title: "rows", align: "right" },
  { title: "size", align: "right" },
  { title: "columns", align: "left" },
];

export interface InspectOptions extends TextTableOptions {
  readonly companion?: GeneIndexState | null;
  readonly signal: AbortSignal;
}

/** Lists all tables of a dataset; many elements of `uns` are folded into one line. */
export async function formatInspectReport(
  dataset: TableSet<OpenedTable>,
  { companion = null, signal, ...options }: InspectOptions,
): Promise<string> {
  const tables = [...dataset.tables.values()];
  const outlines = await Promise.all(tables.map(computeTableOutline));
  const { listed, folded } = foldedTables(outlines);
  const rows = await Promise.all(
    listed.map(async (one) => tableRow(one, await readScalarText(dataset.tables.get(one.name), signal))),
  );
  const body = formatTextTable(TITLES, [...rows, ...folded.map(foldedRow)], {
    ...options,
    width: options.width ?? WIDTH,
  });
  return `${header(dataset)}\n\n${tables.length === 0 ? "no tables\n" : body}${notes(dataset, outlines, companion, folded)}`;
}

/**
 * Describes one table with all its columns, or the tables below a path, such as `uns`.
 * @throws {NotFoundError} if neither exists.
 */
export async function formatInspectedTable(
  dataset: TableSet<OpenedTable>,
  name: string,
  { signal, ...options }: InspectOptions,
): Promise<string> {
  const found = [...dataset.tables.values()].filter((one) => one.name === name || one.name.startsWith(`${name}/`));
  if (found.length > 1) {
    const rows = await Promise.all(
      found.map(async (one) => tableRow(await computeTableOutline(one), await readScalarText(one, signal))),
    );
    return formatTextTable(TITLES, rows, { ...options, width: options.width ?? WIDTH });
  }
  // The dataset's own error suggests similar names.
  return columnsOf(await computeTableOutline(found[0] ?? dataset.table(name)), options);
}

function columnsOf(table: TableOutline, options: TextTableOptions): string {
  const columns = formatTextTable(
    [
      { title: "column", align: "left" },
      { title: "type", align: "left" },
      { title: "nulls", align: "left" },
    ],
    table.columns.map(({ name, type, nullable }) => [name, type, nullable ? "possible" : "none"]),
    options,
  );
  const [, kind, rows, size] = tableRow(table, null);
  return `${escapeControlChars(`${table.name}: ${kind}, ${rows} rows, ${size}`)}\n\n${columns}`;
}

/** Elements of `uns` that are folded into one line, with the path of the mapping that contains them. */
interface Folded {
  readonly path: string;
  readonly tables: readonly TableOutline[];
}

function foldedTables(tables: readonly TableOutline[]) {
  const below = new Map<string, TableOutline[]>();
  for (const table of tables) {
    const path = /^(.*\/)?uns(?=\/)/.exec(table.name)?.[0];
    if (path === undefined) continue;
    const group = below.get(path);
    if (group === undefined) below.set(path, [table]);
    else group.push(table);
  }
  const folded: Folded[] = [...below]
    .map(([path, tables]) => ({ path, tables }))
    .filter(({ tables }) => tables.length > UNFOLDED);
  const hidden = new Set(folded.flatMap(({ tables }) => tables));
  return { listed: tables.filter((one) => !hidden.has(one)), folded };
}

function foldedRow({ path, tables }: Folded): string[] {
  const names = new Set(tables.map(({ name }) => name.slice(path.length + 1).split("/")[0]));
  const sizes = tables.map(estimateTableBytes);
  const size = sizes.reduce((sum, one) => sum + (one?.size ?? 0), 0);
  const isEstimated = sizes.some((one) => one === null || one.estimated);
  const count = `${thousands(tables.length)} tables`;
  return [`${path}/…`, count, "", formatBytes({ size, estimated: isEstimated }), [...names].join(", ")];
}

function header({ source, format, version, container, shape, tables }: TableSet<OpenedTable>): string {
  const { axes, tableNames } = formatNamed(format);
  const what = `${contentText(format, version)} in ${containerText(container)}`;
  const isAnnotated = tableNames === "anndata" && tables.has("obs") && tables.has("var");
  const [rows, columns] = axes ?? (isAnnotated ? CELLS_BY_GENES : ["", ""]);
  const size = shape === null ? "" : `, ${counted(shape[0], rows)} x ${counted(shape[1], columns)}`;
  return escapeControlChars(`${source}: ${what}${size}`);
}

const counted = (count: number, what: string) => `${thousands(count)}${what === "" ? "" : ` ${what}`}`;

function containerText(container: DatasetContainer): string {
  return isContainerKind(container) ? getContainerTitle(container) : OTHERS[container];
}

function contentText(format: Format, version: string): string {
  const { title, content = title, contentWithoutVersion = content } = formatNamed(format);
  return version === "" ? contentWithoutVersion : `${content}${versionInWords(format, version)}`;
}

function notes(
  { failures }: TableSet<OpenedTable>,
  tables: readonly TableOutline[],
  companion: GeneIndexState | null,
  folded: readonly Folded[],
): string {
  const stored = tables.flatMap(({ name, metadata }) => {
    const storage = getStorageOutline(metadata);
    return storage === null ? [] : [`${escapeControlChars(`${name}: ${formatStorage(storage)}`)}\n`];
  });
  const copies = companion === null ? [] : [`${escapeControlChars(companionText(companion))}\n`];
  const failed = [...failures].map(
    ([name, error]) => `cannot be read: ${escapeControlChars(`${name}: ${error.problem}`)}\n`,
  );
  const more = folded.map(
    ({ path }) => `--table ${escapeControlChars(path)} lists what is in ${escapeControlChars(path)}\n`,
  );
  return [stored, copies, failed, more]
    .filter((lines) => lines.length > 0)
    .map((lines) => `\n${lines.join("")}`)
    .join("");
}

function companionText({ name, elements, bytes, problem }: GeneIndexState): string {
  if (problem !== null) return `companion ${name}: not used, ${problem}`;
  return `companion ${name}: ${elements.join(", ")} by genes, ${formatBytes({ size: bytes, estimated: false })}`;
}

/** @param value the value of a table with a single value, as text. */
function tableRow(table: TableOutline, value: string | null): string[] {
  const bytes = estimateTableBytes(table);
  const { columns } = table;
  const shown = columns.slice(0, COLUMNS).map(({ name, short }) => `${name}: ${short}`);
  const more = columns.length > COLUMNS ? [`… ${thousands(columns.length - COLUMNS)} more`] : [];
  return [
    table.name,
    table.derived ? "contents" : table.metadata.kind,
    table.rows === null ? "?" : thousands(table.rows),
    bytes === null ? "?" : formatBytes(bytes),
    `${[...shown, ...more].join(", ")}${dimensionsText(table.metadata)}${value === null ? "" : ` = ${value}`}`,
  ];
}

/** The names of an array's dimensions, the rows first: ` (time, lat, lon)`. */
function dimensionsText({ dimensions }: TableMetadata): string {
  if (!Array.isArray(dimensions)) return "";
  return ` (${dimensions.map((name: unknown) => (typeof name === "string" ? name : "?")).join(", ")})`;
}

// The values of single numbers and texts, which `inspect` shows beside their types.

/** Maximum number of characters of a text. */
const CHARACTERS = 60;

/** Returns the value of a table with a single number or text; null for any other table. */
async function readScalarText(table: OpenedTable | undefined, signal: AbortSignal): Promise<string | null> {
  const found = table === undefined ? null : await readSingleValue(table, signal);
  if (found === null) return null;
  const { value } = found;
  return typeof value === "string" ? JSON.stringify(truncateText(value, CHARACTERS)) : String(value);
}
