/** The report of a task as JSON: the files that it has written, and facts that a commit compares with the plan. */

import * as v from "valibot";
import { COUNT } from "./json-types.js";
import { parseDocument } from "./plan-document.js";

/** Name of the table that lists the features measured in each dataset. */
export const PRESENCE = "uns/presence";

/** File with rows of one dataset. */
export const PART = v.object({
  /** Table name: `obs`, `uns/presence`, `X`, `layers/counts`. */
  table: v.string(),
  file: v.string(),
  dataset: v.string(),
  /** Number of table rows in this file; for a matrix, of entries. */
  rows: COUNT,
  /** Observations of the dataset covered by the file, as global rows: [first, end). */
  range: v.tuple([COUNT, COUNT]),
  /** Sum of a matrix's values, added in entry order; absent for other tables. */
  sum: v.optional(v.nullable(v.number())),
  bytes: COUNT,
  sha256: v.string(),
});

export type UnionPart = v.InferOutput<typeof PART>;

const REPORT = v.object({
  annarrow: v.literal("union task"),
  version: v.literal(1),
  plan: v.string(),
  task: COUNT,
  parts: v.array(PART),
  /** Categories of obs columns per dataset, in order. */
  categories: v.array(v.object({ dataset: v.string(), column: v.string(), values: v.array(v.string()) })),
});

/** The result of a task. Repeated runs of a task produce equal reports. */
export type TaskReport = v.InferOutput<typeof REPORT>;

/** @throws {InvalidDataError} for text that is no report. */
export function parseReport(text: string, source: string): TaskReport {
  return parseDocument(REPORT, text, "no report of a task", source);
}
