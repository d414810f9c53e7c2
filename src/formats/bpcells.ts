/** BPCells in a directory, in HDF5, or as an R object. */

import type { ContainerWriter } from "../containers/tree/container-writer.js";
import { isAnnarrowError } from "../model/errors.js";
import { hasStore, storeVersion } from "../readers/bpcells/stores/find-stores.js";
import { bpcellsCompression } from "./compression.js";
import type { AnyOrder, CommonStoreOptions, FormatModule, StorePlace } from "./format.js";
import { byteTarget, keyValueTarget, writerOptions } from "./store-container.js";

export interface BpcellsStoreOptions {
  /** False for plain arrays instead of packed ones. */
  readonly packed?: boolean;
  /** Storage order of the matrix: entries of one row, or of one column, lie together. The table's own order by default. */
  readonly order?: "row" | "column";
  /** The type of the values; by default the first of these that holds all of them. */
  readonly type?: "uint" | "float" | "double";
  /** In HDF5, the path of the group that is written; the root by default. */
  readonly group?: string;
}

export const bpcells: FormatModule<AnyOrder<BpcellsStoreOptions>> = {
  name: "bpcells",
  recognised: {
    async container({ container: { kind }, root, options }) {
      if (kind === "rds") return (await import("../readers/bpcells/rds-objects.js")).hasObject(root, options);
      return kind === "directory" || storeVersion(root) !== null;
    },
    // Groups of BPCells lie anywhere in a file.
    search: async ({ container: { kind }, root, options }) => kind === "hdf5" && (await hasStore(root, options)),
  },
  reader: async () => (await import("../readers/bpcells/read.js")).readBpcells,
  conversion: async () => (await import("../conversion/bpcells.js")).bpcells,
  options: {
    packed: { called: "packed arrays (--unpacked)", values: [true, false] },
    order: { called: "a storage order (--order)", values: ["row", "column"] },
    type: { called: "a type of its values (--type)", values: ["uint", "float", "double"] },
    group: { called: "a group (--group)", stores: /^bpcells\.h5$/ },
  },
  async writer(place, { tables, shape }, options) {
    const { packed, order, type, group = "", lossy = false } = options;
    const { bpcellsObjects, placedObjects } = await import("../conversion/bpcells/objects.js");
    const { objects, warnings } = bpcellsObjects(tables, lossy);
    const placed = placedObjects(objects, place.store, group);
    const container = await containerOf(place, options);
    const { writeBpcells } = await import("../writers/bpcells/write.js");
    const named = new Map([...placed].map(([name, { table }]) => [name, table]));
    const result = await writeBpcells(container, named, {
      ...(await writerOptions(options)),
      packed,
      order: order === "row" || order === "column" ? order : undefined,
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
};

async function containerOf(
  { store, target, encoder }: StorePlace,
  options: CommonStoreOptions,
): Promise<ContainerWriter> {
  const compression = bpcellsCompression(options, store);
  switch (store) {
    case "bpcells.h5": {
      const { createHdf5 } = await import("../containers/hdf5/write/container.js");
      return createHdf5(byteTarget(target, "HDF5"), { encoder, compression, shuffle: "integers" });
    }
    case "bpcells.rds": {
      const { createRds } = await import("../containers/rds/write/container.js");
      const { signal } = options;
      return createRds(byteTarget(target, "an R object"), {
        compression: compression.kind,
        signal,
      });
    }
    default: {
      const { createArrays } = await import("../containers/arrays/write/container.js");
      return createArrays(keyValueTarget(target, "a directory of arrays"));
    }
  }
}
