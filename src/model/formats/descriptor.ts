/**
 * The description of a format, which is known before its module is loaded: names, endings of files, properties of tables.
 * All lists of formats derive from these descriptions, so that a new format is known everywhere at once.
 */

import type { OptionTable } from "./option-table.js";

/** Codecs that every HDF5 library, and gzip alone, can decode. */
export const GZIP_OR_NONE = ["gzip", "none"] as const;

/** A store that is written: a file, a directory of files, or a zip with the files of such a directory. */
export interface StoreDescriptor {
  readonly kind: "file" | "directory" | "zip";
  /** Values of the option `compression`. */
  readonly compressions: readonly string[];
  /** Shorter value of the option `format`, which several stores of one format may share: `seurat` of `seurat.rds`. */
  readonly short?: string;
  /** Endings that stores of several formats share, such as `rds`: the name alone does not determine the store. */
  readonly shared?: readonly string[];
  /** Whether other stores of the shared ends are likelier, and named before this one. */
  readonly rare?: boolean;
  /** What the store is for, where the format's name does not say it. */
  readonly purpose?: string;
}

/** Words for the rows and the columns of a format's matrices. */
export type AxisWords = readonly [rows: string, columns: string];

export interface FormatDescriptor {
  /** The value of `dataset.format`. */
  readonly name: string;
  /** The name for people. */
  readonly title: string;
  /**
   * The name of the format before which a registered format is listed, and asked whether a file is its own. Where absent,
   * it is listed last and asked first.
   */
  readonly before?: string;
  /** The program whose files these are, where people know it better than the format. */
  readonly program?: string;
  /** The page of the documentation, without its ending; the format's name where absent. */
  readonly page?: string;
  /** What `inspect` calls the content; the title where absent. */
  readonly content?: string;
  /** What `inspect` calls the content of a dataset that has no version; as `content` where absent. */
  readonly contentWithoutVersion?: string;
  /** The stores that are written, by the ends of their names: `h5ad`, `zarr.zip`. */
  readonly stores: Readonly<Record<string, StoreDescriptor>>;
  /** Options that not every format has. */
  readonly options: OptionTable;
  /** Ends of names of other files that are read: `rdata`. */
  readonly endings?: readonly string[];
  /** Whether a file of such a name is damaged where this format is not found in it: other formats have other names. */
  readonly isPromised?: boolean;
  /** What rows and columns of a matrix are; null where the format may hold any matrix. */
  readonly axes: AxisWords | null;
  /**
   * The names of the tables: AnnData's, the format's own (default), or any names, from which no format can be detected.
   */
  readonly tableNames?: "anndata" | "own" | "any";
  /** Whether datasets may consist of modalities below `mod/`, or always do. */
  readonly modalities?: "may" | "always";
  /** True if a dataset always has dataframes of both axes, even if no table uses an axis. */
  readonly hasBothFrames?: boolean;
  /** What the version of a dataset is a version of, where it is not the format's: the encoding of a file. */
  readonly versionOf?: "encoding";
}

/** The words for matrices with cells as rows. */
export const CELLS_BY_GENES: AxisWords = ["cells", "genes"];

/** The words for matrices with genes as rows. */
export const GENES_BY_CELLS: AxisWords = ["genes", "cells"];

/** Describes a format, with all names as literal types. */
export function describeFormat<const D extends FormatDescriptor>(descriptor: D): D {
  return descriptor;
}
