/** Stored arrays whose values are in memory. */

import type { SourcePlan } from "../../io/sources/source.js";
import { sliceRows } from "../../kernels/values/stored-rows.js";
import { countElements, type StoredType, type StoredValues } from "../../model/stored.js";
import type { StoredArray } from "../tree/container.js";

/** An array in memory in serializable form. */
export interface MemoryArrayPlan {
  readonly path: string;
  readonly type: StoredType;
  readonly shape: readonly number[];
  readonly values: StoredValues;
}

declare module "../tree/container.js" {
  interface ArrayPlans {
    readonly memory: MemoryArrayPlan;
  }
}

/**
 * Creates an array of values in memory.
 * @param path the name of the array in error messages.
 * @param source the source of the arrays that workers read together with this one; without a source the array has no
 * plan.
 */
export function createMemoryArray(
  path: string,
  type: StoredType,
  shape: readonly number[],
  values: StoredValues,
  source?: SourcePlan,
): StoredArray {
  const per = countElements(shape.slice(1));
  return {
    ...{ kind: "array", path, id: path, attributes: new Map(), type, shape, chunks: null },
    read: async (start, end) => sliceRows(type, values, per, [start, end]),
    capabilities: { inMemory: () => values },
    plan: source === undefined ? undefined : { source, container: "memory", array: { path, type, shape, values } },
  };
}
