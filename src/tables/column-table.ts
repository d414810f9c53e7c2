/**
 * The form of a table that writers take: its fields, the metadata of its element, and its rows as plain columns,
 * without any Arrow object.
 */

import type { Column, ColumnBatch } from "../arrow/column.js";
import type { ArrowField } from "../arrow/type.js";
import type { AsRead } from "../containers/tree/kept-objects.js";
import type { ReturnedMemory } from "../jobs/memory/buffer-pool.js";
import type { RowsPlan } from "../jobs/plan/plan.js";
import type { BandedEntries, EntryBands } from "../kernels/sparse/entry-bands.js";
import type { MinorMap } from "../kernels/sparse/minor-map.js";
import type { BatchOptions, DataTable, Layout, TableMetadata } from "../model/dataset.js";
import type { ReadOptions } from "../sources/source.js";
import type { Origin } from "./stored-table.js";

export interface ColumnTable {
  readonly name: string;
  readonly fields: readonly ArrowField[];
  /** JSON of the schema's key `annarrow`; null for a table that never was an element of a file. */
  readonly metadata: TableMetadata | null;
  /** Whether the metadata come from a schema that may have been given to other rows: their shape may be wrong. */
  readonly remembered?: boolean;
  /** The schema's other metadata, such as `pandas`. */
  readonly schemaMetadata: ReadonlyMap<string, string>;
  /** Number of rows; null where only a scan can tell. */
  readonly rows: number | null;
  readonly derived: boolean;
  /**
   * Objects of the file beside a table that is as it was read; null or absent where there are none, or they are not
   * known.
   */
  readonly asRead?: AsRead | null;
  /**
   * The arrays of a table that is read from a file as it is stored; absent for other tables. `storedRows` returns them:
   * a table that was made of this one may have other values.
   */
  readonly stored?: StoredElement;
  /**
   * The arrays whose chunks a writer can keep, of a table that is not read from them: it has their values all the same.
   * `keptRows` returns them.
   */
  readonly kept?: KeptElement;
  /** Why no chunks can be kept of a table whose values are stored in chunks, for a warning; absent for other tables. */
  readonly notKept?: string;
  /** The element of a dataset that the table is; null or absent for a table of the caller's. */
  readonly origin?: OriginElement | null;
  /** The layouts that `layout` accepts, the present one first; empty where the element has but one form. */
  readonly layouts: readonly Layout[];
  layout(layout: Layout): Promise<ColumnTable>;
  /**
   * The table with only these fields, by position; other fields are not read. Absent where all fields come together.
   */
  only?(fields: readonly number[]): ColumnTable;
  /**
   * The lists of entries of a sparse matrix under new minor positions, sorted by them; null where the table has no such
   * lists. Absent where its reader cannot move them.
   */
  placed?(minor: MinorMap): Promise<ColumnTable | null>;
  /** The rows at these positions, in their order. Absent where rows come only in the order in which they lie. */
  rowsAt?(positions: Int32Array): Promise<ColumnTable | null>;
  /** The parts of the table that can be read alone; absent where all rows are read from the first on. */
  readonly blocks?: TableBlocks;
  /** Whether `batches` can be called more than once: a stream is read once. */
  readonly repeatable: boolean;
  /** Yields the rows, always at least one batch; every call begins with the first row. */
  batches(options?: ColumnBatchOptions): AsyncIterable<ColumnBatch>;
}

/** Rows that follow each other: a row group of a file, one of many tables that are put together. */
export interface TableBlock {
  /** Number of rows; null where only a scan can tell. */
  readonly rows: number | null;
  /**
   * The least and the greatest position that entries of a matrix can have along an axis; null where nothing tells. Absent
   * where the rows are no entries.
   */
  readonly bounds?: (axis: "row" | "col") => readonly [least: number, greatest: number] | null;
  readonly batches: (options?: ColumnBatchOptions) => AsyncIterable<ColumnBatch>;
  /** The blocks that this one consists of, which only the opened file tells; absent where it has none. */
  readonly inner?: (options: ReadOptions) => Promise<readonly TableBlock[]>;
}

/** All blocks of a table, in their order. */
export interface TableBlocks {
  readonly all: readonly TableBlock[];
  /** The function that reads all blocks: a table that was made of this one may have other rows. */
  readonly batches: ColumnTable["batches"];
  /** A batch without rows, which reads no block; absent where a block has to be read for its dictionaries. */
  readonly none?: (options?: ColumnBatchOptions) => AsyncIterable<ColumnBatch>;
}

export interface KeptElement {
  readonly rows: RowsPlan;
  /** The function that reads the values: a table that was made of this one may have other values. */
  readonly batches: ColumnTable["batches"];
}

export interface StoredElement {
  readonly rows: RowsPlan;
  /** The function that reads these arrays. */
  readonly batches: ColumnTable["batches"];
  /** The lists of entries of a sparse matrix, for a transposition; null where the element has none. */
  lists(): Promise<StoredLists | null>;
  /** Some columns without rows, but with whole dictionaries. */
  noRows(fields: readonly number[], options?: ReadOptions): Promise<readonly Column[]>;
}

/** Lists of entries that can be read band by band. */
export interface StoredLists {
  readonly order: "row" | "column";
  /** Length of the axis of their minor positions. */
  readonly size: number;
  /** Number of entries; null where only a scan can tell. */
  readonly entries: number | null;
  /** No values, of the type that all have. */
  like(): Promise<Column>;
  /** Yields blocks of lists, in their order; a block lasts until the next one is requested. */
  blocks(bands: EntryBands, options?: Pick<ColumnBatchOptions, "signal">): AsyncIterable<BandedEntries>;
}

/** The stored arrays of a table whose values are the ones that are stored; null for other tables. */
export function storedRows(table: ColumnTable): RowsPlan | null {
  return storedElement(table)?.rows ?? null;
}

/** The arrays that have the values of a table, and whose chunks can be kept; null for other tables. */
export function keptRows(table: ColumnTable): RowsPlan | null {
  const { kept, batches } = table;
  return storedRows(table) ?? (kept?.batches === batches ? kept.rows : null);
}

/** The stored lists of a table whose values are the ones that are stored; null for other tables. */
export async function storedLists(table: ColumnTable): Promise<StoredLists | null> {
  return (await storedElement(table)?.lists()) ?? null;
}

/** The stored element of a table whose values are the ones that are stored; null for other tables. */
export function storedElement({ stored, batches }: ColumnTable): StoredElement | null {
  return stored !== undefined && stored.batches === batches ? stored : null;
}

export interface ColumnBatchOptions {
  readonly signal?: AbortSignal;
  /** Whether a batch may be overwritten once the next one is requested. */
  readonly reuse?: boolean;
  /** Memory of batches that may be overwritten, which tables that are read one after the other share. */
  readonly returned?: ReturnedMemory;
}

/**
 * Whether a table was opened under its present name: then everything that its file has of its own is copied.
 * @param path the group below which it is written.
 */
export function isUnderItsName({ name, origin }: ColumnTable, path = ""): boolean {
  // A file of one table can have any name, which means nothing here.
  if (!origin || origin.dataset.format === "tables") return false;
  return origin.name === name || origin.name === `${path}/${name}`;
}

/** An element of a dataset. */
export interface OriginElement {
  readonly dataset: Origin;
  readonly name: string;
}

/** Key of the member that holds the origin of a table of a dataset. */
export const ORIGIN: unique symbol = Symbol.for("annarrow.origin");

/** A table that knows its dataset. */
export interface FromDataset {
  readonly [ORIGIN]: Origin | null;
}

/** The element that `table` is; null for a table of the caller's. */
export function getOriginElement(table: DataTable): OriginElement | null {
  const dataset = isFromDataset(table) ? table[ORIGIN] : null;
  return dataset === null ? null : { dataset, name: table.name };
}

function isFromDataset(table: DataTable): table is DataTable & FromDataset {
  return ORIGIN in table;
}

/**
 * Takes the rows, entries or columns of a table that `where` chooses. Errors are those of `batches`.
 */
export type ChooseWhere = (
  table: DataTable & FromDataset,
  where: NonNullable<BatchOptions["where"]>,
  options: ReadOptions,
) => Promise<DataTable>;

/** A table whose option `where` works once `choosing` has given the table a way to choose rows. */
export interface ChoosesRows extends DataTable {
  /** The table with a way to choose its rows. */
  choosing(choose: ChooseWhere): DataTable;
}

export function choosesRows(table: DataTable): table is ChoosesRows {
  return "choosing" in table;
}
