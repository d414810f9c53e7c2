/** What elements of AnnData are written to: HDF5 or Zarr. */

import type { ContainerWriter } from "../containers/tree/container-writer.js";
import { hdf5Compression, zarrCompression } from "./compression.js";
import { byteTarget, keyValueTarget } from "./container-target.js";
import type { StoreOptions, StorePlace } from "./write.js";

/** @param userBlock bytes in front of an HDF5 file. */
export async function hdf5Container(
  { format, target, encoder }: StorePlace,
  options: StoreOptions,
  userBlock?: Uint8Array,
): Promise<ContainerWriter> {
  const compression = hdf5Compression(options, `.${format}`);
  const { createHdf5 } = await import("../containers/hdf5/write/container.js");
  const block = userBlock === undefined ? {} : { userBlock };
  return createHdf5(byteTarget(target, "HDF5"), { encoder, compression, shuffle: "integers", ...block });
}

export async function zarrContainer({ target, encoder }: StorePlace, options: StoreOptions): Promise<ContainerWriter> {
  const version = options.zarrFormat ?? 2;
  const compression = zarrCompression(options, version);
  const { createZarr } = await import("../containers/zarr/write/container.js");
  // The older name of the type is read by every zarr-python 3, the newer one by the newest.
  const records = options.anndata === "0.13" ? "struct" : "structured";
  return createZarr(keyValueTarget(target, "Zarr"), { version, encoder, compression, records });
}
