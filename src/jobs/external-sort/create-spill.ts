/** Chooses the storage of sorted runs by platform. */

import type { Spill } from "./spill.js";

/** Makes the spill of one sort; null if the platform has no such storage. */
export async function createSpill(): Promise<Spill | null> {
  return (await import("#platform/spill")).newSpill();
}
