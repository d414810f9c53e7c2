/** Ranges of an experiment without feature ranges. Bioconductor stores the features' data frame in the ranges. */

import type { RValue } from "../../containers/rds/model/value.js";
import { NO_ATTRIBUTES } from "../../containers/rds/model/value.js";
import {
  createCharacterVector,
  createClassAttribute,
  createIntegerVector,
  createRList,
  createS4Object,
} from "./context.js";
import { createDFrame, type WrittenFrame } from "./frame.js";

const NULL: RValue = { kind: "null" };
const ANY = createCharacterVector(["ANY"]);

/** Creates an empty range per feature. The ranges have the features' names and columns. */
export function emptyRanges({ rows, names, columns }: WrittenFrame): RValue {
  const end: RValue = { kind: "integer", values: new Int32Array(rows), attributes: NO_ATTRIBUTES };
  return createS4Object("CompressedGRangesList", "GenomicRanges", {
    unlistData: NO_RANGES,
    elementMetadata: createDFrame({ rows, names: null, columns }),
    elementType: createCharacterVector(["GRanges"]),
    metadata: createRList([]),
    partitioning: createS4Object("PartitioningByEnd", "IRanges", {
      end,
      NAMES: names === null ? NULL : createCharacterVector(names),
      elementType: ANY,
      elementMetadata: NULL,
      metadata: createRList([]),
    }),
  });
}

function runs(levels: readonly string[]): RValue {
  const attributes = new Map<string, RValue>([
    ["levels", createCharacterVector(levels)],
    createClassAttribute("factor"),
  ]);
  return createS4Object("Rle", "S4Vectors", {
    values: { kind: "integer", values: new Int32Array(), attributes },
    lengths: createIntegerVector(),
    elementMetadata: NULL,
    metadata: createRList([]),
  });
}

const NO_RANGES = createS4Object("GRanges", "GenomicRanges", {
  seqnames: runs([]),
  ranges: createS4Object("IRanges", "IRanges", {
    start: createIntegerVector(),
    width: createIntegerVector(),
    NAMES: NULL,
    elementType: ANY,
    elementMetadata: NULL,
    metadata: createRList([]),
  }),
  strand: runs(["+", "-", "*"]),
  seqinfo: createS4Object("Seqinfo", "GenomeInfoDb", {
    seqnames: createCharacterVector([]),
    seqlengths: createIntegerVector(),
    is_circular: { kind: "logical", values: new Int32Array(), attributes: NO_ATTRIBUTES },
    genome: createCharacterVector([]),
  }),
  elementMetadata: createDFrame({ rows: 0, names: null, columns: new Map() }),
  elementType: ANY,
  metadata: createRList([]),
});
