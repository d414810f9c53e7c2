/** BPCells in a directory or in HDF5. */

import type { ContainerWriter } from "../containers/tree/container-writer.js";
import type { ContainerKind } from "../model/dataset.js";
import { bpcells as descriptor } from "../model/formats/bpcells.js";
import { hasStore, storeVersion } from "../readers/bpcells/stores/find-stores.js";
import { getBpcellsCompression } from "./compression.js";
import { type CommonStoreOptions, defineFormat, type StoreDestination } from "./format.js";
import { checkByteTarget, checkKeyValueTarget } from "./store-container.js";
import { writeBpcellsTables } from "./write-bpcells.js";

/** Containers that can store BPCells data in a group. */
const GROUPED: readonly ContainerKind[] = ["hdf5", "zarr2", "zarr3"];

export const bpcells = defineFormat({
  ...descriptor,
  detect: {
    container: ({ container: { kind }, root }) =>
      kind === "directory" || (GROUPED.includes(kind) && storeVersion(root) !== null),
    // BPCells groups can be anywhere in a file.
    search: async ({ container: { kind }, root, options }) => kind === "hdf5" && (await hasStore(root, options)),
  },
  read: async (root, cx) => (await import("../readers/bpcells/read.js")).readBpcells(root, cx),
  elements: async () => (await import("./conversion/bpcells.js")).bpcells,
  write: (place, tables, options) => writeBpcellsTables(place, tables, options, containerOf),
});

async function containerOf(
  { store, target, encoder }: StoreDestination,
  options: CommonStoreOptions,
): Promise<ContainerWriter> {
  const compression = getBpcellsCompression(options, store);
  switch (store) {
    case "bpcells.h5": {
      const { createHdf5 } = await import("../containers/hdf5/write/container.js");
      return createHdf5(checkByteTarget(target, "HDF5"), { encoder, compression, shuffle: "integers" });
    }
    default: {
      const { createArrays } = await import("../containers/arrays/write/container.js");
      return createArrays(checkKeyValueTarget(target, "a directory of arrays"));
    }
  }
}
