/** JSON form of a union's plan: inputs, output columns, and tasks. */

import { InvalidDataError } from "annarrow";
import { readJson } from "annarrow/core/model";
import * as v from "valibot";
import { COUNT, FLAT_FIELD, IDENTITY, NUMERIC_TYPE } from "./json-types.js";

/** Entries sorted by row and column, or by column and row. */
export const MATRIX_ORDERS = ["csr", "csc"] as const;

export type MatrixOrder = (typeof MATRIX_ORDERS)[number];

const MATRIX = v.object({
  /** Name of the matrix in the union, such as `X` or `layers/counts`. */
  name: v.string(),
  type: NUMERIC_TYPE,
});

export const UNITED_ARRAY = v.object({
  /** Element name: `obsm/X_pca`. */
  name: v.string(),
  type: NUMERIC_TYPE,
  /** Numbers for each observation. */
  width: COUNT,
});

export type UnitedArray = v.InferOutput<typeof UNITED_ARRAY>;

const INPUT = v.object({
  /** Name of the dataset in the column `dataset_id`. */
  id: v.string(),
  /** Path or address as given by the user. */
  source: v.string(),
  /** Distinguishes versions of the input; null if they cannot be distinguished. */
  identity: v.nullable(IDENTITY),
  rows: COUNT,
  features: COUNT,
  /** The global row number of the input's first observation. */
  firstRow: COUNT,
  /** Number of stored entries per matrix; null if only a scan can determine it. */
  entries: v.record(v.string(), v.nullable(COUNT)),
});

/** Rows of an input that a single task reads. */
const PIECE = v.object({
  /** Index into `inputs`. */
  input: COUNT,
  rows: v.tuple([COUNT, COUNT]),
});

const PLAN = v.object({
  annarrow: v.literal("union plan"),
  version: v.literal(1),
  /** Identifies the plan. This is a hash of its other properties. */
  id: v.string(),
  output: v.string(),
  /** Number of the commit on which the plan is based; 0 for a new union. */
  base: COUNT,
  /** Column of var that identifies features; null for the index. */
  varKey: v.nullable(v.string()),
  modality: v.nullable(v.string()),
  /** Element of the inputs that becomes X. */
  main: v.string(),
  /** Names of the layers to include; null for all. */
  layers: v.nullable(v.array(v.string())),
  /** Sort order of matrix entries in each file. */
  order: v.picklist(MATRIX_ORDERS),
  matrices: v.array(MATRIX),
  arrays: v.array(UNITED_ARRAY),
  /** Columns of the obs table after `row`, `dataset_id` and `_index`. */
  obs: v.array(FLAT_FIELD),
  /** Columns of the var table after `col` and `_index`. */
  var: v.array(FLAT_FIELD),
  /** Number of features in the union after this plan, and files of the var table in column order. */
  features: v.object({
    count: COUNT,
    files: v.array(v.object({ file: v.string(), rows: COUNT, bytes: COUNT, sha256: v.string() })),
  }),
  inputs: v.array(INPUT),
  tasks: v.array(v.array(PIECE)),
  /** Messages about widened, filled, renamed and omitted columns. */
  notes: v.array(v.string()),
});

/** The plan of a union: serializable data that any machine can execute. */
export type UnionPlan = v.InferOutput<typeof PLAN>;

export type PlannedInput = v.InferOutput<typeof INPUT>;

export type TaskRange = v.InferOutput<typeof PIECE>;

export type FeatureFile = UnionPlan["features"]["files"][number];

/**
 * Parses a plan.
 * @throws {InvalidDataError} for text that is not a plan of this version.
 */
export function parsePlan(text: string, source: string): UnionPlan {
  return parseDocument(PLAN, text, "no plan of a union", source);
}

/**
 * Parses JSON that must match a schema.
 * @throws {InvalidDataError} with a message that begins with `problem` and says where the JSON differs from the schema.
 */
export function parseDocument<S extends v.GenericSchema>(
  schema: S,
  text: string,
  problem: string,
  source: string,
): v.InferOutput<S> {
  let content: unknown;
  try {
    content = readJson(text);
  } catch (cause) {
    throw new InvalidDataError(`${problem}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      source,
      cause,
    });
  }
  const result = v.safeParse(schema, content);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const at = v.getDotPath(issue);
  throw new InvalidDataError(`${problem}: ${at === null ? "" : `${at}: `}${issue.message}`, { source });
}
