/** Loom in HDF5. */

import { loom as descriptor } from "../model/formats/loom.js";
import { findChild } from "./children.js";
import { defineFormat } from "./format.js";
import { createHdf5Store, createWriterOptions } from "./store-container.js";

/** The gzip level that loompy uses. A higher level takes more time, but hardly makes count matrices smaller. */
const LEVEL = 2;

/** The number of chunks from which libhdf5 reads the chunk index faster if the index has large nodes. */
const MANY_CHUNKS = 100_000;

export const loom = defineFormat({
  ...descriptor,
  detect: {
    names: async (candidate) => {
      const { root, keys, container } = candidate;
      const names = await keys();
      if (names.includes("row_attrs") || names.includes("col_attrs")) return true;
      if (container.kind !== "hdf5" || !names.includes("matrix")) return false;
      // Any file may contain an array with this name.
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
