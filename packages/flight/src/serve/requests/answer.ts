/** An answer: a schema, and rows as messages of Arrow's IPC format or as text. */

import type { TableMetadata } from "annarrow";
import type { TableMessage } from "../../flight/messages/message-data.js";

export type TextFormat = "csv" | "json";

export interface Answer {
  /** Name of the dataset, and of the table if there is one, for logs and messages. */
  readonly name: string;
  /** The schema as an encapsulated message. */
  schema(signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /** Number of rows; null where only a scan can tell. */
  readonly rows: number | null;
  /** Approximate bytes of all rows; null where unknown. */
  bytes(signal: AbortSignal): Promise<number | null>;
  /** Position of the first row in the table; null if rows are not counted. */
  readonly first: number | null;
  readonly metadata: TableMetadata | null;
  /** Number of stored entries of a matrix before each of these ascending rows; null for other tables. */
  entriesBefore(rows: readonly number[], signal: AbortSignal): Promise<readonly number[] | null>;
  /** Identity of the file or folder, which changes with its content. */
  readonly identity: string;
  /** See `Borrowed.since`. */
  readonly since: number | null;
  /** Whether equal identities mean equal answers: false for statements, and for datasets that are not fixed. */
  readonly isFixed: boolean;
  /** The schema first, then dictionaries, then at least one batch. */
  messages(signal: AbortSignal): AsyncGenerator<TableMessage>;
  text(format: TextFormat, signal: AbortSignal): AsyncGenerator<Uint8Array>;
  /** Warnings about names in the answer, available after its first message. */
  warnings(): readonly string[];
  /** Releases the dataset. The caller calls it once, also after errors. */
  close(): void;
}
