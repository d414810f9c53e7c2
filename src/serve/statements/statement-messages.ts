/** What goes between the server and the thread in which a statement runs. */

import type { PlainError } from "../../jobs/workers/messages.js";
import type { TextFormat } from "../requests/answer.js";

/** What a statement is about. */
export interface StatementTask {
  readonly sql: string;
  /** The path of a dataset; null where there is only what is uploaded. */
  readonly file: string | null;
  /** What the uploaded table is called; null where there is none. */
  readonly upload: string | null;
  /** Only the schema: no rows are read. */
  readonly schemaOnly: boolean;
  readonly format: "arrow" | TextFormat;
  /** What DuckDB may take, in bytes. */
  readonly memory: number;
  /** Of one message at most, where a single row has not more. */
  readonly messageBytes: number;
}

export type ToStatement =
  /** Bytes of the Arrow IPC stream that is uploaded. */
  | { readonly kind: "upload"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "uploaded" }
  /** The last piece of the answer has gone. */
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
