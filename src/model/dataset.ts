/** The result of `open`: a dataset, which is a set of named tables (docs/mapping.md, section 1). */

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
  /** Names of the columns to read, in this order; all by default. Other columns are not read. */
  readonly columns?: readonly string[];
  /**
   * Reads only the entries at these positions of a matrix in coordinate layout, in stored order. Positions along the
   * compressed axis (rows of a CSR matrix) cost only their own entries, positions of the other axis a pass over all
   * indices.
   */
  readonly where?: { readonly row?: Iterable<number>; readonly col?: Iterable<number> };
  /**
   * Reads only these fragments of a table of fragments, in stored order. Chromosomes and ranges cost only their own
   * fragments.
   */
  readonly fragments?: FragmentSelection;
  /** Most bytes of one batch, estimated from the schema; at most 16 MiB by default. */
  readonly batchBytes?: number;
  /**
   * Allows the memory of a batch to be used again, or to be detached, once the next batch is requested, where reading
   * is faster so. False by default: batches stay valid.
   */
  readonly reuse?: boolean;
  readonly signal?: AbortSignal;
}

/** Conditions on fragments, which all must hold. */
export interface FragmentSelection {
  /** Names of chromosomes. */
  readonly chr?: Iterable<string>;
  /** Bases that the fragments overlap, 0-based and half-open. */
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
  /** Axis of the dataset along which the rows lie, by the name of positions in coordinate tables. */
  readonly axis: "row" | "col" | null;
  /** Layouts that `layout` accepts, the present one first; empty where the element has only one form. */
  readonly layouts: readonly Layout[];
  /**
   * The element as a table in another layout (docs/mapping.md, "Layout options").
   * @example
   * ```ts
   * const lists = await data.table("X").layout("list"); // a row for each observation: its non-zero entries
   * ```
   * @throws {InvalidInputError} where the element has no such layout.
   */
  layout(layout: Layout): Promise<DataTable>;
  /**
   * The rows as record batches, always at least one; every call starts at the first row. All batches share their
   * dictionaries.
   * @example
   * ```ts
   * for await (const batch of data.table("X").batches({ rows: [0, 1000] })) console.log(batch.numRows);
   * ```
   * @throws {InvalidInputError} for rows outside the table, and for options that the table does not support.
   * @throws {NotFoundError} for names of columns that the table does not have.
   * @throws {InvalidDataError} where stored values are corrupt.
   */
  batches(options?: BatchOptions): AsyncIterable<RecordBatch>;
  /**
   * The rows as one Arrow table in memory.
   * @throws {UnsupportedError} for more than 2 GiB, and the errors of `batches`.
   */
  read(options?: BatchOptions): Promise<ArrowTable>;
}

export type ContainerKind = "hdf5" | "zarr2" | "zarr3" | "directory" | "rds";

/** Container of a dataset; a directory of tables names the container that its tables were read from. */
export type DatasetContainer = ContainerKind | "parquet" | "arrow" | "tsv" | "flight";

/** `T` is the form of the tables: Arrow tables for users, within the library also stored tables without Arrow. */
export interface Dataset<T = DataTable> {
  readonly format: Format;
  /**
   * The format's version as the file states it, or the range of versions that write this layout; `""` where unknown.
   */
  readonly version: string;
  readonly container: DatasetContainer;
  /** [observations, variables]; null where the format has no such shape. */
  readonly shape: readonly [number, number] | null;
  /** Path, URL or name of the opened input. */
  readonly source: string;
  readonly tables: ReadonlyMap<string, T>;
  /** Elements that cannot be read, with the reason; they do not hide the others. */
  readonly failures: ReadonlyMap<string, AnnarrowError>;
  /** Warnings: facts about the file that a user should know, though no value is wrong. */
  readonly warnings: readonly string[];
  /**
   * The table `name`.
   * @throws {NotFoundError} naming the nearest names, or the element's own error where it could not be read.
   */
  table(name: string): T;
  /** Closes the input. */
  close(): Promise<void>;
}

export type Progress = {
  readonly element: string;
  readonly done: number;
  readonly total: number | null;
  readonly unit: "rows" | "bytes";
};
