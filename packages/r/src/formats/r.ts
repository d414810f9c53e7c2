/** R objects in `.rds` and `.RData` files: Seurat and SingleCellExperiment; reads frames, matrices and lists too. */

import { UnsupportedError } from "annarrow";
import { checkByteTarget, createWriterOptions, getHdf5Compression as rCompression } from "annarrow/core/formats";
import { defineFormat } from "annarrow/format";
import { r as descriptor } from "../model/r.js";
import type { OpenStored } from "../readers/r/matrices/forms.js";

/** The gzip level. R's own level takes twice the time to save a twentieth of the bytes. */
const LEVEL = 3;

export const r = defineFormat({
  ...descriptor,
  // Objects saved by BPCells have a separate format, which is tried first.
  detect: { names: ({ container: { kind } }) => kind === "rds" },
  read: async (root, cx) => (await import("../readers/r/read.js")).createRReader(openStored)(root, cx),
  elements: async () => (await import("../conversion/r.js")).r,
  async write({ store, target, encoder }, { tables, shape }, options) {
    const { seurat = "v4", as = null, index = {}, lossy = false } = options;
    const goal = store === "sce.rds" ? "sce" : (`seurat-${seurat}` as const);
    const [{ UnsupportedElements }, { describeWiderFloats, TITLES, listUnplacedElements }, { writeR }] =
      await Promise.all([
        import("annarrow/core/formats"),
        import("../writers/r/element-paths.js"),
        import("../writers/r/write.js"),
      ]);
    const losses = new UnsupportedElements(TITLES[goal]);
    const lost = listUnplacedElements(tables, goal);
    for (const [name, part] of lost) losses.add(name, part);
    const warnings = losses.settle(lossy);
    const kept = new Map([...tables].filter(([name]) => !lost.some(([one]) => one === name)));
    const compression = rCompression(options, `.${store}`, LEVEL);
    const result = await writeR(checkByteTarget(target, "an R object"), kept, {
      ...(await createWriterOptions(options)),
      ...{ goal, encoder, index, name: as, shape },
      level: compression.kind === "gzip" ? compression.level : null,
    });
    const wider = describeWiderFloats(kept);
    return { tables: result.tables, warnings: [...warnings, ...result.warnings, ...(wider === null ? [] : [wider])] };
  },
});

/** Opens a BPCells matrix inside an object from another package. */
const openStored: OpenStored = async (object, path, { options, follow }) => {
  const { createRdsNode } = await import("../containers/rds/container.js");
  const group = createRdsNode(object, path, path);
  if (group.kind !== "group") throw new UnsupportedError("a vector, no matrix", { element: path });
  const { openObjectMatrix } = await import("../readers/bpcells/read.js");
  return openObjectMatrix(group, follow === undefined ? options : { ...options, follow });
};
