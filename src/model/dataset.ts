/// <reference lib="esnext.disposable" preserve="true" />
/** The result of `open`: a dataset, which is a set of named tables (docs/mapping.md, section 1). */

import type { Table as ArrowTable, RecordBatch, Schema } from "apache-arrow";
import type { AnnarrowError } from "./errors.js";
import type { OtherContainers } from "./formats/extend.js";
import type { Format } from "./formats/registry.js";
import type { AxisSelector, Selection } from "./selection.js";
import type { NumberArray } from "./stored.js";
import type { ElementMetadata } from "./table-metadata.js";

export type { Format } from "./formats/registry.js";
export type { TableMetadata } from "./table-metadata.js";

/** The layout of a matrix as a table: see docs/mapping.md, "Layout options". */
export type Layout = "coordinate" | "list" | "dense" | "columns";

export interface BatchOptions {
  /** Table rows [start, end); all by default. */
  readonly rows?: readonly [start: number, end: number];
  /** Names of the columns to read, in this order; all by default. Other columns are not read. */
  readonly columns?: readonly string[];
  /**
   * Reads only the entries at these positions of a matrix, or the rows at these positions of a table along an axis
   * (`row` for observations, `col` for variables), in stored order. Positions are selected by numbers, names, a mask, a
   * range or a condition, as in `select`. In coordinates and lists of entries, positions still refer to the whole
   * matrix. In the layouts `dense` and `columns`, batches contain only the selected columns. Selecting along the
   * compressed axis (the rows of a CSR matrix) reads only the selected entries. Selecting along the other axis scans
   * all indices.
   * @example
   * ```ts
   * const entries = await data.table("X").read({ where: { row: sql`cell_type = 'B cell'`, col: ["CD3E", "MS4A1"] } });
   * ```
   */
  readonly where?: {
    readonly row?: AxisSelector | Iterable<number>;
    readonly col?: AxisSelector | Iterable<number>;
  };
  /**
   * Reads only these fragments of a fragments table, in stored order. Selecting chromosomes and ranges reads only their
   * fragments.
   */
  readonly fragments?: FragmentSelection;
  /** Maximum size of a batch in bytes, estimated from the schema; at most 16 MiB by default. */
  readonly batchBytes?: number;
  /**
   * Allows the memory of a batch to be reused or detached once the next batch is requested, if this makes reading
   * faster. By default it is false, so batches stay valid.
   */
  readonly reuse?: boolean;
  readonly signal?: AbortSignal;
}

/** Conditions on fragments, all of which must hold. */
export interface FragmentSelection {
  /** Names of chromosomes. */
  readonly chr?: Iterable<string>;
  /** Range of bases that the fragments overlap, 0-based and half-open. */
  readonly range?: readonly [start: number, end: number];
  /** Names of cells. Selecting by cell scans all cells of the selected chromosomes. */
  readonly cell?: Iterable<string>;
}

/** One stored element as an Arrow table. No data is read before `batches` is iterated. */
export interface DataTable {
  readonly name: string;
  readonly schema: Schema;
  /** Number of rows; null if only a scan can determine it (a dense matrix in coordinate layout). */
  readonly rows: number | null;
  /** Details that Arrow cannot express. They depend on the element's kind (docs/mapping.md, section 9). */
  readonly metadata: ElementMetadata;
  /** True for the table that lists the nodes of a mapping such as `uns`. */
  readonly derived: boolean;
  /** The dataset's axis that the rows correspond to, named like the positions in coordinate tables. */
  readonly axis: "row" | "col" | null;
  /** Layouts that `layout` accepts, the current layout first; empty if the element has only one layout. */
  readonly layouts: readonly Layout[];
  /**
   * Returns the element as a table in another layout (docs/mapping.md, "Layout options").
   * @example
   * ```ts
   * const lists = await data.table("X").layout("list"); // a row for each observation: its non-zero entries
   * ```
   * @throws {InvalidInputError} if the element has no such layout.
   */
  layout(layout: Layout): Promise<DataTable>;
  /**
   * Yields the rows as record batches, always at least one. Every call starts at the first row. All batches share the
   * same dictionaries.
   * @example
   * ```ts
   * for await (const batch of data.table("X").batches({ rows: [0, 1000] })) console.log(batch.numRows);
   * ```
   * @throws {InvalidInputError} for rows outside the table, and for options that the table does not support.
   * @throws {NotFoundError} for column names that the table does not have.
   * @throws {InvalidDataError} if stored values are corrupt.
   */
  batches(options?: BatchOptions): AsyncIterable<RecordBatch>;
  /**
   * Reads the rows as one Arrow table in memory.
   * @throws {UnsupportedError} if the table exceeds 2 GiB. It also throws the errors of `batches`.
   */
  read(options?: BatchOptions): Promise<ArrowTable>;
}

export type ContainerKind = "hdf5" | "zarr2" | "zarr3" | "directory" | (keyof OtherContainers & string);

/** Container of a dataset. For a directory of tables, this is the container from which its tables were read. */
export type DatasetContainer = ContainerKind | "parquet" | "arrow" | "tsv" | "flight";

/**
 * A set of named tables with their properties. `T` is the type of the tables. Users get Arrow tables; the library also
 * uses stored tables without Arrow.
 */
export interface TableSet<T = DataTable> {
  readonly format: Format;
  /** The format's version as stored in the file, or the range of versions that write this layout; `""` if unknown. */
  readonly version: string;
  readonly container: DatasetContainer;
  /** [observations, variables]; null if the format has no such shape. */
  readonly shape: readonly [number, number] | null;
  /** Path, URL or name of the opened input. */
  readonly source: string;
  readonly tables: ReadonlyMap<string, T>;
  /** Elements that cannot be read, with the reason. Other elements remain available. */
  readonly failures: ReadonlyMap<string, AnnarrowError>;
  /** Warnings about the file that a user should know, although no value is wrong. */
  readonly warnings: readonly string[];
  /**
   * Returns the table `name`.
   * @throws {NotFoundError} listing similar names, or the element's own error if it could not be read.
   */
  table(name: string): T;
  /** Closes the input. */
  close(): Promise<void>;
}

/** Where `gene` and `cells` find the values. */
export interface VectorOptions {
  /** Name of a layer, such as `counts`; the main matrix by default. */
  readonly layer?: string;
  /** Column of `obs` or `var` that contains the names, such as `feature_name`; the index by default. */
  readonly names?: string;
  readonly signal?: AbortSignal;
}

/** An opened dataset, or a part of a dataset. */
export interface Dataset extends TableSet, AsyncDisposable {
  /**
   * Selects some observations and variables of the dataset, in the given order. Every element along a selected axis is
   * reduced accordingly; `uns` stays unchanged. This reads only names, the columns of conditions and the pointers of
   * sparse matrices. The result reads from this dataset, which must stay open.
   * @example
   * ```ts
   * const part = await data.select({ obs: sql`cell_type = 'B cell'`, var: ["CD3E", "MS4A1"] });
   * ```
   * @throws {NotFoundError} for names that an axis does not have.
   * @throws {InvalidInputError} for positions outside an axis, for a mask of the wrong length, and for an invalid
   * condition.
   */
  select(selection: Selection): Promise<Dataset>;
  /**
   * Returns the values of a gene over all cells, or a map from name to values for several genes. From a sparse matrix,
   * only the gene's entries are read. If the matrix is stored by cells, all indices are also read once.
   * @returns an array of the type of the matrix's values (float16 as Float32, bool as bytes), with one value per cell.
   * @example
   * ```ts
   * const cd3e = await data.gene("CD3E", { layer: "counts" });
   * // TypeScript calls no method of an array of one of several types: as numbers, it has all of them.
   * const sum = Array.from(cd3e, Number).reduce((one, other) => one + other, 0);
   * ```
   * @throws {NotFoundError} for a gene, a layer or a column that does not exist.
   */
  gene(name: string, options?: VectorOptions): Promise<NumberArray>;
  gene(names: readonly string[], options?: VectorOptions): Promise<ReadonlyMap<string, NumberArray>>;
  /** Returns the values of a cell over all genes, or of several cells selected by name, like `gene`. */
  cells(name: string, options?: VectorOptions): Promise<NumberArray>;
  cells(names: readonly string[], options?: VectorOptions): Promise<ReadonlyMap<string, NumberArray>>;
  /** Returns the names of the observations; null if they are identified only by position. */
  obsNames(options?: { readonly signal?: AbortSignal }): Promise<readonly string[] | null>;
  /** Returns the names of the variables; null if they are identified only by position. */
  varNames(options?: { readonly signal?: AbortSignal }): Promise<readonly string[] | null>;
}

export type Progress = {
  readonly element: string;
  readonly done: number;
  readonly total: number | null;
  readonly unit: "rows" | "bytes";
};
