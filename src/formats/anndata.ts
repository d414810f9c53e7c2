/** AnnData in HDF5 (`.h5ad`) or Zarr. */

import type { AttributeValue } from "../containers/tree/container.js";
import type { ContainerWriter } from "../containers/tree/container-writer.js";
import { listPlanArrays } from "../jobs/plan/plan.js";
import { InvalidInputError } from "../model/errors.js";
import { anndata as descriptor } from "../model/formats/anndata.js";
import type { OptionValues } from "../model/formats/option-table.js";
import { type ColumnTable, findCopyableRows } from "../tables/column-table.js";
import type { AnnDataOptions } from "../writers/anndata/write.js";
import { isArrayOfScalars } from "./children.js";
import { getZarrCompression } from "./compression.js";
import { type CommonStoreOptions, defineFormat, type StoreDestination } from "./format.js";
import { checkKeyValueTarget, createHdf5Store, createWriterOptions } from "./store-container.js";

type Options = OptionValues<typeof descriptor.options> & CommonStoreOptions;

const ROOT_NAMES = ["obs", "var", "smp", "_obs", "_var", "_smp"];

export const anndata = defineFormat({
  ...descriptor,
  detect: {
    names: async (candidate) => {
      const { root, keys, container } = candidate;
      if (/^anndata$/i.test(textOf(root.attributes.get("encoding-type")))) return true;
      const names = await keys();
      const own = ROOT_NAMES.filter((name) => names.includes(name));
      if (own.length === 0 || /\.h5ad$/i.test(container.name)) return own.length > 0;
      return !(await Promise.all(own.map((name) => isArrayOfScalars(candidate, name)))).every((isPlain) => isPlain);
    },
  },
  read: async (root, cx) => {
    const [{ withStores }, { readAnnData }] = await Promise.all([
      import("./with-stores.js"),
      import("../readers/anndata/read.js"),
    ]);
    return withStores(readAnnData)(root, cx);
  },
  elements: async () => (await import("./conversion/anndata.js")).anndata,
  async write(place, { tables, shape }, options) {
    const container = await createElementContainer(place, options, tables);
    const { writeAnnData } = await import("../writers/anndata/write.js");
    const result = await writeAnnData(container, tables, await toAnnDataOptions(options, shape));
    await container.close();
    return result;
  },
});

/**
 * Creates the container for AnnData's elements: HDF5 or Zarr.
 * @param tables the tables to be written.
 * @param userBlock bytes that precede the HDF5 data.
 */
export async function createElementContainer(
  place: StoreDestination,
  options: Options,
  tables: ReadonlyMap<string, ColumnTable>,
  userBlock?: Uint8Array,
): Promise<ContainerWriter> {
  if (options.check && options.compression !== "keep") {
    throw new InvalidInputError("chunks that are not kept are checked in any case (--check is for --compression keep)");
  }
  if (!place.store.includes("zarr")) {
    return createHdf5Store(place, options, { shuffle: "integers", userBlock });
  }
  const { target, encoder } = place;
  const version = options.zarrFormat ?? (options.compression === "keep" ? versionOfChunks(tables) : 2);
  const compression = getZarrCompression(options, version);
  const { createZarr } = await import("../containers/zarr/write/container.js");
  // All versions of zarr-python 3 read the older type name, but only the newest read the newer one.
  const records = options.anndata === "0.13" ? "struct" : "structured";
  return createZarr(checkKeyValueTarget(target, "Zarr"), { version, encoder, compression, records });
}

/** Returns the version of Zarr in which the chunks of the tables can be kept. */
function versionOfChunks(tables: ReadonlyMap<string, ColumnTable>): 2 | 3 {
  const arrays = [...tables.values()].flatMap((table) => {
    const rows = findCopyableRows(table);
    return rows === null ? [] : listPlanArrays(rows);
  });
  return arrays.some(({ capabilities }) => capabilities?.storedChunks?.container === "zarr3") ? 3 : 2;
}

/** Converts a store's options to the form that the writer of AnnData's elements takes. */
export async function toAnnDataOptions(options: Options, shape: AnnDataOptions["shape"]): Promise<AnnDataOptions> {
  const { anndata: profile = "portable", index, order } = options;
  const keep = options.compression === "keep" ? { check: options.check ?? false } : null;
  return {
    ...(await createWriterOptions(options)),
    profile,
    shape,
    keep,
    index,
    order,
  };
}

/** Returns a text, even if R has stored it as a list with one item; `""` for anything else. */
function textOf(value: AttributeValue | undefined): string {
  const one = Array.isArray(value) ? value[0] : value;
  return typeof one === "string" ? one : "";
}
