import type { ByteSource } from "../../sources/source.js";
import type { ArrayView, StoredArray } from "../container.js";
import { hdf5Array } from "./array.js";
import type { FieldSizes } from "./cursor.js";
import type { Dataset } from "./dataset.js";
import { FileBytes } from "./file-bytes.js";
import { LazyLibrary } from "./lazy-library.js";
import { viewedArray } from "./viewed-array.js";

export interface Hdf5ArrayPlan {
  readonly path: string;
  readonly hardPath: string;
  readonly id: string;
  /** Position of the file's signature, and the widths that its superblock states. */
  readonly base: number;
  readonly sizes: FieldSizes;
  readonly dataset: Dataset;
  /** The form of its values that is meant, where it is not the stored one. */
  readonly view?: ArrayView;
}

/** The array of a plan, in the file that the plan was made from. */
export function openHdf5Array(plan: Hdf5ArrayPlan, source: ByteSource): StoredArray {
  const file = new FileBytes(source, plan.base, plan.sizes);
  const library = new LazyLibrary(source, source.plan?.kind === "file" ? source.plan.path : undefined);
  const context = { source: source.name, file, library };
  const array = hdf5Array(context, plan.path, plan.hardPath, plan.id, new Map(), plan.dataset);
  return plan.view === undefined ? array : viewedArray(context, array, plan.dataset, plan.view);
}
