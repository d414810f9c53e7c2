/** A serializable plan from which a worker reopens an array in the file. */

import type { ByteSource } from "../../io/sources/source.js";
import type { ArrayView, StoredArray } from "../tree/container.js";
import type { FieldSizes } from "./bytes/cursor.js";
import { type ArrayNames, createHdf5Array } from "./dataset/array.js";
import type { Hdf5Dataset } from "./dataset/dataset.js";
import { createViewedArray } from "./dataset/viewed-array.js";
import { Hdf5File } from "./file/hdf5-file.js";
import { LazyLibrary } from "./library/lazy-library.js";

export interface Hdf5ArrayPlan extends ArrayNames {
  /** The position of the file's signature, and the field sizes from its superblock. */
  readonly base: number;
  readonly sizes: FieldSizes;
  readonly dataset: Hdf5Dataset;
  /** The form in which the values are read, if it differs from the form in which they are stored. */
  readonly view?: ArrayView;
}

declare module "../tree/container.js" {
  interface ArrayPlans {
    readonly hdf5: Hdf5ArrayPlan;
  }
}

/** Opens the array described by a plan, in the file for which the plan was made. */
export function openHdf5Array(plan: Hdf5ArrayPlan, source: ByteSource): StoredArray {
  const file = new Hdf5File(source, plan.base, plan.sizes);
  const library = new LazyLibrary(source, source.plan?.kind === "file" ? source.plan.path : undefined);
  const context = { source: source.name, file, library };
  const array = createHdf5Array(context, plan, new Map(), plan.dataset);
  return plan.view === undefined ? array : createViewedArray(context, array, plan.dataset, plan.view);
}
