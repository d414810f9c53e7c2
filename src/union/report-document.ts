/** The report of a task as JSON: the files that it has written, and facts that a commit compares with the plan. */

import * as v from "valibot";
import { COUNT } from "./json-types.js";
import { parsed } from "./plan-document.js";

/** The table that says which dataset has measured which feature. */
export const PRESENCE = "uns/presence";

/** A file of rows of one dataset. */
export const PART = v.object({
  /** Name of the table: `obs`, `uns/presence`, `X`, `layers/counts`. */
  table: v.string(),
  file: v.string(),
  dataset: v.string(),
  /** Rows of the table in this file: entries of a matrix. */
  rows: COUNT,
  /** Observations of the dataset that the file covers, as global rows: [first, end). */
  range: v.tuple([COUNT, COUNT]),
  /** Sum of the values of a matrix, in the order of the entries; absent for other tables. */
  sum: v.optional(v.nullable(v.number())),
  bytes: COUNT,
  sha256: v.string(),
});

/** A file of rows of one dataset. */
export type UnionPart = v.InferOutput<typeof PART>;

const REPORT = v.object({
  annarrow: v.literal("union task"),
  version: v.literal(1),
  plan: v.string(),
  task: COUNT,
  parts: v.array(PART),
  /** Categories of columns of obs, dataset by dataset, in their order. */
  categories: v.array(v.object({ dataset: v.string(), column: v.string(), values: v.array(v.string()) })),
});

/** The result of a task. Equal runs of a task have equal reports. */
export type TaskReport = v.InferOutput<typeof REPORT>;

/** @throws {InvalidDataError} for text that is no report. */
export function parseReport(text: string, source: string): TaskReport {
  return parsed(REPORT, text, "no report of a task", source);
}
