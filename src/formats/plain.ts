/** Plain HDF5 and Zarr: files of no other format, whose arrays are tables. One reader and one writer serve both. */

import { signOfFormat } from "../readers/plain/signs.js";
import type { Candidate, FormatModule } from "./format.js";

/** The module of one of the two formats, which differ in their container alone. */
function plain(name: "hdf5" | "zarr", holds: (candidate: Candidate) => boolean): FormatModule<object> {
  return {
    name,
    recognised: {
      rest: async (candidate) => {
        const { container, root, keys, options } = candidate;
        return holds(candidate) && (await signOfFormat(container, root, await keys(), options)) === null;
      },
    },
    reader: async () => (await import("../readers/plain/read.js")).readPlain,
    conversion: async () => (await import("../conversion/plain.js"))[name],
    options: {},
    writer: null,
  };
}

export const hdf5 = plain("hdf5", ({ container }) => container.kind === "hdf5");
export const zarr = plain("zarr", ({ container }) => container.kind === "zarr2" || container.kind === "zarr3");
