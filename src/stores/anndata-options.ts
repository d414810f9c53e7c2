/** The options of a store, as the writer of AnnData's elements takes them. */

import type { AnnDataOptions } from "../writers/anndata/write.js";
import type { StoreOptions } from "./write.js";

export async function anndataOptions(options: StoreOptions, shape: AnnDataOptions["shape"]): Promise<AnnDataOptions> {
  const { signal, onProgress, index } = options;
  const { newSpill } = await import("#platform/spill");
  return {
    profile: options.anndata ?? "portable",
    lossy: options.lossy ?? false,
    shape,
    spill: newSpill(),
    ...(index ? { index } : {}),
    ...(signal ? { signal } : {}),
    ...(onProgress ? { onProgress } : {}),
  };
}
