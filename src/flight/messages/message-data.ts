/** Encoded messages of Arrow's IPC format as messages of Flight. Nothing is copied: header and body are views. */

import type { EncodedMessage } from "../../ipc/write/message.js";
import type { FlightData } from "../protocol/flight-data.js";

/** The most that one message has where nothing else is asked for: half of what gRPC takes by default. */
export const MESSAGE_BYTES = 2 ** 21;

/** Marker and length, which stand in front of a message in files and streams, not in Flight. */
const PREFIX = 8;

/** One message on its way: the schema, a dictionary, or rows. */
export interface TableMessage extends EncodedMessage {
  /** Null for what is no rows. */
  readonly rows: number | null;
  /** Of the metadata's last bytes, how many mean nothing; 0 by default. */
  readonly spare?: number;
  /** To be called once nobody looks at the bytes any more: others are put there. */
  readonly done?: () => void;
}

const NOTHING = new Uint8Array(0);

/** Bytes of values in a batch whose message, with metadata, bitmaps and padding, has at most `maxBytes` as a rule. */
export function batchBytesFor(maxBytes: number): number {
  return Math.max(1, Math.floor((15 / 16) * maxBytes));
}

/** A schema, a dictionary or a record batch. */
export function messageData({ bytes, metadataLength }: EncodedMessage, appMetadata: Uint8Array = NOTHING): FlightData {
  return {
    descriptor: null,
    header: bytes.subarray(PREFIX, metadataLength),
    appMetadata,
    body: [bytes.subarray(metadataLength)],
  };
}

/** A schema as the message that it is. */
export function schemaOf(bytes: Uint8Array<ArrayBuffer>): TableMessage {
  return { bytes, metadataLength: bytes.length, bodyLength: 0, rows: null };
}

/** A schema, of its encapsulated message: what stands in `FlightInfo`. */
export function schemaData(schema: Uint8Array, appMetadata: Uint8Array = NOTHING): FlightData {
  return { descriptor: null, header: schema.subarray(PREFIX), appMetadata, body: [] };
}
