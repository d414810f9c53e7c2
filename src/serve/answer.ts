/** What a request is answered with: a schema, and messages of Arrow's IPC format, or text. */

import type { TableMetadata } from "../dataset.js";
import type { TableMessage } from "../sinks/flight/message-data.js";

export type TextFormat = "csv" | "json";

export interface Answer {
  /** For logs and messages. */
  readonly name: string;
  /** The schema as an encapsulated message. */
  schema(signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /** Null where only a scan can tell. */
  readonly rows: number | null;
  /** About; null where unknown. */
  readonly bytes: number | null;
  /** Rows of the table at which the answer begins; null where they are not counted. */
  readonly first: number | null;
  readonly metadata: TableMetadata | null;
  /** Whether its rows are the stored entries of a matrix. */
  readonly isCoordinates: boolean;
  /** Of what it was made from: changes when that does. */
  readonly identity: string;
  /** The schema first, then dictionaries, then at least one batch. */
  messages(signal: AbortSignal): AsyncGenerator<TableMessage>;
  text(format: TextFormat, signal: AbortSignal): AsyncGenerator<Uint8Array>;
  /** To be called once, whatever happened. */
  close(): void;
}
