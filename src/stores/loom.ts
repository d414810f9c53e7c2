/** Loom in HDF5. */

import { hdf5Compression } from "./compression.js";
import { byteTarget } from "./container-target.js";
import type { StoreWriter } from "./write.js";

/** loompy's own: a higher one hardly pays for matrices of counts, and costs time. */
const LEVEL = 2;

/** From so many chunks on libhdf5 reads their index faster where its nodes are large. */
const MANY_CHUNKS = 100_000;

export const writeLoomStore: StoreWriter = async ({ target, encoder }, { tables, shape }, options) => {
  const { signal, onProgress, loomVersion, lossy = false } = options;
  const compression = hdf5Compression(options, ".loom", LEVEL);
  const { createHdf5 } = await import("../containers/hdf5/write/container.js");
  const { chunksOf, writeLoom } = await import("../writers/loom/write.js");
  const { newSpill } = await import("#platform/spill");
  const container = createHdf5(byteTarget(target, "HDF5"), {
    encoder,
    compression,
    shuffle: "none",
    manyChunks: chunksOf(tables, shape) >= MANY_CHUNKS,
  });
  const result = await writeLoom(container, tables, {
    ...{ lossy, shape, spill: newSpill() },
    ...(loomVersion ? { version: loomVersion } : {}),
    ...(signal ? { signal } : {}),
    ...(onProgress ? { onProgress } : {}),
  });
  await container.close();
  return result;
};
