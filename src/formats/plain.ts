/** Plain HDF5 and Zarr: files of no other format, whose arrays are tables. One reader and one writer serve both. */

import { PLAIN_MARK, PLAIN_MARKED } from "../model/plain-mark.js";
import { signOfFormat } from "../readers/plain/signs.js";
import { anndataOptions, elementContainer, type ZarrStoreOptions } from "./anndata.js";
import type { Candidate, FormatModule } from "./format.js";
import { writerOptions } from "./store-container.js";

/** The module of one of the two formats, which differ in their container alone. */
function plain<Options>(
  name: "hdf5" | "zarr",
  options: FormatModule<Options>["options"],
  holds: (candidate: Candidate) => boolean,
): FormatModule<Options> {
  return {
    name,
    recognised: {
      encoding: (candidate) => holds(candidate) && candidate.root.attributes.get(PLAIN_MARK) === PLAIN_MARKED,
      rest: async (candidate) => {
        const { container, root, keys, options } = candidate;
        return holds(candidate) && (await signOfFormat(container, root, await keys(), options)) === null;
      },
    },
    reader: async () => (await import("../readers/plain/read.js")).readPlain,
    conversion: async () => (await import("../conversion/plain.js"))[name],
    options,
    async writer(place, { tables }, chosen) {
      const container = await elementContainer(place, chosen, tables);
      const { writePlain } = await import("../writers/plain/write.js");
      const result = await writePlain(container, tables, await writerOptions(chosen));
      await container.close();
      return result;
    },
  };
}

export const hdf5 = plain<object>("hdf5", {}, ({ container }) => container.kind === "hdf5");
export const zarr = plain<ZarrStoreOptions>(
  "zarr",
  { zarrFormat: anndataOptions.zarrFormat },
  ({ container }) => container.kind === "zarr2" || container.kind === "zarr3",
);
