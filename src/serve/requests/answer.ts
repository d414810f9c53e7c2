/** What a request is answered with: a schema, and messages of Arrow's IPC format, or text. */

import type { TableMessage } from "../../flight/messages/message-data.js";
import type { TableMetadata } from "../../model/dataset.js";

export type TextFormat = "csv" | "json";

export interface Answer {
  /** For logs and messages. */
  readonly name: string;
  /** The schema as an encapsulated message. */
  schema(signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /** Null where only a scan can tell. */
  readonly rows: number | null;
  /** About; null where unknown. */
  bytes(signal: AbortSignal): Promise<number | null>;
  /** Rows of the table at which the answer begins; null where they are not counted. */
  readonly first: number | null;
  readonly metadata: TableMetadata | null;
  /** Entries of a matrix that are stored in front of each of these rows, which rise; null where it is none. */
  entriesBefore(rows: readonly number[], signal: AbortSignal): Promise<readonly number[] | null>;
  /** Of what it was made from: changes when that does. */
  readonly identity: string;
  /** As `Borrowed` has it. */
  readonly since: number | null;
  /** Whether it is the same as long as that is: not of datasets that are not, nor of statements. */
  readonly isFixed: boolean;
  /** The schema first, then dictionaries, then at least one batch. */
  messages(signal: AbortSignal): AsyncGenerator<TableMessage>;
  text(format: TextFormat, signal: AbortSignal): AsyncGenerator<Uint8Array>;
  /** To be called once, whatever happened. */
  close(): void;
}
