/** MuData in HDF5 (`.h5mu`) or Zarr: several AnnData objects below `mod`. */

import { mudata as descriptor } from "../model/formats/mudata.js";
import type { WriteRoot } from "../writers/context.js";
import { createElementContainer, toAnnDataOptions } from "./anndata.js";
import { findChild } from "./children.js";
import { type Candidate, defineFormat } from "./format.js";

export const mudata = defineFormat({
  ...descriptor,
  detect: {
    encoding: async (candidate) => {
      const { root, keys, container } = candidate;
      if (root.attributes.get("encoding-type") === "MuData") return true;
      if (!(await keys()).includes("mod")) return false;
      return /\.h5mu$/i.test(container.name) || (await holdsGroups(candidate));
    },
  },
  read: async (root, cx) => {
    const [{ withStores }, { createMuDataReader }, { readAnnData }] = await Promise.all([
      import("./with-stores.js"),
      import("../readers/mudata/read.js"),
      import("../readers/anndata/read.js"),
    ]);
    return withStores(createMuDataReader(readAnnData))(root, cx);
  },
  elements: async () => (await import("./conversion/mudata.js")).mudata,
  async write(place, { tables, shape }, options) {
    const [{ USER_BLOCK, writeMuData }, { writeAnnData }] = await Promise.all([
      import("../writers/mudata/write.js"),
      import("../writers/anndata/write.js"),
    ]);
    const container = await createElementContainer(place, options, tables, USER_BLOCK);
    const writeRoot: WriteRoot = async (root, own, layout) => {
      // If a dataset becomes a single modality in a MuData, the index columns are given by the dataset's own table
      // names.
      const isOwn = options.as !== undefined && root.path === `mod/${options.as}`;
      const index = isOwn ? (options.index ?? {}) : indexBelow(options.index ?? {}, root.path);
      const settings = await toAnnDataOptions({ ...options, index }, root.path === "" ? shape : null);
      return writeAnnData({ kind: container.kind, root }, own, settings, layout);
    };
    const result = await writeMuData(container, tables, writeRoot);
    await container.close();
    return result;
  },
});

/**
 * Whether `mod` may be the group of modalities, which must contain groups. Any file may have an object called `mod`.
 */
async function holdsGroups(candidate: Candidate): Promise<boolean> {
  const mod = await findChild(candidate, "mod");
  if (mod === null) return true;
  if (mod.kind === "array") return false;
  const { options } = candidate;
  const [first] = await mod.keys(options).catch(() => []);
  return first === undefined || (await findChild({ root: mod, options }, first))?.kind !== "array";
}

/** Returns the index columns of the tables below `path`, by the tables' names relative to it. */
function indexBelow(index: Readonly<Record<string, string>>, path: string): Record<string, string> {
  if (path === "") return index;
  const own = Object.entries(index).filter(([name]) => name.startsWith(`${path}/`));
  return Object.fromEntries(own.map(([name, column]) => [name.slice(path.length + 1), column]));
}
