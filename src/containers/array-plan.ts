/** A stored array as plain data: enough to open it again elsewhere, in a worker. */

import type { Source } from "../sources/source.js";
import type { SourcePlan } from "../sources/source-plan.js";
import type { ArrayFilePlan } from "./arrays/array-plan.js";
import type { Bp128ArrayPlan } from "./bp128-array.js";
import type { StoredArray } from "./container.js";
import type { Hdf5ArrayPlan } from "./hdf5/array-plan.js";
import type { ZarrArrayPlan } from "./zarr/array-plan.js";

export type ArrayPlan = { readonly source: SourcePlan } & (
  | { readonly container: "hdf5"; readonly array: Hdf5ArrayPlan }
  | { readonly container: "zarr"; readonly array: ZarrArrayPlan }
  | { readonly container: "directory"; readonly array: ArrayFilePlan }
  /** In several arrays of any container. */
  | { readonly container: "packed"; readonly array: Bp128ArrayPlan }
);

/** The array in `source`, which `plan.source` describes. */
export async function openArrayPlan(plan: ArrayPlan, source: Source): Promise<StoredArray> {
  switch (plan.container) {
    case "hdf5": {
      if (source.kind !== "bytes") throw new TypeError("an HDF5 file is one run of bytes");
      return (await import("./hdf5/array-plan.js")).openHdf5Array(plan.array, source);
    }
    case "zarr": {
      if (source.kind !== "keys") throw new TypeError("a Zarr store has keys");
      return (await import("./zarr/array-plan.js")).openZarrArray(plan.array, source);
    }
    case "directory": {
      if (source.kind !== "keys") throw new TypeError("a directory has keys");
      return (await import("./arrays/array-plan.js")).openArrayFile(plan.array, source);
    }
    case "packed":
      return (await import("./bp128-array.js")).openBp128Array(plan.array, (part) => openArrayPlan(part, source));
    default:
      return plan satisfies never;
  }
}
