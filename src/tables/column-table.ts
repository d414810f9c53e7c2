/** A table as writers take it: fields, what is known of the element, and its rows as plain columns. No Arrow object. */

import type { ColumnBatch } from "../arrow/column.js";
import type { ArrowField } from "../arrow/type.js";
import type { AsRead } from "../containers/tree/kept-objects.js";
import type { DataTable, Layout, TableMetadata } from "../model/dataset.js";
import type { Origin } from "./stored-table.js";

export interface ColumnTable {
  readonly name: string;
  readonly fields: readonly ArrowField[];
  /** JSON of the schema's key `annarrow`; null for a table that never was an element of a file. */
  readonly metadata: TableMetadata | null;
  /** Whether the metadata are those of a schema that may have been given to other rows: what they say of the shape may be wrong. */
  readonly remembered?: boolean;
  /** The schema's other metadata, such as `pandas`. */
  readonly schemaMetadata: ReadonlyMap<string, string>;
  /** null where only a scan can tell. */
  readonly rows: number | null;
  readonly derived: boolean;
  /** Of a table that is as it was read; null or absent where that is not known, or it says all of its file. */
  readonly asRead?: AsRead | null;
  /** The element of a dataset that it is; null or absent for a table of the caller's. */
  readonly origin?: OriginElement | null;
  /** The layouts that `layout` accepts, the present one first; empty where the element has but one form. */
  readonly layouts: readonly Layout[];
  layout(layout: Layout): Promise<ColumnTable>;
  /** The same rows with these fields alone, by their places; the others are not read. Absent where all come together. */
  only?(fields: readonly number[]): ColumnTable;
  /** Whether `batches` can be called more than once: a stream is read once. */
  readonly repeatable: boolean;
  /** The rows, always at least one batch; every call starts anew. */
  batches(options?: ColumnBatchOptions): AsyncIterable<ColumnBatch>;
}

export interface ColumnBatchOptions {
  readonly signal?: AbortSignal;
  /** A batch is done with when the next one is asked for: that may then lie in its memory. */
  readonly reuse?: boolean;
}

/**
 * Whether a table was opened under the name that it has: whatever its file has of its own is copied.
 * @param path the group below which it is written.
 */
export function isUnderItsName({ name, origin }: ColumnTable, path = ""): boolean {
  // The name of a file of one table says nothing.
  if (!origin || origin.dataset.format === "tables") return false;
  return origin.name === name || origin.name === `${path}/${name}`;
}

/** An element of a dataset. */
export interface OriginElement {
  readonly dataset: Origin;
  readonly name: string;
}

/** What a table of a dataset has its origin under. */
export const ORIGIN: unique symbol = Symbol.for("annarrow.origin");

/** A table that knows where it comes from. */
export interface FromDataset {
  readonly [ORIGIN]: Origin | null;
}

/** null for a table of the caller's. */
export function originOf(table: DataTable): OriginElement | null {
  const dataset = isFromDataset(table) ? table[ORIGIN] : null;
  return dataset === null ? null : { dataset, name: table.name };
}

function isFromDataset(table: DataTable): table is DataTable & FromDataset {
  return ORIGIN in table;
}
