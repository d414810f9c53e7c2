/** Loom in HDF5. */

import { loom as descriptor } from "../model/formats/loom.js";
import { findChild } from "./children.js";
import { defineFormat } from "./format.js";
import { createHdf5Store, createWriterOptions } from "./store-container.js";

/** Level of gzip that loompy uses: a higher one hardly pays for matrices of counts, and costs time. */
const LEVEL = 2;

/** From so many chunks on libhdf5 reads their index faster where its nodes are large. */
const MANY_CHUNKS = 100_000;

export const loom = defineFormat({
  ...descriptor,
  detect: {
    names: async (candidate) => {
      const { root, keys, container } = candidate;
      const names = await keys();
      if (names.includes("row_attrs") || names.includes("col_attrs")) return true;
      if (container.kind !== "hdf5" || !names.includes("matrix")) return false;
      // Any file may have an array of this name.
      const isNamed = root.attributes.has("LOOM_SPEC_VERSION") || /\.loom$/i.test(container.name);
      return isNamed && (await findChild(candidate, "matrix"))?.kind === "array";
    },
  },
  read: async (root, cx) => (await import("../readers/loom/read.js")).readLoom(root, cx),
  elements: async () => (await import("./conversion/loom.js")).loom,
  async write(place, { tables, shape }, options) {
    const { version } = options;
    const { countMatrixChunks, writeLoom } = await import("../writers/loom/write.js");
    const container = await createHdf5Store(place, options, {
      level: LEVEL,
      shuffle: "none",
      manyChunks: countMatrixChunks(tables, shape) >= MANY_CHUNKS,
    });
    const own = { ...(await createWriterOptions(options)), shape };
    const result = await writeLoom(container, tables, version === undefined ? own : { ...own, version });
    await container.close();
    return result;
  },
});
