/** AnnData in HDF5 or Zarr. */

import type { ContainerWriter } from "../containers/container-writer.js";
import { hdf5Compression, zarrCompression } from "./compression.js";
import { byteTarget, keyValueTarget } from "./container-target.js";
import type { StoreOptions, StorePlace, StoreWriter } from "./write.js";

export const writeAnnDataStore: StoreWriter = async (place, { tables, shape }, options) => {
  const { signal, onProgress, index } = options;
  const container = await containerOf(place, options);
  const { writeAnnData } = await import("../writers/anndata/write.js");
  const { newSpill } = await import("../external-sort/spill.js");
  const result = await writeAnnData(container, tables, {
    profile: options.anndata ?? "portable",
    lossy: options.lossy ?? false,
    shape,
    spill: newSpill(),
    ...(index ? { index } : {}),
    ...(signal ? { signal } : {}),
    ...(onProgress ? { onProgress } : {}),
  });
  await container.close();
  return result;
};

async function containerOf({ format, target, encoder }: StorePlace, options: StoreOptions): Promise<ContainerWriter> {
  if (format === "h5ad") {
    const compression = hdf5Compression(options);
    const { createHdf5 } = await import("../containers/hdf5/write/container.js");
    return createHdf5(byteTarget(target, "HDF5"), { encoder, compression, shuffle: "integers" });
  }
  const version = options.zarrFormat ?? 2;
  const compression = zarrCompression(options, version);
  const { createZarr } = await import("../containers/zarr/write/container.js");
  // The older name of the type is read by every zarr-python 3, the newer one by the newest.
  const records = options.anndata === "0.13" ? "struct" : "structured";
  return createZarr(keyValueTarget(target, "Zarr"), { version, encoder, compression, records });
}
