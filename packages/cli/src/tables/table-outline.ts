/** Describes tables for `inspect`: columns, types, sizes and storage. */

import type { Layout, TableMetadata } from "annarrow";
import type { OpenedTable } from "annarrow/core/api";
import { type ColumnOutline, describeColumns } from "annarrow/core/tables";

export interface TableOutline {
  readonly name: string;
  readonly rows: number | null;
  readonly metadata: TableMetadata;
  readonly derived: boolean;
  readonly axis: "row" | "col" | null;
  readonly layouts: readonly Layout[];
  readonly columns: readonly ColumnOutline[];
}

export async function computeTableOutline(table: OpenedTable): Promise<TableOutline> {
  const { name, rows, metadata, derived, axis, layouts } = table;
  return { name, rows, metadata, derived, axis, layouts, columns: await describeColumns(table) };
}

export interface StorageOutline {
  readonly version: string;
  readonly packed: boolean;
  readonly order?: "row" | "column";
  /** Bits per value, by name of the stored array. */
  readonly bits: Readonly<Record<string, number>>;
}

/** Returns null for a table of another format. */
export function getStorageOutline({ version, order, bits }: TableMetadata): StorageOutline | null {
  if (typeof version !== "string" || typeof bits !== "object" || bits === null) return null;
  const numbers = Object.entries(bits).filter((entry): entry is [string, number] => typeof entry[1] === "number");
  return {
    version,
    packed: version.startsWith("packed"),
    order: order === "row" || order === "column" ? order : undefined,
    bits: Object.fromEntries(numbers),
  };
}

/** Formats storage as `packed-uint-matrix-v2, column order, 7.5 bits per index, 4.8 per value`. */
export function formatStorage({ version, order, bits }: StorageOutline): string {
  const each = Object.entries(bits).map(
    ([name, size], i) => `${Number(size.toFixed(1))}${i === 0 ? " bits" : ""} per ${name}`,
  );
  return [version, ...(order === undefined ? [] : [`${order} order`]), ...each].join(", ");
}

/** Assumed bytes of a text or list, since only reading would show the true size. */
const GUESS = 16;

/** Returns null if the number of rows is unknown. */
export function estimateTableBytes(table: TableOutline): { readonly size: number; readonly estimated: boolean } | null {
  if (table.rows === null) return null;
  let row = 0;
  let estimated = false;
  for (const { bytes } of table.columns) {
    estimated ||= bytes === null;
    row += bytes ?? GUESS;
  }
  return { size: row * table.rows, estimated };
}

/** Formats a size as `1.5 MiB`, with `~` for an estimate. */
export function formatBytes({ size, estimated }: { size: number; estimated: boolean }): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const step = size < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(size) / 10));
  const value = size / 1024 ** step;
  return `${estimated ? "~" : ""}${step === 0 ? Math.ceil(value) : value.toFixed(1)} ${units[step]}`;
}
