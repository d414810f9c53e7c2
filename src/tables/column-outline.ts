/** Describes a table's columns: names, types and sizes. Stored tables do not need the Arrow library for this. */

import { type ArrowField, type ArrowType, describeArrowType, estimateValueSize, isVariable } from "../arrow/type.js";
import type { DataTable } from "../model/dataset.js";
import { StoredTable } from "./stored-table.js";

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

export async function describeColumns(table: StoredTable | DataTable): Promise<readonly ColumnOutline[]> {
  return table instanceof StoredTable ? table.fields.map(toColumnOutline) : describeArrowColumns(table);
}

function toColumnOutline(field: ArrowField): ColumnOutline {
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

async function describeArrowColumns({ schema }: DataTable): Promise<ColumnOutline[]> {
  const { toColumnField } = await import("../arrow/apache/apache-fields.js");
  return schema.fields.map((field) => {
    const { name, nullable } = field;
    const metadata = Object.fromEntries(field.metadata);
    try {
      return { ...toColumnOutline(toColumnField(field)), metadata };
    } catch {
      // No stored array has this type, so Arrow's own name is used.
      const type = String(field.type);
      return { name, type, short: type.toLowerCase(), nullable, metadata, bytes: null };
    }
  });
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
