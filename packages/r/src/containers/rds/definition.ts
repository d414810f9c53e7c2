/** The container for R objects, as it is registered. */

import type { FileContainer } from "annarrow/format";

export const rds: FileContainer = {
  source: "bytes",
  kinds: { rds: "RDS" },
  what: "an R object",
  // Saved objects may refer to BPCells stores.
  hasExternalValues: true,
  detect: async (source, options) => (await import("./input/signature.js")).isRds(source, options),
  open: async (source, options) => (await import("./container.js")).openRds(source, options),
  explain: async (source, options) =>
    (await import("./input/quick-serialisation.js")).detectQuickSerialisation(source, options),
};
