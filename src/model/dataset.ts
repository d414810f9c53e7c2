/** What a user holds after `open`: a dataset, which is a set of named tables (docs/mapping.md, section 1). */

import type { Table as ArrowTable, RecordBatch, Schema } from "apache-arrow";
import type { AnnarrowError } from "./errors.js";

export type Format = "anndata" | "mudata" | "10x" | "bpcells" | "loom" | "matlab" | "tables";

/** How a matrix becomes a table: see docs/mapping.md, "Layout options". */
export type Layout = "coordinate" | "list" | "dense" | "columns";

/** JSON under the schema metadata key `annarrow`. */
export interface TableMetadata {
  readonly kind: string;
  readonly shape?: readonly number[];
  readonly [key: string]: unknown;
}

export interface BatchOptions {
  /** Table rows [start, end); all by default. */
  readonly rows?: readonly [start: number, end: number];
  /** Names of the columns to read, in this order; all by default. What is not named is not read. */
  readonly columns?: readonly string[];
  /**
   * Only the entries at these positions, in stored order; of a matrix in coordinate layout. Positions along the
   * compressed axis (rows of a CSR matrix) cost only what they hold, others a pass over all indices.
   */
  readonly where?: { readonly row?: Iterable<number>; readonly col?: Iterable<number> };
  /** Only these fragments, in stored order; of a table of fragments. Chromosomes and ranges cost what they hold. */
  readonly fragments?: FragmentSelection;
  /** Upper bound of one batch's bytes, as far as the schema tells; at most 16 MiB by default. */
  readonly batchBytes?: number;
  /**
   * For those who are done with a batch when they ask for the next: its memory may be used again by a later one, or be
   * gone, where that is faster. False by default: batches stay as they are.
   */
  readonly reuse?: boolean;
  readonly signal?: AbortSignal;
}

/** What is given must hold together; each alone selects by itself. */
export interface FragmentSelection {
  /** Names of chromosomes. */
  readonly chr?: Iterable<string>;
  /** Those that overlap these bases of the chromosomes, 0-based and half-open. */
  readonly range?: readonly [start: number, end: number];
  /** Names of cells; a pass over all cells of the chromosomes. */
  readonly cell?: Iterable<string>;
}

/** One stored element as an Arrow table. Nothing is read before `batches` is iterated. */
export interface DataTable {
  readonly name: string;
  readonly schema: Schema;
  /** Number of rows; null where only a scan can tell (a dense matrix in coordinate layout). */
  readonly rows: number | null;
  readonly metadata: TableMetadata;
  /** True for the table that lists the nodes of a mapping such as `uns`. */
  readonly derived: boolean;
  /** Which axis of the dataset its rows are, as the name that positions have in coordinate tables. */
  readonly axis: "row" | "col" | null;
  /** The layouts that `layout` accepts, the present one first; empty where the element has but one form. */
  readonly layouts: readonly Layout[];
  /**
   * The same element in another layout.
   * @throws {InvalidInputError} where the element has no such layout.
   */
  layout(layout: Layout): Promise<DataTable>;
  /** The rows as record batches, always at least one; every call starts anew. All batches share their dictionaries. */
  batches(options?: BatchOptions): AsyncIterable<RecordBatch>;
  /** The rows as one Arrow table in memory. */
  read(options?: BatchOptions): Promise<ArrowTable>;
}

export type ContainerKind = "hdf5" | "zarr2" | "zarr3" | "directory" | "rds";

/** What a dataset lies in; a directory of tables says what they were read from. */
export type DatasetContainer = ContainerKind | "parquet" | "arrow" | "tsv" | "flight";

/** `T` is the tables' form: what a user holds, or within the library also what needs no Arrow library yet. */
export interface Dataset<T = DataTable> {
  readonly format: Format;
  /** The format's version as the file states it, or the range of versions that write this layout; `""` where unknown. */
  readonly version: string;
  readonly container: DatasetContainer;
  /** [observations, variables]; null where the format has no such thing. */
  readonly shape: readonly [number, number] | null;
  /** Path, URL or name of what was opened. */
  readonly source: string;
  readonly tables: ReadonlyMap<string, T>;
  /** Elements that cannot be read, with the reason; they do not hide the others. */
  readonly failures: ReadonlyMap<string, AnnarrowError>;
  /** What a reader should know, though nothing is wrong with the values. */
  readonly warnings: readonly string[];
  /**
   * The table of that name.
   * @throws {NotFoundError} naming the nearest names, or the element's own error where it could not be read.
   */
  table(name: string): T;
  close(): Promise<void>;
}

export type Progress = {
  readonly element: string;
  readonly done: number;
  readonly total: number | null;
  readonly unit: "rows" | "bytes";
};
