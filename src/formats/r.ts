/** R objects in `.rds` and `.RData` files: Seurat and SingleCellExperiment; frames, matrices and lists are read alone. */

import { UnsupportedError } from "../model/errors.js";
import { r as descriptor } from "../model/formats/r.js";
import type { OpenStored } from "../readers/r/matrices/forms.js";
import { hdf5Compression as rCompression } from "./compression.js";
import { defineFormat } from "./format.js";
import { byteTarget, writerOptions } from "./store-container.js";

/** gzip's level: R's own costs twice the time for a twentieth of the bytes. */
const LEVEL = 3;

export const r = defineFormat({
  ...descriptor,
  // What BPCells has saved is a format of its own, which is asked before.
  detect: { names: ({ container: { kind } }) => kind === "rds" },
  read: async (root, cx) => (await import("../readers/r/read.js")).rReader(openStored)(root, cx),
  elements: async () => (await import("../conversion/r.js")).r,
  async write({ store, target, encoder }, { tables, shape }, options) {
    const { seurat = "v4", as = null, index = {}, lossy = false } = options;
    const goal = store === "sce.rds" ? "sce" : (`seurat-${seurat}` as const);
    const [{ Losses }, { describeWiderFloats, TITLES, withoutPlace }, { writeR }] = await Promise.all([
      import("../conversion/view/losses.js"),
      import("../writers/r/places.js"),
      import("../writers/r/write.js"),
    ]);
    const losses = new Losses(TITLES[goal]);
    const lost = withoutPlace(tables, goal);
    for (const [name, part] of lost) losses.add(name, part);
    const warnings = losses.settle(lossy);
    const kept = new Map([...tables].filter(([name]) => !lost.some(([one]) => one === name)));
    const compression = rCompression(options, `.${store}`, LEVEL);
    const result = await writeR(byteTarget(target, "an R object"), kept, {
      ...(await writerOptions(options)),
      ...{ goal, encoder, index, name: as, shape },
      level: compression.kind === "gzip" ? compression.level : null,
    });
    const wider = describeWiderFloats(kept);
    return { tables: result.tables, warnings: [...warnings, ...result.warnings, ...(wider === null ? [] : [wider])] };
  },
});

/** Opens a matrix of BPCells in an object of another package. */
const openStored: OpenStored = async (object, path, { options, follow }) => {
  const { nodeOf } = await import("../containers/rds/container.js");
  const group = nodeOf(object, path, path);
  if (group.kind !== "group") throw new UnsupportedError("a vector, no matrix", { element: path });
  const { openObjectMatrix } = await import("../readers/bpcells/read.js");
  return openObjectMatrix(group, follow === undefined ? options : { ...options, follow });
};
