/** The options of a union. */

import type { OpenOptions } from "annarrow";
import { OPEN_OPTIONS } from "annarrow/core/api";
import { ACCESS_OPTIONS } from "annarrow/core/io";
import type { NamesOf } from "annarrow/core/model";
import type { MatrixOrder } from "./plan-document.js";

/** Elements that a union reads from its inputs. */
export interface UnionElements {
  /** Element that becomes X: `X` (default), `layers/counts` or `raw/X`. */
  readonly X?: string;
  /** Names of the layers to include; all by default. */
  readonly layers?: readonly string[];
  /** Names of the obsm arrays to include; none by default. */
  readonly obsm?: readonly string[];
}

/** Access options for the object store of a union. */
export type UnionAccess = Pick<OpenOptions, "http" | "cloud" | "signal">;

/** Progress of a union. */
export interface UnionProgress {
  readonly element: string;
  readonly done: number;
  readonly total: number | null;
  readonly unit: "files" | "tasks";
}

export interface UnionOptions extends Omit<OpenOptions, "companion"> {
  /** Elements to include. If inputs are added to a union, the default is the existing union's elements. */
  readonly elements?: UnionElements;
  /** Sort order of entries in X and layers: by row and column (`csr`, default), or by column and row (`csc`). */
  readonly order?: MatrixOrder;
  /** Column of var that identifies features, such as `gene_id`; the index by default. */
  readonly varKey?: string;
  /** Modality to read from MuData inputs. Datasets of other formats are read whole. */
  readonly modality?: string;
  /** Names of the datasets. The default is the file name, or the path if two inputs have the same file name. */
  readonly ids?: readonly string[];
  /** Number of tasks. The default is one task per 64 M entries. */
  readonly tasks?: number;
  /** Whether to leave out inputs that cannot be read; false by default. */
  readonly skipBroken?: boolean;
  readonly onProgress?: (progress: UnionProgress) => void;
}

/** Returns the options for the union's own files. Inputs may have further options, such as `path`. */
export function getUnionAccess({ http, cloud, signal }: UnionAccess): UnionAccess {
  return { http, cloud, signal };
}

export interface CommitOptions extends Omit<OpenOptions, "companion"> {
  /**
   * Whether to read all inputs and all files once more before the commit, and compare checksums, rows, the order of
   * entries and the sums of matrices; false by default.
   */
  readonly verify?: boolean;
}

const ELEMENTS = { X: true, layers: true, obsm: true } as const satisfies NamesOf<UnionElements>;

export const UNION_ACCESS_OPTIONS: NamesOf<UnionAccess> = { ...ACCESS_OPTIONS, signal: true };

/** The names of the options for `planUnion` and `runUnionTask`. */
export const UNION_OPTIONS: NamesOf<UnionOptions> = {
  ...OPEN_OPTIONS,
  ...{ elements: ELEMENTS, order: true, varKey: true, modality: true, ids: true, tasks: true },
  ...{ skipBroken: true, onProgress: true },
};

export const COMMIT_OPTIONS: NamesOf<CommitOptions> = { ...OPEN_OPTIONS, verify: true };
