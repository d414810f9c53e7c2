/**
 * The description of a format, which is known before its module is loaded: names, file extensions, and properties of
 * tables. All lists of formats are derived from these descriptions, so a new format is known everywhere at once.
 */

import type { OptionTable } from "./option-table.js";

/** Codecs that every HDF5 library can decode: gzip, or no compression. */
export const GZIP_OR_NONE = ["gzip", "none"] as const;

/**
 * A store that can be written: a file, a directory of files, or a zip archive that contains the files of such a
 * directory.
 */
export interface StoreDescriptor {
  readonly kind: "file" | "directory" | "zip";
  /** Values of the option `compression`. */
  readonly compressions: readonly string[];
  /** Shorter value of the option `format`, which several stores of one format may share: `seurat` for `seurat.rds`. */
  readonly short?: string;
  /**
   * File extensions that stores of several formats share, such as `rds`. With them, the name alone does not determine
   * the store.
   */
  readonly shared?: readonly string[];
  /** Whether other stores with the same shared extensions are more likely, and therefore listed before this one. */
  readonly rare?: boolean;
  /** The purpose of the store, if the format's name does not make it clear. */
  readonly purpose?: string;
}

/** Words for what the rows and the columns of a format's matrices represent. */
export type AxisWords = readonly [rows: string, columns: string];

export interface FormatDescriptor {
  /** The value of `dataset.format`. */
  readonly name: string;
  /** The name for people. */
  readonly title: string;
  /**
   * The name of the format before which a registered format is listed, and tried during detection. If absent, the
   * format is listed last and tried first.
   */
  readonly before?: string;
  /** The program that writes these files, if it is better known than the format. */
  readonly program?: string;
  /** The documentation page, without its extension; the format's name if absent. */
  readonly page?: string;
  /** The description of the content in the output of `inspect`; the title if absent. */
  readonly content?: string;
  /** The description of the content in the output of `inspect` for datasets without a version; `content` if absent. */
  readonly contentWithoutVersion?: string;
  /** The stores that can be written, keyed by the extensions of their names: `h5ad`, `zarr.zip`. */
  readonly stores: Readonly<Record<string, StoreDescriptor>>;
  /** Options that not every format has. */
  readonly options: OptionTable;
  /** Extensions of other files that can be read: `rdata`. */
  readonly endings?: readonly string[];
  /**
   * Whether a file with such an extension is damaged if it is not in this format, because no other format uses the
   * extension.
   */
  readonly isPromised?: boolean;
  /** Words for the rows and columns of a matrix; null if the format can hold any matrix. */
  readonly axes: AxisWords | null;
  /**
   * The kind of table names: those of AnnData, the format's own (default), or any names. Any names do not allow the
   * format to be detected.
   */
  readonly tableNames?: "anndata" | "own" | "any";
  /** Whether datasets may consist of modalities below `mod/`, or always do so. */
  readonly modalities?: "may" | "always";
  /** True if a dataset always has dataframes of both axes, even if no table uses an axis. */
  readonly hasBothFrames?: boolean;
  /** What the version of a dataset refers to, if not to the format: the encoding of a file. */
  readonly versionOf?: "encoding";
}

/** The words for matrices with cells as rows. */
export const CELLS_BY_GENES: AxisWords = ["cells", "genes"];

/** The words for matrices with genes as rows. */
export const GENES_BY_CELLS: AxisWords = ["genes", "cells"];

/** Describes a format and keeps all names as literal types. */
export function describeFormat<const D extends FormatDescriptor>(descriptor: D): D {
  return descriptor;
}
