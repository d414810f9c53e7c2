/** Copies of rows that last while something is read from them. */

import { CopyStorage } from "../jobs/reorder/copy-storage.js";
import { UnsupportedError } from "../model/errors.js";

/**
 * Calls `action` with storage for copies, which lasts until `action` ends.
 * @throws {UnsupportedError} where no temporary file can be written.
 */
export async function withCopyStorage<T>(action: (storage: CopyStorage) => Promise<T>): Promise<T> {
  const { newSpill } = await import("#platform/spill");
  const spill = newSpill();
  if (spill === null) throw new UnsupportedError("rows are put in order where a temporary file can be written");
  try {
    return await action(new CopyStorage(spill));
  } finally {
    await spill.remove();
  }
}
