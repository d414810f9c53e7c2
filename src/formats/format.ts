/** The module of a format: how the format is recognised, read, written, and converted to and from AnnData's names. */

import type { Container, Group } from "../containers/tree/container.js";
import type { ChunkEncoder } from "../containers/tree/container-writer.js";
import type { ConvertedTables } from "../conversion/converted-tables.js";
import type { FormatConversion } from "../conversion/view/format-conversion.js";
import type { Format, Progress } from "../model/dataset.js";
import type { ReadPlans } from "../readers/reader.js";
import type { ReadOptions } from "../sources/source.js";
import type { ContainerTarget } from "../targets/target.js";
import type { CompressionOptions } from "./compression.js";

/**
 * Steps by which a file is recognised, the surest and cheapest first: its container, the encoding that the root names, the
 * names at the root, the contents of the first objects, a search of the whole file, and a guess for any other file.
 */
export const LOOKS = ["container", "encoding", "names", "contents", "search", "rest"] as const;
export type Look = (typeof LOOKS)[number];

/** A file whose format is to be recognised. */
export interface Candidate {
  readonly root: Group;
  /** Lists the names of the root's children, once; a folder on the web cannot list them. */
  readonly keys: () => Promise<readonly string[]>;
  readonly container: Container;
  readonly options: ReadOptions;
}

export type Recognised = Readonly<Partial<Record<Look, (candidate: Candidate) => boolean | Promise<boolean>>>>;

/** An option that not every format has. */
export interface OptionRule {
  /** Description of the option for errors, with its flag of the command line. */
  readonly called: string;
  /** Allowed values; any value of the option's type where absent. */
  readonly values?: readonly unknown[];
  /** Stores of the format that have the option; all where absent. */
  readonly stores?: RegExp;
}

/** Options of a format, with the `order` of any format: `checkStoreOptions` has refused another format's before. */
export type AnyOrder<Options> = Omit<Options, "order"> & { readonly order?: "csr" | "csc" | "row" | "column" };

export interface FormatModule<Options> {
  readonly name: Format;
  readonly recognised: Recognised;
  readonly reader: () => Promise<ReadPlans>;
  readonly conversion: () => Promise<FormatConversion>;
  /** Options that not every format has. */
  readonly options: Readonly<Record<keyof Options, OptionRule>>;
  /** null for a format that is only read. */
  readonly writer: StoreWriter<Options> | null;
}

/** The target that a format's writer fills, and the encoder of its chunks. The caller commits the target. */
export interface StorePlace {
  /** End of the store's name: `h5ad`, `zarr.zip`. */
  readonly store: string;
  readonly target: ContainerTarget;
  readonly encoder: ChunkEncoder;
}

/** Writes tables of the format. */
export type StoreWriter<Options> = (
  place: StorePlace,
  tables: ConvertedTables,
  options: CommonStoreOptions & Options,
) => Promise<WriteResult>;

/** How a store is written, whatever its format. */
export interface CommonStoreOptions extends CompressionOptions {
  /** The table that becomes the matrix of another format: `layers/counts`; `X` by default, or the only one. */
  readonly matrix?: string;
  /** Allow losses: an element that the store has no form for is written in another form, or left out, with a warning. */
  readonly lossy?: boolean;
  /** [rows, columns] of the given matrix, where the tables do not tell: of `X`, [observations, variables]. */
  readonly shape?: readonly [number, number];
  /** The column that is the index, by the names of dataframes: `{ obs: "barcode" }`. */
  readonly index?: Readonly<Record<string, string>>;
  /** Loom, from or to: the attribute that holds the names of the cells; `CellID` by default, where it is there. */
  readonly obsNames?: string;
  /** Loom, from or to: the attribute that holds the names of the genes; `Gene` by default, where it is there. */
  readonly varNames?: string;
  /** From MATLAB: variables, or fields (`s/field`), by the elements that they become: `{ X: "counts", obs: "cells" }`. */
  readonly elements?: Readonly<Record<string, string>>;
  /** Memory in bytes for entries or fragments that are sorted before they are written; 96 MiB by default. */
  readonly sortBytes?: number;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

export interface WriteResult {
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  readonly warnings: readonly string[];
}
