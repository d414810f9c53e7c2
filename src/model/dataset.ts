/// <reference lib="esnext.disposable" preserve="true" />
/** The result of `open`: a dataset, which is a set of named tables (docs/mapping.md, section 1). */

import type { Table as ArrowTable, RecordBatch, Schema } from "apache-arrow";
import type { AnnarrowError } from "./errors.js";
import type { Format } from "./formats/registry.js";
import type { AxisSelector, Selection } from "./selection.js";
import type { NumberArray } from "./stored.js";
import type { ElementMetadata } from "./table-metadata.js";

export type { Format } from "./formats/registry.js";
export type { TableMetadata } from "./table-metadata.js";

/** How a matrix becomes a table: see docs/mapping.md, "Layout options". */
export type Layout = "coordinate" | "list" | "dense" | "columns";

export interface BatchOptions {
  /** Table rows [start, end); all by default. */
  readonly rows?: readonly [start: number, end: number];
  /** Names of the columns to read, in this order; all by default. Other columns are not read. */
  readonly columns?: readonly string[];
  /**
   * Reads only the entries at these positions of a matrix, or the rows at these positions of a table along an axis
   * (`row` for observations, `col` for variables), in stored order. Positions are chosen by numbers, by names, by a mask,
   * a range or a condition, as in `select`. The positions in coordinates and lists of entries stay the ones of the whole
   * matrix; in the layouts `dense` and `columns` batches have only the chosen columns. Positions along the compressed axis
   * (rows of a CSR matrix) cost only their own entries, positions of the other axis a pass over all indices.
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
  /** Details that Arrow cannot express, by the kind of the element (docs/mapping.md, section 9). */
  readonly metadata: ElementMetadata;
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

/**
 * A set of named tables with their properties. `T` is the form of the tables: Arrow tables for users, within the library
 * also stored tables without Arrow.
 */
export interface TableSet<T = DataTable> {
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

/** Where `gene` and `cells` read. */
export interface VectorOptions {
  /** Name of a layer, as `counts`; the main matrix by default. */
  readonly layer?: string;
  /** Column of `obs` or `var` that holds the names, as `feature_name`; the index by default. */
  readonly names?: string;
  readonly signal?: AbortSignal;
}

/** An opened dataset, or a part of one. */
export interface Dataset extends TableSet, AsyncDisposable {
  /**
   * The part of the dataset that has some observations and variables, in the order in which they are chosen. Every
   * element along a chosen axis follows; `uns` stays. Nothing but names, the columns of conditions and the pointers of
   * sparse matrices is read: the part reads from this dataset, which must stay open.
   * @example
   * ```ts
   * const part = await data.select({ obs: sql`cell_type = 'B cell'`, var: ["CD3E", "MS4A1"] });
   * ```
   * @throws {NotFoundError} for names that an axis does not have.
   * @throws {InvalidInputError} for positions outside an axis, for a mask of another length, and for a condition with an
   * error.
   */
  select(selection: Selection): Promise<Dataset>;
  /**
   * The values of a gene over all cells, or of several genes by their names: of a sparse matrix only their entries are
   * read, of a matrix that is stored by cells its indices once.
   * @returns an array of the type of the matrix' values (float16 as Float32, bool as bytes), as long as there are cells.
   * @example
   * ```ts
   * const cd3e = await data.gene("CD3E", { layer: "counts" });
   * // TypeScript calls no method of an array of one of several types: as numbers, it has all of them.
   * const sum = Array.from(cd3e, Number).reduce((one, other) => one + other, 0);
   * ```
   * @throws {NotFoundError} for a gene, a layer or a column that is not there.
   */
  gene(name: string, options?: VectorOptions): Promise<NumberArray>;
  gene(names: readonly string[], options?: VectorOptions): Promise<ReadonlyMap<string, NumberArray>>;
  /** The values of a cell over all genes, or of several cells by their names, as `gene`. */
  cells(name: string, options?: VectorOptions): Promise<NumberArray>;
  cells(names: readonly string[], options?: VectorOptions): Promise<ReadonlyMap<string, NumberArray>>;
  /** The names of the observations; null where they have only positions. */
  obsNames(options?: { readonly signal?: AbortSignal }): Promise<readonly string[] | null>;
  /** The names of the variables; null where they have only positions. */
  varNames(options?: { readonly signal?: AbortSignal }): Promise<readonly string[] | null>;
}

export type Progress = {
  readonly element: string;
  readonly done: number;
  readonly total: number | null;
  readonly unit: "rows" | "bytes";
};
