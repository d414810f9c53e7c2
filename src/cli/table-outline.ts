/** What a table is, for people and programs; stored tables say it without any Arrow library. */

import type { OpenedTable } from "../api/open.js";
import { type ArrowField, typeText } from "../arrow/type.js";
import type { Layout, TableMetadata } from "../model/dataset.js";
import { StoredTable } from "../tables/stored-table.js";
import { shortType, valueBytes } from "./type-text.js";

export interface ColumnOutline {
  readonly name: string;
  readonly type: string;
  /** In few letters. */
  readonly short: string;
  readonly nullable: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  /** Of one value in memory; null where that depends on the value. */
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

export async function tableOutline(table: OpenedTable): Promise<TableOutline> {
  const { name, rows, metadata, derived, axis, layouts } = table;
  const columns = table instanceof StoredTable ? table.fields.map(outlineOf) : await arrowColumns(table);
  return { name, rows, metadata, derived, axis, layouts, columns };
}

function outlineOf(field: ArrowField): ColumnOutline {
  const { name, type, nullable, metadata } = field;
  return {
    name,
    type: typeText(type),
    short: shortType(type),
    nullable,
    metadata: metadata === undefined ? {} : { annarrow: JSON.stringify(metadata) },
    bytes: valueBytes(type),
  };
}

async function arrowColumns({ schema }: Exclude<OpenedTable, StoredTable>): Promise<ColumnOutline[]> {
  const { columnField } = await import("../arrow/apache/apache-fields.js");
  return schema.fields.map((field) => {
    const { name, nullable } = field;
    const metadata = Object.fromEntries(field.metadata);
    try {
      return { ...outlineOf(columnField(field)), metadata };
    } catch {
      // A type that no stored array has: Arrow's own name of it.
      const type = String(field.type);
      return { name, type, short: type.toLowerCase(), nullable, metadata, bytes: null };
    }
  });
}
