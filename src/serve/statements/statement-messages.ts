/** Messages between the server and the thread of a statement. */

import type { PlainFileOptions } from "../../api/open.js";
import type { PlainError } from "../../jobs/workers/messages.js";
import type { TextFormat } from "../requests/answer.js";

/** A dataset whose tables a statement may name. */
export interface StatementDataset {
  /** The schema of its tables; null for tables that are named alone. */
  readonly schema: string | null;
  readonly file: string;
}

/** The task of the thread: one statement. */
export interface StatementTask {
  readonly sql: string;
  /** At most one of them has no schema. */
  readonly datasets: readonly StatementDataset[];
  /** Name of the uploaded table; null without one. */
  readonly upload: string | null;
  /** Rows of values for the statement's parameters, as an Arrow IPC stream; null for no values. */
  readonly parameters: Uint8Array | null;
  /** `schema` and `prepared` read no rows; `prepared` answers with the schema of the parameters too. */
  readonly wanted: "rows" | "schema" | "prepared";
  readonly format: "arrow" | TextFormat;
  /** Where copies of matrices by genes are looked for, as in `open`. */
  readonly companion: string;
  readonly plain: PlainFileOptions;
  /** Limit of DuckDB's memory, in bytes. Tables have half of it; further ones go into temporary files. */
  readonly memory: number;
  /** Limit of the bytes of these files. */
  readonly tempSize: number;
  /** Limit of the bytes of a value, of a row and of a batch of the answer. */
  readonly maxCell: number;
  /** Limit of the bytes of one message, unless a single row has more. */
  readonly messageBytes: number;
}

export type ToStatement =
  /** A thread gets a task when its last one is over. */
  | { readonly kind: "task"; readonly task: StatementTask }
  /** Bytes of the uploaded Arrow IPC stream. */
  | { readonly kind: "upload"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "uploaded" }
  /** The last piece of the answer was sent. */
  | { readonly kind: "more" };

export type FromStatement =
  /** The last piece of the upload was taken. */
  | { readonly kind: "taken" }
  /** What the client should know of the answer, before it. */
  | { readonly kind: "warnings"; readonly warnings: readonly string[] }
  /** The schema of the answer, or the one of the parameters, which comes first. */
  | { readonly kind: "schema"; readonly bytes: Uint8Array<ArrayBuffer> }
  | {
      readonly kind: "message";
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly metadataLength: number;
      readonly bodyLength: number;
      readonly rows: number | null;
    }
  | { readonly kind: "text"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "end"; readonly isReusable: boolean }
  | { readonly kind: "failed"; readonly error: PlainError; readonly isReusable: boolean };
