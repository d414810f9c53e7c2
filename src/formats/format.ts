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
 * Steps by which the format of a file is detected, the surest and cheapest first: its container, the encoding that the root names, the
 * names at the root, the contents of the first objects, a search of the whole file, and a guess for any other file.
 */
export const DETECT_STEPS = ["container", "encoding", "names", "contents", "search", "rest"] as const;
export type DetectStep = (typeof DETECT_STEPS)[number];

/** A file whose format is to be detected. */
export interface Candidate {
  readonly root: Group;
  /** Lists the names of the root's children, once; a folder on the web cannot list them. */
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
  /** The names of its tables in AnnData, and back, and what it has no place for; the names of AnnData where absent. */
  readonly elements?: () => Promise<FormatConversion>;
  /** null for a format that is only read. */
  readonly write: StoreWriter<OptionValues<Options>> | null;
}

/** A format whose options are checked when it writes. */
export interface FormatModule extends FormatDefinition<OptionTable> {
  readonly elements: () => Promise<FormatConversion>;
  readonly write: StoreWriter<AnyFormatOptions> | null;
}

/**
 * Defines a format. Its reader, its writer and its conversion load their code when they are called, so that all formats
 * can be asked whether a file is theirs.
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

/** The conversion of a format whose tables have the names of AnnData. */
async function namedAsAnnData(title: string): Promise<FormatConversion> {
  const { anndata } = await import("./conversion/anndata.js");
  // Tables of no format with such names are AnnData's.
  return { ...anndata, title, isOwnName: () => false };
}

/** The target that a format's writer fills, and the encoder of its chunks. The caller commits the target. */
export interface StoreDestination {
  /** End of the store's name: `h5ad`, `zarr.zip`. */
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

/** How a store is written, whatever its format. */
export interface CommonStoreOptions extends CompressionOptions, SourceOptions {
  /** The table that becomes the matrix of another format: `layers/counts`; `X` by default, or the only one. */
  readonly matrix?: string;
  /** Allow losses: an element that the store has no form for is written in another form, or left out, with a warning. */
  readonly lossy?: boolean;
  /** [rows, columns] of the given matrix, if the tables do not determine it: of `X`, [observations, variables]. */
  readonly shape?: readonly [number, number];
  /** The column that is the index, by the names of dataframes: `{ obs: "barcode" }`. */
  readonly index?: Readonly<Record<string, string>>;
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
