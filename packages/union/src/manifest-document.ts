/** A union's `manifest.json`: a directory of tables (docs/mapping.md, section 1) in which a table has many files. */

import * as v from "valibot";
import { COUNT, FLAT_FIELD, IDENTITY, NUMERIC_TYPE } from "./json-types.js";
import { MATRIX_ORDERS, parseDocument, UNITED_ARRAY } from "./plan-document.js";
import { PART as PART_OF_TASK } from "./report-document.js";

/** A file of a table, as listed in the manifest. Files of var belong to no dataset. */
const PART = v.omit(PART_OF_TASK, ["table"]);

const DATASET = v.object({
  id: v.string(),
  source: v.string(),
  identity: v.nullable(IDENTITY),
  /** Global rows [first, end) of the dataset's observations. */
  range: v.tuple([COUNT, COUNT]),
  features: COUNT,
  /** Number of the commit that added the dataset. */
  commit: COUNT,
});

const UNION = v.object({
  version: v.literal(1),
  /** Number of the commit; the first one is 1. */
  commit: COUNT,
  varKey: v.nullable(v.string()),
  /** Elements that were read from the first inputs. They are the default for later inputs (see `UnionPlan`). */
  taken: v.optional(
    v.object({
      main: v.string(),
      layers: v.nullable(v.array(v.string())),
      modality: v.nullable(v.string()),
    }),
  ),
  order: v.picklist(MATRIX_ORDERS),
  matrices: v.array(v.object({ name: v.string(), type: NUMERIC_TYPE })),
  arrays: v.array(UNITED_ARRAY),
  obs: v.array(FLAT_FIELD),
  var: v.array(FLAT_FIELD),
  /** Global row number for the next new observation. Rows of removed datasets are not reused. */
  nextRow: COUNT,
  datasets: v.array(DATASET),
  /** Messages about widened, filled, renamed and omitted columns. */
  notes: v.array(v.string()),
});

const TABLE = v.object({
  name: v.string(),
  kind: v.string(),
  rows: COUNT,
  /** Name of the column that contains global row positions. The AnnData table does not include it. */
  positions: v.optional(v.string()),
  parts: v.array(
    v.object({
      ...v.partial(PART, ["dataset", "range"]).entries,
      /** Offset that a reader subtracts from `row` if it counts observations from 0. If absent, the offset is 0. */
      shift: v.optional(COUNT),
    }),
  ),
  categories: v.optional(v.record(v.string(), v.string())),
});

const MANIFEST = v.object({
  annarrow: v.literal(1),
  format: v.literal("anndata"),
  formatVersion: v.string(),
  container: v.literal("parquet"),
  shape: v.tuple([COUNT, COUNT]),
  union: UNION,
  tables: v.array(TABLE),
});

/** State of a union that readers see. */
export type UnionManifest = v.InferOutput<typeof MANIFEST>;

export type UnionTable = v.InferOutput<typeof TABLE>;

export type UnionDataset = v.InferOutput<typeof DATASET>;

/** @throws {InvalidDataError} if the text is not a union manifest. */
export function parseManifest(text: string, source: string): UnionManifest {
  return parseDocument(MANIFEST, text, "no manifest of a union", source);
}
