/** h5Seurat: Seurat objects in HDF5, in the layout of SeuratDisk. */

import type { FormatModule } from "./format.js";

export const h5seurat: FormatModule<object> = {
  name: "h5seurat",
  recognised: {
    names: async ({ root, keys, container: { kind } }) => {
      if (kind !== "hdf5") return false;
      const names = await keys();
      return names.includes("assays") && names.includes("cell.names") && root.attributes.has("active.assay");
    },
  },
  reader: async () => (await import("../readers/h5seurat/read.js")).readH5Seurat,
  conversion: async () => (await import("../conversion/h5seurat.js")).h5seurat,
  options: {},
  writer: null,
};
