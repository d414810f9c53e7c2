/** A task's report as JSON: the files that the task has written, and facts that a commit compares with the plan. */

import * as v from "valibot";
import { COUNT } from "./json-types.js";
import { parseDocument } from "./plan-document.js";

/** Name of the table that lists the features measured in each dataset. */
export const PRESENCE = "uns/presence";

/** File with rows of one dataset. */
export const PART = v.object({
  /** Name of the table, such as `obs`, `uns/presence`, `X` or `layers/counts`. */
  table: v.string(),
  file: v.string(),
  dataset: v.string(),
  /** Number of table rows in this file. For a matrix, this is the number of entries. */
  rows: COUNT,
  /** Global rows [first, end) of the dataset's observations in this file. */
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
  /** Categories in the obs columns of each dataset, in order. */
  categories: v.array(v.object({ dataset: v.string(), column: v.string(), values: v.array(v.string()) })),
});

/** The result of a task. Repeated runs of a task produce equal reports. */
export type TaskReport = v.InferOutput<typeof REPORT>;

/** @throws {InvalidDataError} for text that is not a report. */
export function parseReport(text: string, source: string): TaskReport {
  return parseDocument(REPORT, text, "no report of a task", source);
}
