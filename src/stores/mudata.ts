/** MuData in HDF5 or Zarr. */

import { UnsupportedError } from "../errors.js";
import type { StoreWriter } from "./write.js";

export const writeMuDataStore: StoreWriter = async () => {
  throw new UnsupportedError("MuData is not written yet");
};
