/** MATLAB 7.3 (`.mat`) in HDF5. */

import { matlab as descriptor } from "../model/formats/matlab.js";
import { hasMatlabHeader, hasMatlabVariables, isOtherMat } from "../readers/matlab/detect.js";
import { defineFormat } from "./format.js";
import { createHdf5Store, createWriterOptions } from "./store-container.js";

/** Level of gzip that MATLAB uses. */
const LEVEL = 3;

export const matlab = defineFormat({
  ...descriptor,
  detect: {
    container: async ({ container, keys }) => container.kind === "hdf5" && hasMatlabHeader(container, await keys()),
    // Variables may have any name, so MATLAB files are recognized by the variables' attributes.
    contents: async ({ container, root, keys, options }) => hasMatlabVariables(container, root, await keys(), options),
    rest: async ({ container, keys }) => isOtherMat(container, await keys()),
  },
  read: async (root, cx) => (await import("../readers/matlab/read.js")).readMatlab(root, cx),
  elements: async () => (await import("./conversion/matlab.js")).matlab,
  async write(place, { tables, shape }, options) {
    const { profile } = options;
    const { emptyUserBlock, isForMatlab, createUserBlock, writeMatlab } = await import("../writers/matlab/write.js");
    const container = await createHdf5Store(place, options, {
      level: LEVEL,
      userBlock: isForMatlab(tables) ? createUserBlock() : emptyUserBlock(),
    });
    const own = { ...(await createWriterOptions(options)), shape };
    const result = await writeMatlab(container, tables, profile === undefined ? own : { ...own, profile });
    await container.close();
    return result;
  },
});
