/** Messages between the server and the thread that runs a statement. */

import type { GenericFileOptions } from "annarrow/core/api";
import type { SerializableError } from "annarrow/core/jobs";
import type { TextFormat } from "../requests/answer.js";

export interface StatementDataset {
  /** Schema of the dataset's tables; null for tables that are named without a schema. */
  readonly schema: string | null;
  readonly file: string;
}

export interface StatementTask {
  readonly sql: string;
  /** At most one dataset has no schema. */
  readonly datasets: readonly StatementDataset[];
  /** Name of the uploaded table; null if there is none. */
  readonly upload: string | null;
  /** Rows of values for the statement's parameters, as an Arrow IPC stream; null if there are no values. */
  readonly parameters: Uint8Array | null;
  /** `schema` and `prepared` read no rows. `prepared` also returns the schema of the parameters. */
  readonly wanted: "rows" | "schema" | "prepared";
  readonly format: "arrow" | TextFormat;
  /** Where to look for companions (copies of matrices by gene), as in `open`. */
  readonly companion: string;
  readonly plain: GenericFileOptions;
  /** Limit on DuckDB's memory, in bytes. Tables use half of it; further tables go into temporary files. */
  readonly memory: number;
  /** Maximum size of these temporary files in bytes. */
  readonly tempSize: number;
  /** Maximum size in bytes of a value, of a row and of a batch in the answer. */
  readonly maxCell: number;
  /** Maximum size of one message in bytes, unless a single row is larger. */
  readonly messageBytes: number;
}

export type ToStatement =
  /** A thread receives a task only after its previous task has ended. */
  | { readonly kind: "task"; readonly task: StatementTask }
  /** Bytes of the uploaded Arrow IPC stream. */
  | { readonly kind: "upload"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "uploaded" }
  /** The last part of the answer was sent. */
  | { readonly kind: "more" };

export type FromStatement =
  /** The last part of the upload was received. */
  | { readonly kind: "taken" }
  /** Warnings about the answer, sent before it. */
  | { readonly kind: "warnings"; readonly warnings: readonly string[] }
  /** The schema of the answer, or of the parameters, which is sent first. */
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
  | { readonly kind: "failed"; readonly error: SerializableError; readonly isReusable: boolean };
