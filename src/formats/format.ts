/** The module of a format: how the format is detected, read, written, and converted to and from AnnData's names. */

import type { Container, Group } from "../containers/tree/container.js";
import type { ChunkEncoder } from "../containers/tree/container-writer.js";
import type { ReadOptions } from "../io/sources/source.js";
import type { ContainerTarget } from "../io/targets/target.js";
import type { Progress } from "../model/dataset.js";
import { areOptionValues, type OptionTable, type OptionValues } from "../model/formats/option-table.js";
import type { AnyFormatOptions, RegisteredFormat, SourceOptions } from "../model/formats/registry.js";
import type { ReadPlans } from "../readers/reader.js";
import type { CompressionOptions } from "./compression.js";
import type { ConvertedTables } from "./conversion/converted-tables.js";
import type { FormatConversion } from "./conversion/view/format-conversion.js";

/**
 * Steps in which a file's format is detected, with the most reliable and cheapest first: by its container, by the
 * encoding that the root declares, by the names at the root, by the contents of the first objects, by a search of the
 * whole file, and by a guess for any other file.
 */
export const DETECT_STEPS = ["container", "encoding", "names", "contents", "search", "rest"] as const;
export type DetectStep = (typeof DETECT_STEPS)[number];

/** A file whose format is to be detected. */
export interface Candidate {
  readonly root: Group;
  /** Returns the names of the root's children, which are listed only once. A folder on the web cannot list them. */
  readonly keys: () => Promise<readonly string[]>;
  readonly container: Container;
  readonly options: ReadOptions;
}

export type Detect = Readonly<Partial<Record<DetectStep, (candidate: Candidate) => boolean | Promise<boolean>>>>;

/** A format: its description, and how its files are detected, read and written. */
export interface FormatDefinition<Options extends OptionTable> extends RegisteredFormat {
  readonly options: Options;
  readonly detect: Detect;
  readonly read: ReadPlans;
  /**
   * Converts the names of the format's tables to AnnData's names and back, and knows the elements that the format
   * cannot store. If absent, the format uses AnnData's names.
   */
  readonly elements?: () => Promise<FormatConversion>;
  /** Null for a format that can only be read. */
  readonly write: StoreWriter<OptionValues<Options>> | null;
}

/** A format whose options are checked when it writes. */
export interface FormatModule extends FormatDefinition<OptionTable> {
  readonly elements: () => Promise<FormatConversion>;
  readonly write: StoreWriter<AnyFormatOptions> | null;
}

/**
 * Defines a format. The code of its reader, writer and conversion is loaded when they are called, so that all formats
 * can be checked for a match with a file.
 */
export function defineFormat<const Options extends OptionTable>(format: FormatDefinition<Options>): FormatModule {
  const { write, options: table, name, title, elements = () => namedAsAnnData(title) } = format;
  if (write === null) return { ...format, elements, write };
  return {
    ...format,
    elements,
    write: (place, tables, options) => {
      if (!areOptionValues(options, table)) throw new TypeError(`options of ${name} that were not checked`);
      return write(place, tables, options);
    },
  };
}

/** The conversion for a format whose tables have AnnData's names. */
async function namedAsAnnData(title: string): Promise<FormatConversion> {
  const { anndata } = await import("./conversion/anndata.js");
  // Tables with such names that have no declared format belong to AnnData.
  return { ...anndata, title, isOwnName: () => false };
}

/** The target that a format's writer fills, and the encoder for its chunks. The caller commits the target. */
export interface StoreDestination {
  /** Ending of the store's name: `h5ad`, `zarr.zip`. */
  readonly store: string;
  readonly target: ContainerTarget;
  readonly encoder: ChunkEncoder;
}

/** Writes tables of the format. */
export type StoreWriter<Options> = (
  place: StoreDestination,
  tables: ConvertedTables,
  options: CommonStoreOptions & Options,
) => Promise<WriteResult>;

/** Options for writing a store, whatever its format. */
export interface CommonStoreOptions extends CompressionOptions, SourceOptions {
  /** The table that becomes the matrix in another format: `layers/counts`; by default `X`, or the only matrix. */
  readonly matrix?: string;
  /**
   * Allow losses: an element that the store cannot represent is converted to another form, or omitted, with a warning.
   */
  readonly lossy?: boolean;
  /** [rows, columns] of the given matrix, if the tables do not determine it; [observations, variables] for `X`. */
  readonly shape?: readonly [number, number];
  /** The index column of each dataframe, by the dataframe's name: `{ obs: "barcode" }`. */
  readonly index?: Readonly<Record<string, string>>;
  /**
   * From MATLAB: the variables, or fields (`s/field`), by the names of the elements that they become: `{ X: "counts",
   * obs: "cells" }`.
   */
  readonly elements?: Readonly<Record<string, string>>;
  /** Memory in bytes for sorting entries or fragments before they are written; 96 MiB by default. */
  readonly sortBytes?: number;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

export interface WriteResult {
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  readonly warnings: readonly string[];
}
