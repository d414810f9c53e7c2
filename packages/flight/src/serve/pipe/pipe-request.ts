/** The requests of a program through a pipe. Each request is a JSON document. */

import { InvalidInputError } from "annarrow";
import { readJson } from "annarrow/core/model";
import * as v from "valibot";

const POSITION = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Positions of an axis: names, numbers, a mask, a range, or a condition in SQL. */
const SELECTOR = v.union([
  v.array(v.string()),
  v.array(v.number()),
  v.array(v.boolean()),
  v.strictObject({ slice: v.tuple([POSITION, v.nullable(POSITION)]) }),
  v.strictObject({ sql: v.string() }),
]);

const OPTIONS = v.strictObject({
  /** The group that contains the dataset, if it is not the root. */
  path: v.exactOptional(v.string()),
  companion: v.exactOptional(v.string()),
  follow: v.exactOptional(v.array(v.string())),
  anonymous: v.exactOptional(v.boolean()),
  requesterPays: v.exactOptional(v.boolean()),
  text: v.exactOptional(v.picklist(["error", "latin1"])),
  openAs: v.exactOptional(v.picklist(["hdf5", "zarr"])),
  cf: v.exactOptional(v.boolean()),
  /** Groups of generic HDF5 and Zarr files whose arrays are the columns of one table. */
  frame: v.exactOptional(v.array(v.string())),
});

const TABLE = {
  /** Number of the dataset in the answer to `open`. */
  dataset: POSITION,
  table: v.string(),
  layout: v.exactOptional(v.picklist(["coordinate", "list", "dense", "columns"])),
  columns: v.exactOptional(v.array(v.string())),
};

const REQUEST = v.variant("kind", [
  v.strictObject({ kind: v.literal("open"), input: v.string(), options: OPTIONS }),
  v.strictObject({ kind: v.literal("close"), dataset: POSITION }),
  /** Request for the paths that match name patterns. */
  v.strictObject({ kind: v.literal("files"), patterns: v.array(v.string()), options: OPTIONS }),
  v.strictObject({ kind: v.literal("schema"), ...TABLE }),
  v.strictObject({
    kind: v.literal("read"),
    ...TABLE,
    rows: v.exactOptional(v.tuple([POSITION, POSITION])),
    where: v.exactOptional(v.strictObject({ row: v.exactOptional(SELECTOR), col: v.exactOptional(SELECTOR) })),
  }),
]);

/** A request, and the token that authorizes the program. */
const ENVELOPE = v.strictObject({ token: v.string(), request: REQUEST });

export type PipeRequest = v.InferOutput<typeof REQUEST>;
export type PipeOptions = v.InferOutput<typeof OPTIONS>;
export type PipeSelector = v.InferOutput<typeof SELECTOR>;

/** @throws {InvalidInputError} for anything that is not a request. */
export function parseRequest(bytes: Uint8Array): v.InferOutput<typeof ENVELOPE> {
  let value: unknown;
  try {
    value = readJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new InvalidInputError("the request is no JSON in UTF-8", { cause });
  }
  const found = v.safeParse(ENVELOPE, value);
  if (found.success) return found.output;
  const [issue] = found.issues;
  throw new InvalidInputError(`the request: ${v.getDotPath(issue) ?? "its form"}: ${issue.message}`);
}
