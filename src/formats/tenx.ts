/**
 * Cell Ranger's feature-barcode matrices in HDF5, which can only be read. Fragments, which are text, are in
 * fragments.ts.
 */

import type { Group } from "../containers/tree/container.js";
import type { ReadOptions } from "../io/sources/source.js";
import { tenx as descriptor } from "../model/formats/tenx.js";
import { detectOtherFileKind, findMatrices } from "../readers/10x/find-matrices.js";
import { storeVersion } from "../readers/bpcells/stores/find-stores.js";
import { defineFormat } from "./format.js";

export const tenx = defineFormat({
  ...descriptor,
  detect: {
    names: async ({ root, keys, container, options }) => {
      if (container.kind !== "hdf5") return false;
      const names = await keys();
      if (names.includes("matrix") && (await isBpcells(root, "matrix", options))) return false;
      return detectOtherFileKind(root, names) !== null || (await findMatrices(root, names, options)).length > 0;
    },
  },
  read: async (root, cx) => (await import("../readers/10x/read.js")).readCellRanger(root, cx),
  elements: async () => (await import("./conversion/tenx.js")).tenx,
  write: null,
});

/** BPCells stores matrices in groups with this name as well. */
async function isBpcells(root: Group, name: string, options: ReadOptions): Promise<boolean> {
  const node = await root.open(name, options);
  return node.kind === "group" && storeVersion(node) !== null;
}
