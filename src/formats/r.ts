/** R objects in `.rds` and `.RData` files, read only: Seurat, SingleCellExperiment, frames, matrices, lists. */

import { nodeOf } from "../containers/rds/container.js";
import { UnsupportedError } from "../model/errors.js";
import type { OpenStored } from "../readers/r/matrices/forms.js";
import type { FormatModule } from "./format.js";

export const r: FormatModule<object> = {
  name: "r",
  // What BPCells has saved is a format of its own, which is asked before.
  recognised: { names: ({ container: { kind } }) => kind === "rds" },
  reader: async () => (await import("../readers/r/read.js")).rReader(openStored),
  conversion: async () => (await import("../conversion/r.js")).r,
  options: {},
  writer: null,
};

/** Opens a matrix of BPCells in an object of another package. */
const openStored: OpenStored = async (object, path, { options, follow }) => {
  const group = nodeOf(object, path, path);
  if (group.kind !== "group") throw new UnsupportedError("a vector, no matrix", { element: path });
  const { openObjectMatrix } = await import("../readers/bpcells/read.js");
  return openObjectMatrix(group, follow === undefined ? options : { ...options, follow });
};
