/**
 * What the page of `annarrow view` asks, as one document of JSON. A server gets it as the body of a request, the worker of
 * a page without a server as a message.
 */

import * as v from "valibot";
import { InvalidInputError } from "../model/errors.js";

const POSITION = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Cells or genes of a part: names, positions, or a mask with one bit for each position (the lowest bit first), in base64. */
const CHOSEN = v.union([
  v.strictObject({ names: v.array(v.string()) }),
  v.strictObject({ positions: v.array(POSITION) }),
  v.strictObject({ mask: v.string() }),
]);

const OF_INPUT = {
  /** Name of the input, as `inputs` lists it. */
  input: v.string(),
};

const OF_TABLE = { ...OF_INPUT, table: v.string() };

/** Formats of files of one table. */
export const ROWS_FORMATS = ["parquet", "arrow", "csv"] as const;

/** Formats of files that a part is saved as; `names` is a text file of the names of the cells, one a line. */
export const SAVED_FORMATS = ["h5ad", "zarr.zip", ...ROWS_FORMATS, "names"] as const;

const SORT = v.strictObject({ column: v.string(), descending: v.boolean() });

const REQUEST = v.variant("call", [
  /** What can be viewed, and what the server can do: `ViewInputs`. */
  v.strictObject({ call: v.literal("inputs") }),
  /** The elements of an input: `ViewDescription`. */
  v.strictObject({ call: v.literal("describe"), ...OF_INPUT }),
  /** The columns of a table from a position on, as many as `describe` gives at most: a list of `ViewColumn`. */
  v.strictObject({ call: v.literal("columns"), ...OF_TABLE, from: POSITION }),
  /**
   * Rows of a table as a stream: a range of them, or those at some positions, in the order of the positions. `layout` is
   * one of the table's layouts; its first by default.
   */
  v.strictObject({
    call: v.literal("rows"),
    ...OF_TABLE,
    layout: v.optional(v.picklist(["coordinate", "list", "dense", "columns"])),
    columns: v.optional(v.array(v.string())),
    rows: v.optional(v.tuple([POSITION, POSITION])),
    at: v.optional(v.pipe(v.array(POSITION), v.maxLength(100_000))),
  }),
  /** The positions of the rows of a table that meet a condition in SQL, sorted: a stream of one column `position`. */
  v.strictObject({
    call: v.literal("positions"),
    ...OF_TABLE,
    filter: v.optional(v.string()),
    sort: v.optional(SORT),
  }),
  /**
   * The entries of a gene over all cells: a stream of `row` and `value`, rows ascending, as they are read. `position` is the
   * gene's in the matrix; `matrix` is `X`, `layers/…` or `raw/X`.
   */
  v.strictObject({ call: v.literal("gene"), ...OF_INPUT, matrix: v.string(), position: POSITION }),
  /** The answer of a statement, as a stream. */
  v.strictObject({ call: v.literal("sql"), ...OF_INPUT, sql: v.string() }),
  /** State of the copy by genes: `ViewCompanion`; `start` begins to make it, in a folder for caches. */
  v.strictObject({ call: v.literal("companion"), ...OF_INPUT, action: v.picklist(["state", "start", "stop"]) }),
  /**
   * A part as one file. Chosen elements are those that the part has, all by default. Parquet, Arrow and CSV have the one
   * table that `element` names, `obs` by default.
   */
  v.strictObject({
    call: v.literal("save"),
    ...OF_INPUT,
    format: v.picklist(SAVED_FORMATS),
    obs: v.optional(CHOSEN),
    var: v.optional(CHOSEN),
    element: v.optional(v.string()),
  }),
  /** The rows of a table that meet a condition in SQL, in an order, as one file. */
  v.strictObject({
    call: v.literal("save-rows"),
    ...OF_TABLE,
    format: v.picklist(ROWS_FORMATS),
    filter: v.optional(v.string()),
    sort: v.optional(SORT),
  }),
  /** The answer of a statement as one file. */
  v.strictObject({ call: v.literal("save-answer"), ...OF_INPUT, sql: v.string(), format: v.picklist(ROWS_FORMATS) }),
]);

export type ViewRequest = v.InferOutput<typeof REQUEST>;
export type ViewCall = ViewRequest["call"];
export type Chosen = v.InferOutput<typeof CHOSEN>;
export type SavedFormat = (typeof SAVED_FORMATS)[number];
export type RowsFormat = (typeof ROWS_FORMATS)[number];

/** Requests that are answered by a file. */
export type FileRequest = ViewRequest & { readonly call: "save" | "save-rows" | "save-answer" };

/** A request for a part. */
export type SaveRequest = FileRequest & { readonly call: "save" };

export function isFileRequest(request: ViewRequest): request is FileRequest {
  return request.call.startsWith("save");
}

/** Answer to `inputs`. */
export interface ViewInputs {
  readonly inputs: readonly { readonly name: string; readonly bytes: number | null }[];
  /** Calls that are answered here; the page says of others that they need `annarrow view`. */
  readonly calls: readonly ViewCall[];
}

/** Answer to `describe`. */
export interface ViewDescription {
  readonly name: string;
  readonly format: string;
  readonly version: string;
  /** The format and its version in words. */
  readonly content: string;
  readonly container: string;
  readonly shape: readonly [number, number] | null;
  readonly tables: readonly ViewTable[];
  /** Elements that cannot be read, with the reason. */
  readonly failures: readonly { readonly name: string; readonly error: string; readonly message: string }[];
  readonly warnings: readonly string[];
}

export interface ViewTable {
  readonly name: string;
  /** Kind of the element, as docs/mapping.md, section 9, names it. */
  readonly kind: string;
  readonly rows: number | null;
  /** Size of a matrix. */
  readonly shape: readonly number[] | null;
  readonly derived: boolean;
  readonly axis: "row" | "col" | null;
  readonly layouts: readonly string[];
  /** Column that has the names of the rows, of a frame. */
  readonly index: string | null;
  /** The first columns; `columns` gives the others. */
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
  /** `absent` where none exists, `useless` where every matrix is already stored by genes, `failed` with a message. */
  readonly state: "absent" | "useless" | "making" | "ready" | "failed";
  /** Share that is made, from 0 to 1. */
  readonly done: number;
  readonly message: string | null;
}

/** How far a file is made that a server makes: a line of its answer before the last one, which has the `path`. */
export interface ViewSaving {
  /** The element that is written, and the share of it, from 0 to 1; null where nobody knows. */
  readonly element: string | null;
  readonly share: number | null;
  /** Bytes of a file that is written from its beginning to its end; null for others. */
  readonly bytes: number | null;
}

/** What a request is answered by. */
export type ViewAnswer =
  | { readonly kind: "json"; readonly value: unknown }
  /** The messages of an Arrow IPC stream. */
  | { readonly kind: "arrow"; readonly chunks: AsyncIterable<Uint8Array> }
  | { readonly kind: "file"; readonly name: string; readonly type: string; readonly chunks: AsyncIterable<Uint8Array> };

/** An error as the page gets it. */
export interface ViewError {
  /** Tag of an error of annarrow, or `internal`. */
  readonly error: string;
  readonly message: string;
}

/** @throws {InvalidInputError} for what is no request. */
export function parseViewRequest(value: unknown): ViewRequest {
  const found = v.safeParse(REQUEST, value);
  if (found.success) return found.output;
  const [issue] = found.issues;
  throw new InvalidInputError(`the request: ${v.getDotPath(issue) ?? "its form"}: ${issue.message}`);
}
