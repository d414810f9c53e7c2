/** Code shared by the writers of all formats: a write's options, context and result, and losses. */

import type { GroupWriter, WrittenAttributes } from "../containers/tree/container-writer.js";
import type { Spill } from "../jobs/external-sort/spill.js";
import type { Progress } from "../model/dataset.js";
import { UnsupportedElementError } from "../model/errors.js";
import type { ColumnTable } from "../tables/column-table.js";
import type { EntriesContext } from "../tables/sparse/sparse-entries.js";

export interface WriterOptions {
  /**
   * Whether values and elements without an equivalent in the format are written in another form, or left out, with a
   * warning instead of an error.
   */
  readonly lossy?: boolean;
  /** Storage for a sort that does not fit into memory. */
  readonly spill?: Spill | null;
  /** Memory for a sort. */
  readonly budgetBytes?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** Whether a writer may lose data, and the callback for its warnings. */
export interface LossyContext {
  readonly lossy: boolean;
  readonly warn: (message: string) => void;
}

export interface WriterContext extends EntriesContext, LossyContext {}

export interface WrittenTables {
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  readonly warnings: readonly string[];
}

/** Makes the context for a write. @param warnings collects the write's warnings. */
export function createWriterContext(options: WriterOptions, warnings: string[]): WriterContext {
  const { lossy = false, spill = null, budgetBytes, signal, onProgress } = options;
  return {
    ...{ lossy, spill, signal },
    budgetBytes,
    warn: (message) => warnings.push(message),
    progress: (element, done, total) => onProgress?.({ element, done, total, unit: "rows" }),
  };
}

/** A value or element that a format cannot represent. */
export interface UnsupportedValue {
  readonly problem: string;
  /** The value or element that is written instead. */
  readonly instead: string;
  /** Advice to the caller on avoiding the loss. */
  readonly remedy: string;
}

/**
 * Warns about a loss.
 * @throws {InvalidInputError} unless losses are allowed; the message names the remedy.
 */
export function reportLoss(cx: LossyContext, element: string, { problem, instead, remedy }: UnsupportedValue): void {
  if (!cx.lossy)
    throw new UnsupportedElementError(`${problem}; ${remedy}, or allow losses (--lossy): then ${instead}`, { element });
  cx.warn(`${element}: ${problem}; ${instead}`);
}

/** Root of an AnnData, or of another format that contains AnnData elements. */
export interface WrittenRootLayout {
  readonly attributes: WrittenAttributes;
  /**
   * Mappings that are written even if they are empty, except those missing from the original file (see `absent` in the
   * metadata of `obs`).
   */
  readonly mappings: readonly string[];
  /** Whether obs and var are required. If there are no tables for them, their rows are named by position. */
  readonly needsFrames: boolean;
}

/** Writes tables as the elements below a group. */
export type WriteRoot = (
  root: GroupWriter,
  tables: ReadonlyMap<string, ColumnTable>,
  layout: WrittenRootLayout,
) => Promise<WrittenTables>;
