/**
 * The form of a table that writers accept: its fields, its element's metadata, and its rows as generic columns, without
 * any Arrow object.
 */

import type { Column, ColumnBatch } from "../arrow/column.js";
import type { ArrowField } from "../arrow/type.js";
import type { AsRead } from "../containers/tree/passthrough-objects.js";
import type { ReadOptions } from "../io/sources/source.js";
import type { ReleasedMemory } from "../jobs/memory/buffer-pool.js";
import type { RowsPlan } from "../jobs/plan/plan.js";
import type { EntriesByRange, EntryRanges } from "../kernels/sparse/entry-ranges.js";
import type { MinorMap } from "../kernels/sparse/minor-map.js";
import type { BatchOptions, DataTable, Layout, TableMetadata } from "../model/dataset.js";
import type { Origin } from "./stored-table.js";

export interface ColumnTable {
  readonly name: string;
  readonly fields: readonly ArrowField[];
  /** Parsed JSON of the schema's key `annarrow`; null if the table was never an element of a file. */
  readonly metadata: TableMetadata | null;
  /** Whether the metadata come from a schema that may belong to other rows. Their shape may then be wrong. */
  readonly remembered?: boolean;
  /** The schema's other metadata, such as `pandas`. */
  readonly schemaMetadata: ReadonlyMap<string, string>;
  /** Number of rows; null if it is known only after a scan. */
  readonly rows: number | null;
  readonly derived: boolean;
  /**
   * Objects stored beside the table in the file, if the table is unchanged since it was read. Null or absent if there
   * are no such objects or they are unknown.
   */
  readonly asRead?: AsRead | null;
  /**
   * The arrays of a table that is read from a file without changes; absent for other tables. Accessed through
   * `findStoredRows`, because a table derived from this one may have different values.
   */
  readonly stored?: StoredElement;
  /**
   * The arrays whose chunks a writer can copy, for a table that has their values but is not read from them. Accessed
   * through `findCopyableRows`.
   */
  readonly kept?: CopyableElement;
  /**
   * Reason why stored chunks cannot be copied unchanged, for a warning. Absent if they can be copied or do not exist.
   */
  readonly notKept?: string;
  /** The dataset's element that this table is; null or absent for a table from the caller. */
  readonly origin?: OriginElement | null;
  /** Layouts that `layout` accepts, starting with the current one; empty if the element has only one. */
  readonly layouts: readonly Layout[];
  layout(layout: Layout): Promise<ColumnTable>;
  /** Selects fields by position; other fields are not read. Absent if all fields are read together. */
  only?(fields: readonly number[]): ColumnTable;
  /**
   * Returns a sparse matrix's entry lists with new minor positions, sorted by those positions; null if the table has no
   * such lists. Absent if its reader does not support this.
   */
  placed?(minor: MinorMap): Promise<ColumnTable | null>;
  /** Returns the rows at these positions, in this order. Absent if rows can be read only in stored order. */
  rowsAt?(positions: Int32Array): Promise<ColumnTable | null>;
  /** Parts of the table that can be read separately; absent if all rows must be read in sequence. */
  readonly blocks?: TableChunks;
  /** True if `batches` can be called more than once. A stream can be read only once. */
  readonly repeatable: boolean;
  /** Yields the rows in at least one batch. Every call starts at the first row. */
  batches(options?: ColumnBatchOptions): AsyncIterable<ColumnBatch>;
}

/** Consecutive rows: a row group of a file, or one of many concatenated tables. */
export interface TableChunk {
  /** Number of rows; null if it is known only after a scan. */
  readonly rows: number | null;
  /**
   * Returns the least and the greatest position that a matrix's entries can have along an axis; null if unknown. Absent
   * if the rows are not entries.
   */
  readonly bounds?: (axis: "row" | "col") => readonly [least: number, greatest: number] | null;
  readonly batches: (options?: ColumnBatchOptions) => AsyncIterable<ColumnBatch>;
  /** Opens the file and returns the blocks inside this one; absent if there are no inner blocks. */
  readonly inner?: (options: ReadOptions) => Promise<readonly TableChunk[]>;
}

export interface TableChunks {
  readonly all: readonly TableChunk[];
  /**
   * The function that reads all blocks. A table derived from this one may have a different function, which reads other
   * rows.
   */
  readonly batches: ColumnTable["batches"];
  /** Yields a batch without rows, without reading a block. Absent if the dictionaries can only be read from a block. */
  readonly none?: (options?: ColumnBatchOptions) => AsyncIterable<ColumnBatch>;
}

export interface CopyableElement {
  readonly rows: RowsPlan;
  /**
   * The function that reads the values. A table derived from this one may have a different function, which reads other
   * values.
   */
  readonly batches: ColumnTable["batches"];
}

export interface StoredElement {
  readonly rows: RowsPlan;
  readonly batches: ColumnTable["batches"];
  /** Returns a sparse matrix's entry lists, for a transposition; null if the element has no such lists. */
  lists(): Promise<StoredLists | null>;
  /** Returns the given columns without rows, but with complete dictionaries. */
  noRows(fields: readonly number[], options?: ReadOptions): Promise<readonly Column[]>;
}

/** Entry lists (compressed rows or columns) that can be read in ranges of minor positions. */
export interface StoredLists {
  readonly order: "row" | "column";
  /** Length of the minor axis. */
  readonly size: number;
  /** Number of entries; null if it is known only after a scan. */
  readonly entries: number | null;
  /** Returns an empty column of the values' type. */
  like(): Promise<Column>;
  /** Yields blocks of lists in order. A block is valid until the next one is requested. */
  blocks(bands: EntryRanges, options?: Pick<ColumnBatchOptions, "signal">): AsyncIterable<EntriesByRange>;
}

/** Returns a table's stored arrays if its values are exactly the stored ones; null for other tables. */
export function findStoredRows(table: ColumnTable): RowsPlan | null {
  return findStoredElement(table)?.rows ?? null;
}

/** Returns the stored arrays that contain a table's values, if their chunks can be copied unchanged; otherwise null. */
export function findCopyableRows(table: ColumnTable): RowsPlan | null {
  const { kept, batches } = table;
  return findStoredRows(table) ?? (kept?.batches === batches ? kept.rows : null);
}

/** Returns a table's stored lists if its values are exactly the stored ones; null for other tables. */
export async function findStoredLists(table: ColumnTable): Promise<StoredLists | null> {
  return (await findStoredElement(table)?.lists()) ?? null;
}

/** Returns a table's stored element if its values are exactly the stored ones; null for other tables. */
export function findStoredElement({ stored, batches }: ColumnTable): StoredElement | null {
  return stored !== undefined && stored.batches === batches ? stored : null;
}

export interface ColumnBatchOptions {
  readonly signal?: AbortSignal;
  /** Whether a batch may be overwritten once the next one is requested. */
  readonly reuse?: boolean;
  /** Memory of batches that may be overwritten, shared by tables that are read one after another. */
  readonly returned?: ReleasedMemory;
}

/**
 * Whether a table still has the name under which it was opened. If so, everything specific to its file is copied.
 * @param path the group below which the table is written.
 */
export function isUnderItsName({ name, origin }: ColumnTable, path = ""): boolean {
  // The name of a single-table file is arbitrary, so it has no meaning here.
  if (!origin || origin.dataset.format === "tables") return false;
  return origin.name === name || origin.name === `${path}/${name}`;
}

export interface OriginElement {
  readonly dataset: Origin;
  readonly name: string;
}

/** Key of the property that contains the origin of a dataset's table. */
export const ORIGIN: unique symbol = Symbol.for("annarrow.origin");

/** A table with a reference to its dataset. */
export interface FromDataset {
  readonly [ORIGIN]: Origin | null;
}

/** Returns the element that `table` is; null for a table from the caller. */
export function getOriginElement(table: DataTable): OriginElement | null {
  const dataset = isFromDataset(table) ? table[ORIGIN] : null;
  return dataset === null ? null : { dataset, name: table.name };
}

function isFromDataset(table: DataTable): table is DataTable & FromDataset {
  return ORIGIN in table;
}

/** Selects the rows, entries or columns of a table that `where` specifies. Throws the same errors as `batches`. */
export type ChooseWhere = (
  table: DataTable & FromDataset,
  where: NonNullable<BatchOptions["where"]>,
  options: ReadOptions,
) => Promise<DataTable>;

/** A table that supports the option `where` once `choosing` has set a function that selects rows. */
export interface ChoosesRows extends DataTable {
  /** Returns the table with a function that selects the rows that `where` specifies. */
  choosing(choose: ChooseWhere): DataTable;
}

export function canSelectRows(table: DataTable): table is ChoosesRows {
  return "choosing" in table;
}
