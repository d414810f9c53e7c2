/** Opens a stored array from its plan in a worker. Only this file knows the plans of all containers. */

import type { Source } from "../../io/sources/source.js";
import type { ArrayPlan, StoredArray } from "../tree/container.js";

/** Opens the array in `source`, which `plan.source` describes. */
export async function openArrayPlan(plan: ArrayPlan, source: Source): Promise<StoredArray> {
  switch (plan.container) {
    case "hdf5": {
      if (source.kind !== "bytes") throw new TypeError("an HDF5 file is one run of bytes");
      return (await import("../hdf5/array-plan.js")).openHdf5Array(plan.array, source);
    }
    case "zarr": {
      if (source.kind !== "keys") throw new TypeError("a Zarr store has keys");
      return (await import("../zarr/array.js")).openZarrArray(plan.array, source);
    }
    case "directory": {
      if (source.kind !== "keys") throw new TypeError("a directory has keys");
      return (await import("../arrays/array-file.js")).openArrayFile(plan.array, source);
    }
    case "packed":
      return (await import("../bp128/bp128-array.js")).openBp128Array(plan.array, (part) =>
        openArrayPlan(part, source),
      );
    case "picked":
      return (await import("../picked/picked-array.js")).openPickedArray(plan.array, (part) =>
        openArrayPlan(part, source),
      );
    case "memory": {
      const { path, type, shape, values } = plan.array;
      return (await import("../picked/memory-array.js")).createMemoryArray(path, type, shape, values);
    }
    default:
      return plan satisfies never;
  }
}
