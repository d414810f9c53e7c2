import type { KeyValueSource } from "../../sources/source.js";
import type { StoredArray } from "../tree/container.js";
import { zarrArray } from "./array.js";
import type { ArrayMetadata } from "./metadata/metadata.js";

export interface ZarrArrayPlan {
  readonly path: string;
  readonly metadata: ArrayMetadata;
}

declare module "../tree/container.js" {
  interface ArrayPlans {
    readonly zarr: ZarrArrayPlan;
  }
}

/** The array of a plan, in the store that the plan was made from. */
export function openZarrArray({ path, metadata }: ZarrArrayPlan, source: KeyValueSource): StoredArray {
  return zarrArray(source, path, metadata);
}
