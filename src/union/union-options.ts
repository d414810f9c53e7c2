/** The options of a union. */

import { OPEN_OPTIONS, type OpenOptions } from "../api/open.js";
import type { NamesOf } from "../model/option-names.js";
import type { MatrixOrder } from "./plan-document.js";

/** What a union takes of its inputs. */
export interface UnionElements {
  /** Element that becomes X: `X` by default, `layers/counts`, `raw/X`. */
  readonly X?: string;
  /** Names of the layers that are taken; all by default. */
  readonly layers?: readonly string[];
  /** Names of arrays in obsm that are taken; none by default. */
  readonly obsm?: readonly string[];
}

/** How object stores are reached in which a union lies. */
export type UnionAccess = Pick<OpenOptions, "http" | "cloud" | "signal">;

/** How far a union has come. */
export interface UnionProgress {
  readonly element: string;
  readonly done: number;
  readonly total: number | null;
  readonly unit: "files" | "tasks";
}

/** The options of `union` and `planUnion`. */
export interface UnionOptions extends Omit<OpenOptions, "companion"> {
  /** What is taken; of the inputs of an addition by default what the union was made of. */
  readonly elements?: UnionElements;
  /** How the entries of X and layers are sorted: by row and column (`csr`, the default), or by column and row (`csc`). */
  readonly order?: MatrixOrder;
  /** Column of var that tells features apart, such as `gene_id`; the index by default. */
  readonly varKey?: string;
  /** The modality that is taken of each MuData; datasets of other formats are taken as they are. */
  readonly modality?: string;
  /** Names of the datasets. By default each has the name of its file, or its path where two files have one name. */
  readonly ids?: readonly string[];
  /** Number of tasks; by default one for 64 M entries. */
  readonly tasks?: number;
  /** Leaves out inputs that cannot be read; false by default. */
  readonly skipBroken?: boolean;
  readonly onProgress?: (progress: UnionProgress) => void;
}

/** The options of a union's own files: inputs may have more, such as `path`. */
export function accessOf({ http, cloud, signal }: UnionAccess): UnionAccess {
  return {
    http,
    cloud,
    signal,
  };
}

/** The options of `commitUnion`. */
export interface CommitOptions extends Omit<OpenOptions, "companion"> {
  /**
   * Reads all inputs and all files once more before the commit, and compares checksums, rows, the order of entries, and the
   * sums of matrices; false by default.
   */
  readonly verify?: boolean;
}

const ELEMENTS = { X: true, layers: true, obsm: true } as const satisfies NamesOf<UnionElements>;

const { http, cloud, signal } = OPEN_OPTIONS;
export const ACCESS_OPTIONS = { http, cloud, signal } as const satisfies NamesOf<UnionAccess>;

/** The names of the options of `planUnion` and `runUnionTask`. */
export const UNION_OPTIONS = {
  ...OPEN_OPTIONS,
  ...{ elements: ELEMENTS, order: true, varKey: true, modality: true, ids: true, tasks: true },
  ...{ skipBroken: true, onProgress: true },
} as const satisfies NamesOf<UnionOptions>;

export const COMMIT_OPTIONS = { ...OPEN_OPTIONS, verify: true } as const satisfies NamesOf<CommitOptions>;
