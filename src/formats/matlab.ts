/** MATLAB 7.3 (`.mat`) in HDF5. */

import { hasMatlabHeader, hasMatlabVariables, isPlainMat } from "../readers/matlab/recognise.js";
import type { FormatModule } from "./format.js";
import { hdf5Store, writerOptions } from "./store-container.js";

export interface MatlabStoreOptions {
  /**
   * The form of the file: as MATLAB writes its own, the default, or with the attributes by which hdf5storage restores
   * Python's types.
   */
  readonly profile?: "MATLAB" | "hdf5storage";
}

/** Level of gzip that MATLAB uses. */
const LEVEL = 3;

export const matlab: FormatModule<MatlabStoreOptions> = {
  name: "matlab",
  recognised: {
    container: async ({ container, keys }) => container.kind === "hdf5" && hasMatlabHeader(container, await keys()),
    // Variables may have any names: their attributes tell.
    contents: async ({ container, root, keys, options }) => hasMatlabVariables(container, root, await keys(), options),
    rest: async ({ container, keys }) => isPlainMat(container, await keys()),
  },
  reader: async () => (await import("../readers/matlab/read.js")).readMatlab,
  conversion: async () => (await import("../conversion/matlab.js")).matlab,
  options: { profile: { called: "a profile of MATLAB (--mat-profile)", values: ["MATLAB", "hdf5storage"] } },
  async writer(place, { tables, shape }, options) {
    const { profile } = options;
    const { emptyUserBlock, isForMatlab, userBlock, writeMatlab } = await import("../writers/matlab/write.js");
    const container = await hdf5Store(place, options, {
      level: LEVEL,
      userBlock: isForMatlab(tables) ? userBlock() : emptyUserBlock(),
    });
    const own = { ...(await writerOptions(options)), shape };
    const result = await writeMatlab(container, tables, profile === undefined ? own : { ...own, profile });
    await container.close();
    return result;
  },
};
