/** Loom in HDF5. */

import { UnsupportedError } from "../errors.js";
import type { StoreWriter } from "./write.js";

export const writeLoomStore: StoreWriter = async () => {
  throw new UnsupportedError("Loom files are not written yet");
};
