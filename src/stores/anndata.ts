/** AnnData in HDF5 or Zarr. */

import { hdf5Container, zarrContainer } from "./anndata-container.js";
import { anndataOptions } from "./anndata-options.js";
import type { StoreWriter } from "./write.js";

export const writeAnnDataStore: StoreWriter = async (place, { tables, shape }, options) => {
  const container = await (place.format === "h5ad" ? hdf5Container(place, options) : zarrContainer(place, options));
  const { writeAnnData } = await import("../writers/anndata/write.js");
  const result = await writeAnnData(container, tables, await anndataOptions(options, shape));
  await container.close();
  return result;
};
