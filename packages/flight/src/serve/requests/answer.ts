/** An answer: a schema, and rows as messages of Arrow's IPC format or as text. */

import type { TableMetadata } from "annarrow";
import type { TableMessage } from "../../flight/messages/message-data.js";

export type TextFormat = "csv" | "json";

export interface Answer {
  /** Name of the dataset, and of the table if there is one, for logs and messages. */
  readonly name: string;
  /** The schema as an encapsulated IPC message. */
  schema(signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /** Number of rows; null if only a scan can determine it. */
  readonly rows: number | null;
  /** Approximate size of all rows in bytes; null if unknown. */
  bytes(signal: AbortSignal): Promise<number | null>;
  /** Position of the first row in the table; null if rows are not counted. */
  readonly first: number | null;
  readonly metadata: TableMetadata | null;
  /** Number of a matrix's stored entries before each of these ascending rows; null for other tables. */
  entriesBefore(rows: readonly number[], signal: AbortSignal): Promise<readonly number[] | null>;
  /** Identity of the file or folder. It changes when the content changes. */
  readonly identity: string;
  /** See `Borrowed.since`. */
  readonly since: number | null;
  /** Whether equal identities imply equal answers. False for statements, and for datasets that are not fixed. */
  readonly isFixed: boolean;
  /** The schema first, then dictionaries, then at least one batch. */
  messages(signal: AbortSignal): AsyncGenerator<TableMessage>;
  text(format: TextFormat, signal: AbortSignal): AsyncGenerator<Uint8Array>;
  /** Warnings about names in the answer. They are available after the first message. */
  warnings(): readonly string[];
  /** Releases the dataset. The caller must call this once, even after errors. */
  close(): void;
}
