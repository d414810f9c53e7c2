/**
 * The requests of the `annarrow view` page as JSON documents. A server receives a request in the request body. The
 * worker of a page without a server receives it as a message.
 */

import { InvalidInputError } from "annarrow";
import * as v from "valibot";

const POSITION = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Selected cells or genes, given as names, positions, or a base64 bit mask (lowest bit first). */
const CHOSEN = v.union([
  v.strictObject({ names: v.array(v.string()) }),
  v.strictObject({ positions: v.array(POSITION) }),
  v.strictObject({ mask: v.string() }),
]);

const OF_INPUT = {
  /** Name of the input, as in the answer to `inputs`. */
  input: v.string(),
};

const OF_TABLE = { ...OF_INPUT, table: v.string() };

/** Formats of single-table files. */
export const ROWS_FORMATS = ["parquet", "arrow", "csv"] as const;

/** Formats for saved parts. `names` is a text file with one cell name per line. */
export const SAVED_FORMATS = ["h5ad", "zarr.zip", ...ROWS_FORMATS, "names"] as const;

const SORT = v.strictObject({ column: v.string(), descending: v.boolean() });

const REQUEST = v.variant("call", [
  /** Returns the inputs and the server's capabilities as `ViewInputs`. */
  v.strictObject({ call: v.literal("inputs") }),
  /** Returns the elements of an input as `ViewDescription`. */
  v.strictObject({ call: v.literal("describe"), ...OF_INPUT }),
  /** Returns table columns from a position on as a list of `ViewColumn`, but no more than `describe` returns. */
  v.strictObject({ call: v.literal("columns"), ...OF_TABLE, from: POSITION }),
  /**
   * Streams rows of a table: a range, or the rows at given positions in the order of these positions. `layout` is one
   * of the table's layouts; the first one is the default.
   */
  v.strictObject({
    call: v.literal("rows"),
    ...OF_TABLE,
    layout: v.optional(v.picklist(["coordinate", "list", "dense", "columns"])),
    columns: v.optional(v.array(v.string())),
    rows: v.optional(v.tuple([POSITION, POSITION])),
    at: v.optional(v.pipe(v.array(POSITION), v.maxLength(100_000))),
  }),
  /** Streams the sorted positions of rows that match an SQL condition. The stream has one column `position`. */
  v.strictObject({
    call: v.literal("positions"),
    ...OF_TABLE,
    filter: v.optional(v.string()),
    sort: v.optional(SORT),
  }),
  /**
   * Streams the entries of a gene over all cells as they are read: `row` (ascending) and `value`. `position` is the
   * gene's position in the matrix. `matrix` is `X`, `layers/…` or `raw/X`.
   */
  v.strictObject({ call: v.literal("gene"), ...OF_INPUT, matrix: v.string(), position: POSITION }),
  /** Streams the answer of a statement. */
  v.strictObject({ call: v.literal("sql"), ...OF_INPUT, sql: v.string() }),
  /**
   * Returns the state of the companion copy as `ViewCompanion`. The action `start` makes the copy in a cache folder.
   */
  v.strictObject({ call: v.literal("companion"), ...OF_INPUT, action: v.picklist(["state", "start", "stop"]) }),
  /**
   * Saves a subset as one file, which contains the selected elements (by default all). In Parquet, Arrow and CSV, the
   * file contains only the table that `element` names (by default `obs`).
   */
  v.strictObject({
    call: v.literal("save"),
    ...OF_INPUT,
    format: v.picklist(SAVED_FORMATS),
    obs: v.optional(CHOSEN),
    var: v.optional(CHOSEN),
    element: v.optional(v.string()),
  }),
  /** Saves table rows that match an SQL condition as a single file, in a given order. */
  v.strictObject({
    call: v.literal("save-rows"),
    ...OF_TABLE,
    format: v.picklist(ROWS_FORMATS),
    filter: v.optional(v.string()),
    sort: v.optional(SORT),
  }),
  /** Saves the answer of a statement as a single file. */
  v.strictObject({ call: v.literal("save-answer"), ...OF_INPUT, sql: v.string(), format: v.picklist(ROWS_FORMATS) }),
]);

export type ViewRequest = v.InferOutput<typeof REQUEST>;
export type ViewCall = ViewRequest["call"];
export type Chosen = v.InferOutput<typeof CHOSEN>;
export type SavedFormat = (typeof SAVED_FORMATS)[number];
export type RowsFormat = (typeof ROWS_FORMATS)[number];

export type FileRequest = ViewRequest & { readonly call: "save" | "save-rows" | "save-answer" };

export type SaveRequest = FileRequest & { readonly call: "save" };

export function isFileRequest(request: ViewRequest): request is FileRequest {
  return request.call.startsWith("save");
}

/** Answer to `inputs`. */
export interface ViewInputs {
  readonly inputs: readonly { readonly name: string; readonly bytes: number | null }[];
  /** Supported calls. For other calls, the page refers the user to `annarrow view`. */
  readonly calls: readonly ViewCall[];
}

/** Answer to `describe`. */
export interface ViewDescription {
  readonly name: string;
  readonly format: string;
  readonly version: string;
  /** Name of the format and its version. */
  readonly content: string;
  readonly container: string;
  readonly shape: readonly [number, number] | null;
  readonly tables: readonly ViewTable[];
  /** Elements that cannot be read, and the reasons. */
  readonly failures: readonly { readonly name: string; readonly error: string; readonly message: string }[];
  readonly warnings: readonly string[];
}

export interface ViewTable {
  readonly name: string;
  /** Kind of the element. The names are defined in docs/mapping.md, section 9. */
  readonly kind: string;
  readonly rows: number | null;
  /** Shape of a matrix; null for other tables. */
  readonly shape: readonly number[] | null;
  readonly derived: boolean;
  readonly axis: "row" | "col" | null;
  readonly layouts: readonly string[];
  /** Column that contains the row names of a dataframe; null for other tables. */
  readonly index: string | null;
  /** The first columns. `columns` returns the rest. */
  readonly columns: readonly ViewColumn[];
  readonly columnCount: number;
}

export interface ViewColumn {
  readonly name: string;
  /** Arrow type as text. */
  readonly type: string;
  readonly nullable: boolean;
}

/** Answer to `companion`. */
export interface ViewCompanion {
  /** `absent`: there is no copy. `useless`: every matrix is already stored by genes. `failed`: see the message. */
  readonly state: "absent" | "useless" | "making" | "ready" | "failed";
  /** Completed fraction, from 0 to 1. */
  readonly done: number;
  readonly message: string | null;
}

/** Progress of a file that the server makes. It is sent as lines, followed by a last line that contains the `path`. */
export interface ViewSaving {
  /** Element being written, and its completed fraction from 0 to 1; null if unknown. */
  readonly element: string | null;
  readonly share: number | null;
  /** Number of bytes written so far, for a file that is written sequentially; null for other files. */
  readonly bytes: number | null;
}

export type ViewAnswer =
  | { readonly kind: "json"; readonly value: unknown }
  /** The messages of an Arrow IPC stream. */
  | { readonly kind: "arrow"; readonly chunks: AsyncIterable<Uint8Array> }
  | { readonly kind: "file"; readonly name: string; readonly type: string; readonly chunks: AsyncIterable<Uint8Array> };

/** An error in the form that the page receives. */
export interface ViewError {
  /** Tag of an annarrow error, or `internal`. */
  readonly error: string;
  readonly message: string;
}

/** @throws {InvalidInputError} for a value that is not a request. */
export function parseViewRequest(value: unknown): ViewRequest {
  const found = v.safeParse(REQUEST, value);
  if (found.success) return found.output;
  const [issue] = found.issues;
  throw new InvalidInputError(`the request: ${v.getDotPath(issue) ?? "its form"}: ${issue.message}`);
}
