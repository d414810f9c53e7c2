/** BPCells as R objects. */

import { InvalidInputError } from "annarrow";
import { checkByteTarget, getHdf5Compression, refuseKeep, writeBpcellsTables } from "annarrow/core/formats";
import { type CommonStoreOptions, defineFormat, type StoreDestination } from "annarrow/format";
import { bpcellsRds as descriptor } from "../model/bpcells-rds.js";

export const bpcellsRds = defineFormat({
  ...descriptor,
  detect: {
    container: async ({ container: { kind }, root, options }) =>
      kind === "rds" && (await import("../readers/bpcells/rds-objects.js")).hasObject(root, options),
  },
  read: async (root, cx) => (await import("../readers/bpcells/read.js")).readBpcellsObjects(root, cx),
  elements: async () => (await import("annarrow/core/formats")).bpcells,
  async write(place, tables, options) {
    const { RLists } = await import("../writers/bpcells/rds-objects.js");
    return writeBpcellsTables(place, tables, options, createContainer, (root) => new RLists(root));
  },
});

/** Compressed with gzip, unless the caller requests no compression. */
async function createContainer({ store, target }: StoreDestination, options: CommonStoreOptions) {
  const { compression, level, signal } = options;
  refuseKeep(options, `.${store}`);
  if (level !== undefined) throw new InvalidInputError("an R object has no choice of a level");
  const { kind } = getHdf5Compression({ compression }, "an R object");
  const { createRds } = await import("../containers/rds/write/container.js");
  return createRds(checkByteTarget(target, "an R object"), { compression: kind, signal });
}
