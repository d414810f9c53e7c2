/** Loom in HDF5. */

import { childOf } from "./children.js";
import type { FormatModule } from "./format.js";
import { hdf5Store, writerOptions } from "./store-container.js";

export interface LoomStoreOptions {
  /** Version of the specification of Loom, 3.0.0 by default. */
  readonly version?: "3.0.0" | "2.0.1";
}

/** Level of gzip that loompy uses: a higher one hardly pays for matrices of counts, and costs time. */
const LEVEL = 2;

/** From so many chunks on libhdf5 reads their index faster where its nodes are large. */
const MANY_CHUNKS = 100_000;

export const loom: FormatModule<LoomStoreOptions> = {
  name: "loom",
  recognised: {
    names: async (candidate) => {
      const { root, keys, container } = candidate;
      const names = await keys();
      if (names.includes("row_attrs") || names.includes("col_attrs")) return true;
      if (container.kind !== "hdf5" || !names.includes("matrix")) return false;
      // Any file may have an array of this name.
      const isNamed = root.attributes.has("LOOM_SPEC_VERSION") || /\.loom$/i.test(container.name);
      return isNamed && (await childOf(candidate, "matrix"))?.kind === "array";
    },
  },
  reader: async () => (await import("../readers/loom/read.js")).readLoom,
  conversion: async () => (await import("../conversion/loom.js")).loom,
  options: { version: { called: "a version of the specification (--loom-version)", values: ["3.0.0", "2.0.1"] } },
  async writer(place, { tables, shape }, options) {
    const { version } = options;
    const { chunksOf, writeLoom } = await import("../writers/loom/write.js");
    const container = await hdf5Store(place, options, {
      level: LEVEL,
      shuffle: "none",
      manyChunks: chunksOf(tables, shape) >= MANY_CHUNKS,
    });
    const own = { ...(await writerOptions(options)), shape };
    const result = await writeLoom(container, tables, version === undefined ? own : { ...own, version });
    await container.close();
    return result;
  },
};
