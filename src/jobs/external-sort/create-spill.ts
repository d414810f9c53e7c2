/** Chooses the storage of sorted runs by platform. */

import type { Spill } from "./spill.js";

/** Creates the spill for one sort, or returns null if the platform has no such storage. */
export async function createSpill(): Promise<Spill | null> {
  return (await import("#platform/spill")).newSpill();
}
