/**
 * Describes tables for `inspect`: columns, types, sizes and storage. Stored tables do not need the Arrow library for
 * it.
 */

import type { OpenedTable } from "../../api/opened-dataset.js";
import { type ArrowField, type ArrowType, describeArrowType, estimateValueSize, isVariable } from "../../arrow/type.js";
import type { Layout, TableMetadata } from "../../model/dataset.js";
import { StoredTable } from "../../tables/stored-table.js";

export interface ColumnOutline {
  readonly name: string;
  readonly type: string;
  /** The type in short form, such as `dict<utf8>`. */
  readonly short: string;
  readonly nullable: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  /** Bytes of one value in memory; null if the size depends on the value. */
  readonly bytes: number | null;
}

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
  const columns = table instanceof StoredTable ? table.fields.map(outlineOf) : await arrowColumns(table);
  return { name, rows, metadata, derived, axis, layouts, columns };
}

function outlineOf(field: ArrowField): ColumnOutline {
  const { name, type, nullable, metadata } = field;
  return {
    name,
    type: describeArrowType(type),
    short: formatShortType(type),
    nullable,
    metadata: metadata === undefined ? {} : { annarrow: JSON.stringify(metadata) },
    bytes: getValueBytes(type),
  };
}

async function arrowColumns({ schema }: Exclude<OpenedTable, StoredTable>): Promise<ColumnOutline[]> {
  const { toColumnField } = await import("../../arrow/apache/apache-fields.js");
  return schema.fields.map((field) => {
    const { name, nullable } = field;
    const metadata = Object.fromEntries(field.metadata);
    try {
      return { ...outlineOf(toColumnField(field)), metadata };
    } catch {
      // No stored array has this type, so Arrow's own name is used.
      const type = String(field.type);
      return { name, type, short: type.toLowerCase(), nullable, metadata, bytes: null };
    }
  });
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

/** Formats a type as `int32`, `float32[50]`, `dict<utf8>`, `list<{index: int32, value: float32}>`. */
function formatShortType(type: ArrowType): string {
  switch (type.id) {
    case "Dictionary":
      return `dict<${formatShortType(type.value)}>`;
    case "FixedSizeList":
      return `${formatShortType(type.item.type)}[${type.size}]`;
    case "List":
      return `list<${formatShortType(type.item.type)}>`;
    case "Struct":
      return `{${fieldsText(type.fields)}}`;
    case "DenseUnion":
      return `union<${type.fields.map((child) => formatShortType(child.type)).join(" | ")}>`;
    case "Timestamp":
    case "Duration":
      return `${type.id.toLowerCase()}[${type.unit}]`;
    case "Null":
    case "Bool":
    case "Int":
    case "Float":
    case "Utf8":
    case "Binary":
    case "FixedSizeBinary":
    case "Date32":
      return describeArrowType(type).toLowerCase();
    default:
      return type satisfies never;
  }
}

const fieldsText = (fields: readonly ArrowField[]) =>
  fields.map((child) => `${child.name}: ${formatShortType(child.type)}`).join(", ");

/** Returns the bytes of one value in memory; null if the size depends on the value. */
function getValueBytes(type: ArrowType): number | null {
  return isVariable(type) ? null : estimateValueSize(type);
}
