/** The plan of a union as JSON: what is read, what becomes of it, and who does what. */

import * as v from "valibot";
import { InvalidDataError } from "../model/errors.js";
import { readJson } from "../model/json-object.js";
import { COUNT, FLAT_FIELD, IDENTITY, NUMERIC_TYPE } from "./json-types.js";

/** Entries by row and column, or by column and row. */
export const MATRIX_ORDERS = ["csr", "csc"] as const;

export type MatrixOrder = (typeof MATRIX_ORDERS)[number];

const MATRIX = v.object({
  /** Name of the matrix in the union: `X`, `layers/counts`. */
  name: v.string(),
  type: NUMERIC_TYPE,
});

/** An array of obsm. */
export const UNITED_ARRAY = v.object({
  /** Name of the element: `obsm/X_pca`. */
  name: v.string(),
  type: NUMERIC_TYPE,
  /** Numbers for each observation. */
  width: COUNT,
});

export type UnitedArray = v.InferOutput<typeof UNITED_ARRAY>;

const INPUT = v.object({
  /** Name of the dataset in the column `dataset_id`. */
  id: v.string(),
  /** Path or address, as it was given. */
  source: v.string(),
  /** What tells later versions of the input apart; null where nothing does. */
  identity: v.nullable(IDENTITY),
  rows: COUNT,
  features: COUNT,
  /** The global row of its first observation. */
  firstRow: COUNT,
  /** Stored entries of each matrix that it has; null where only a scan can tell. */
  entries: v.record(v.string(), v.nullable(COUNT)),
});

/** Rows of one input, which one task reads. */
const PIECE = v.object({
  /** Position among the inputs. */
  input: COUNT,
  rows: v.tuple([COUNT, COUNT]),
});

const PLAN = v.object({
  annarrow: v.literal("union plan"),
  version: v.literal(1),
  /** Tells plans apart: a hash of everything else. */
  id: v.string(),
  output: v.string(),
  /** Number of the commit that the plan adds to; 0 where there is none. */
  base: COUNT,
  /** Column of var that tells features apart; null for the index. */
  varKey: v.nullable(v.string()),
  modality: v.nullable(v.string()),
  /** Element of the inputs that becomes X. */
  main: v.string(),
  /** Names of the layers that are taken; null for all. */
  layers: v.nullable(v.array(v.string())),
  /** How the entries of matrices are sorted in each file. */
  order: v.picklist(MATRIX_ORDERS),
  matrices: v.array(MATRIX),
  arrays: v.array(UNITED_ARRAY),
  /** Columns of the table obs, behind `row`, `dataset_id` and `_index`. */
  obs: v.array(FLAT_FIELD),
  /** Columns of the table var, behind `col` and `_index`. */
  var: v.array(FLAT_FIELD),
  /** Features of the union with this plan, and files of the table var, in the order of their columns. */
  features: v.object({
    count: COUNT,
    files: v.array(v.object({ file: v.string(), rows: COUNT, bytes: COUNT, sha256: v.string() })),
  }),
  inputs: v.array(INPUT),
  tasks: v.array(v.array(PIECE)),
  /** What is widened, filled, renamed or left out. */
  notes: v.array(v.string()),
});

/** The plan of a union: plain data, which any machine can run. */
export type UnionPlan = v.InferOutput<typeof PLAN>;

/** An input of a plan. */
export type PlannedInput = v.InferOutput<typeof INPUT>;

/** Rows of one input, which one task reads. */
export type TaskPiece = v.InferOutput<typeof PIECE>;

/** A file of the table var. */
export type FeatureFile = UnionPlan["features"]["files"][number];

/**
 * Parses a plan.
 * @throws {InvalidDataError} for text that is no plan of this version.
 */
export function parsePlan(text: string, source: string): UnionPlan {
  return parsed(PLAN, text, "no plan of a union", source);
}

/**
 * Parses JSON of a schema.
 * @throws {InvalidDataError} which begins with `problem`, and says where the text differs.
 */
export function parsed<S extends v.GenericSchema>(
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
