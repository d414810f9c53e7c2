/** h5wasm's build for Node, which opens a file in place: nothing of it is held in memory. */

import { load } from "./h5wasm.js";
import { setFileLibrary } from "./libraries.js";

/** From now on HDF5 files with a path are opened in place. */
export function installNodeHdf5(): void {
  setFileLibrary(() => load(() => import("h5wasm/node")));
}
