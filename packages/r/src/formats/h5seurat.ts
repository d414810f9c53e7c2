/** h5Seurat: Seurat objects in HDF5, in the layout of SeuratDisk. */

import { createHdf5Store, createWriterOptions } from "annarrow/core/formats";
import { defineFormat } from "annarrow/format";
import { h5seurat as descriptor } from "../model/h5seurat.js";

export const h5seurat = defineFormat({
  ...descriptor,
  detect: {
    names: async ({ root, keys, container: { kind } }) => {
      if (kind !== "hdf5") return false;
      const names = await keys();
      return names.includes("assays") && names.includes("cell.names") && root.attributes.has("active.assay");
    },
  },
  read: async (root, cx) => (await import("../readers/h5seurat/read.js")).readH5Seurat(root, cx),
  elements: async () => (await import("../conversion/h5seurat.js")).h5seurat,
  async write(place, { tables, shape }, options) {
    const container = await createHdf5Store(place, options, { shuffle: "integers" });
    const { writeH5Seurat } = await import("../writers/h5seurat/write.js");
    const own = await createWriterOptions(options);
    const result = await writeH5Seurat(container, tables, {
      ...own,
      ...{ shape, index: options.index ?? {} },
    });
    await container.close();
    return result;
  },
});
