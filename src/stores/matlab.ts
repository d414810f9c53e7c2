/** MATLAB 7.3 in HDF5. */

import { hdf5Compression } from "./compression.js";
import { byteTarget } from "./container-target.js";
import type { StoreWriter } from "./write.js";

/** MATLAB's own. */
const LEVEL = 3;

export const writeMatlabStore: StoreWriter = async ({ target, encoder }, { tables, shape }, options) => {
  const { signal, onProgress, matlab, lossy = false } = options;
  const compression = hdf5Compression(options, ".mat", LEVEL);
  const [{ createHdf5 }, { emptyUserBlock, userBlock }, { isForMatlab, writeMatlab }, { newSpill }] = await Promise.all(
    [
      import("../containers/hdf5/write/container.js"),
      import("../writers/matlab/header.js"),
      import("../writers/matlab/write.js"),
      import("#platform/spill"),
    ],
  );
  const container = createHdf5(byteTarget(target, "HDF5"), {
    encoder,
    compression,
    userBlock: isForMatlab(tables) ? userBlock() : emptyUserBlock(),
  });
  const result = await writeMatlab(container, tables, {
    ...{ lossy, shape, spill: newSpill() },
    ...(matlab ? { profile: matlab } : {}),
    ...(signal ? { signal } : {}),
    ...(onProgress ? { onProgress } : {}),
  });
  await container.close();
  return result;
};
