/** BPCells as R objects, which `saveRDS` writes: stores of the format `bpcells`, in addition to its own stores. */

import { bpcells } from "annarrow/core/model";
import { describeFormat, GZIP_OR_NONE } from "annarrow/format";

export const bpcellsRds = describeFormat({
  ...bpcells,
  stores: {
    "bpcells.rds": { kind: "file", compressions: GZIP_OR_NONE, short: "bpcells", shared: ["rds"], rare: true },
  },
});
