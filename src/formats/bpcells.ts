/** BPCells in a directory, in HDF5, or as an R object. */

import type { ContainerWriter } from "../containers/tree/container-writer.js";
import { isAnnarrowError } from "../model/errors.js";
import { bpcells as descriptor } from "../model/formats/bpcells.js";
import { hasStore, storeVersion } from "../readers/bpcells/stores/find-stores.js";
import { getBpcellsCompression } from "./compression.js";
import { type CommonStoreOptions, defineFormat, type StoreDestination } from "./format.js";
import { checkByteTarget, checkKeyValueTarget, createWriterOptions } from "./store-container.js";

export const bpcells = defineFormat({
  ...descriptor,
  detect: {
    async container({ container: { kind }, root, options }) {
      if (kind === "rds") return (await import("../readers/bpcells/rds-objects.js")).hasObject(root, options);
      return kind === "directory" || storeVersion(root) !== null;
    },
    // Groups of BPCells lie anywhere in a file.
    search: async ({ container: { kind }, root, options }) => kind === "hdf5" && (await hasStore(root, options)),
  },
  read: async (root, cx) => (await import("../readers/bpcells/read.js")).readBpcells(root, cx),
  elements: async () => (await import("../conversion/bpcells.js")).bpcells,
  async write(place, { tables, shape }, options) {
    const { packed, order, type, group = "", lossy = false } = options;
    const { toBpcellsObjects, assignObjectPaths } = await import("../conversion/bpcells/objects.js");
    const { objects, warnings } = toBpcellsObjects(tables, lossy);
    const placed = assignObjectPaths(objects, place.store, group);
    const container = await containerOf(place, options);
    const { writeBpcells } = await import("../writers/bpcells/write.js");
    const named = new Map([...placed].map(([name, { table }]) => [name, table]));
    const result = await writeBpcells(container, named, {
      ...(await createWriterOptions(options)),
      packed,
      order,
      type,
      shape: shape ?? undefined,
    }).catch((error: unknown) => {
      if (!isAnnarrowError(error) || error.table === undefined) throw error;
      error.table = placed.get(error.table)?.name ?? error.table;
      throw error;
    });
    await container.close();
    const written = result.tables.map(({ name, rows }) => ({ name: placed.get(name)?.name ?? name, rows }));
    return { tables: written, warnings: [...warnings, ...result.warnings] };
  },
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
    case "bpcells.rds": {
      const { createRds } = await import("../containers/rds/write/container.js");
      const { signal } = options;
      return createRds(checkByteTarget(target, "an R object"), {
        compression: compression.kind,
        signal,
      });
    }
    default: {
      const { createArrays } = await import("../containers/arrays/write/container.js");
      return createArrays(checkKeyValueTarget(target, "a directory of arrays"));
    }
  }
}
