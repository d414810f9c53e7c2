/** h5Seurat: Seurat objects in HDF5, in the layout of SeuratDisk. */

import type { GroupWriter, WrittenAttributes } from "../containers/tree/container-writer.js";
import { h5seurat as descriptor } from "../model/formats/h5seurat.js";
import type { AnnDataWriterContext } from "../writers/anndata/context.js";
import type { WriterContext } from "../writers/context.js";
import type { SparseDestination, WriteSparse } from "../writers/h5seurat/context.js";
import { defineFormat } from "./format.js";
import { createHdf5Store, createWriterOptions } from "./store-container.js";

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
    const result = await writeH5Seurat(container, tables, sparseWriter, {
      ...own,
      ...{ shape, index: options.index ?? {} },
    });
    await container.close();
    return result;
  },
});

/** Writes sparse matrices by AnnData's writer, whose arrays are those of h5Seurat. */
function sparseWriter(cx: WriterContext): WriteSparse {
  return async (place, table, form) => {
    const [{ writeSparse }, { MemoryBudget }] = await Promise.all([
      import("../writers/anndata/sparse.js"),
      import("../writers/anndata/context.js"),
    ]);
    const own: AnnDataWriterContext = {
      ...cx,
      container: "hdf5",
      profile: "portable",
      keep: null,
      columnMemory: new MemoryBudget(0),
    };
    const sparse = { ...form, indices: "int32", indptr: "int32" };
    const { entries } = await writeSparse({ cx: own, parent: withDims(place), name: place.name }, table, sparse);
    return entries;
  };
}

/** The group in which the matrix' group has R's dimensions, in place of AnnData's attributes. */
function withDims({ parent, dims, attributes }: SparseDestination): GroupWriter {
  const values = Int32Array.from(dims);
  const own: WrittenAttributes = new Map([
    ["dims", { type: { kind: "int", bits: 32, signed: true }, shape: [2], values: { kind: "fixed", values } }],
    ...attributes,
  ]);
  return {
    path: parent.path,
    attribute: (name, attribute) => parent.attribute(name, attribute),
    group: (name) => parent.group(name, own),
    array: (name, description) => parent.array(name, description),
  };
}
