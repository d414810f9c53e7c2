/** Messages between the server and the thread of a statement. */

import type { PlainError } from "../../jobs/workers/messages.js";
import type { TextFormat } from "../requests/answer.js";

/** The task of the thread: one statement. */
export interface StatementTask {
  readonly sql: string;
  /** Path of the dataset; null for a statement about an upload alone. */
  readonly file: string | null;
  /** Name of the uploaded table; null without one. */
  readonly upload: string | null;
  /** Whether only the schema is wanted; no rows are read then. */
  readonly schemaOnly: boolean;
  readonly format: "arrow" | TextFormat;
  /** Limit of DuckDB's memory, in bytes. */
  readonly memory: number;
  /** Limit of the bytes of one message, unless a single row has more. */
  readonly messageBytes: number;
}

export type ToStatement =
  /** Bytes of the uploaded Arrow IPC stream. */
  | { readonly kind: "upload"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "uploaded" }
  /** The last piece of the answer was sent. */
  | { readonly kind: "more" };

export type FromStatement =
  /** The last piece of the upload was taken. */
  | { readonly kind: "taken" }
  | { readonly kind: "schema"; readonly bytes: Uint8Array<ArrayBuffer> }
  | {
      readonly kind: "message";
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly metadataLength: number;
      readonly bodyLength: number;
      readonly rows: number | null;
    }
  | { readonly kind: "text"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "end" }
  | { readonly kind: "failed"; readonly error: PlainError };
