/** MuData in HDF5 or Zarr. */

import type { WriteRoot } from "../writers/root-layout.js";
import { hdf5Container, zarrContainer } from "./anndata-container.js";
import { anndataOptions } from "./anndata-options.js";
import type { StoreWriter } from "./write.js";

export const writeMuDataStore: StoreWriter = async (place, { tables, shape }, options) => {
  const [{ USER_BLOCK, writeMuData }, { writeAnnData }] = await Promise.all([
    import("../writers/mudata/write.js"),
    import("../writers/anndata/write.js"),
  ]);
  const isHdf5 = place.format === "h5mu";
  const container = await (isHdf5 ? hdf5Container(place, options, USER_BLOCK) : zarrContainer(place, options));
  const writeRoot: WriteRoot = async (root, own, layout) => {
    const index = indexBelow(options.index ?? {}, root.path);
    const settings = await anndataOptions({ ...options, index }, root.path === "" ? shape : null);
    return writeAnnData({ kind: container.kind, root }, own, settings, layout);
  };
  const result = await writeMuData(container, tables, writeRoot);
  await container.close();
  return result;
};

/** Columns that are the index, by the names that tables have below `path`. */
function indexBelow(index: Readonly<Record<string, string>>, path: string): Record<string, string> {
  if (path === "") return index;
  const own = Object.entries(index).filter(([name]) => name.startsWith(`${path}/`));
  return Object.fromEntries(own.map(([name, column]) => [name.slice(path.length + 1), column]));
}
