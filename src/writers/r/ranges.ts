/** Ranges of an experiment without feature ranges. Bioconductor stores the data frame of features in them. */

import type { RValue } from "../../containers/rds/model/value.js";
import { NO_ATTRIBUTES } from "../../containers/rds/model/value.js";
import { characters, classAttribute, integers, listOf, s4 } from "./context.js";
import { dFrame, type WrittenFrame } from "./frame.js";

const NULL: RValue = { kind: "null" };
const ANY = characters(["ANY"]);

/** Creates an empty range per feature, with the names and columns of the features. */
export function emptyRanges({ rows, names, columns }: WrittenFrame): RValue {
  const end: RValue = { kind: "integer", values: new Int32Array(rows), attributes: NO_ATTRIBUTES };
  return s4("CompressedGRangesList", "GenomicRanges", {
    unlistData: NO_RANGES,
    elementMetadata: dFrame({ rows, names: null, columns }),
    elementType: characters(["GRanges"]),
    metadata: listOf([]),
    partitioning: s4("PartitioningByEnd", "IRanges", {
      end,
      NAMES: names === null ? NULL : characters(names),
      elementType: ANY,
      elementMetadata: NULL,
      metadata: listOf([]),
    }),
  });
}

function runs(levels: readonly string[]): RValue {
  const attributes = new Map<string, RValue>([["levels", characters(levels)], classAttribute("factor")]);
  return s4("Rle", "S4Vectors", {
    values: { kind: "integer", values: new Int32Array(), attributes },
    lengths: integers(),
    elementMetadata: NULL,
    metadata: listOf([]),
  });
}

const NO_RANGES = s4("GRanges", "GenomicRanges", {
  seqnames: runs([]),
  ranges: s4("IRanges", "IRanges", {
    start: integers(),
    width: integers(),
    NAMES: NULL,
    elementType: ANY,
    elementMetadata: NULL,
    metadata: listOf([]),
  }),
  strand: runs(["+", "-", "*"]),
  seqinfo: s4("Seqinfo", "GenomeInfoDb", {
    seqnames: characters([]),
    seqlengths: integers(),
    is_circular: { kind: "logical", values: new Int32Array(), attributes: NO_ATTRIBUTES },
    genome: characters([]),
  }),
  elementMetadata: dFrame({ rows: 0, names: null, columns: new Map() }),
  elementType: ANY,
  metadata: listOf([]),
});
