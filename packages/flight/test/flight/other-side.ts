/** Messages that our server only reads, and our client never sends, or the other way round: the side that is missing. */

import type { CancelStatus } from "../../src/flight/protocol/action.js";
import {
  type FlightEndpoint,
  type FlightInfo,
  writeEndpoint,
  writeFlightInfo,
} from "../../src/flight/protocol/flight-info.js";
import type { BasicAuth } from "../../src/flight/protocol/handshake.js";
import { parseProtoFields } from "../../src/flight/protocol/proto-reader.js";
import { ProtoWriter } from "../../src/flight/protocol/proto-writer.js";

/** What the payload of a handshake may be. */
export function writeBasicAuth({ username, password }: BasicAuth): ProtoWriter {
  return new ProtoWriter().string(2, username).string(3, password);
}

/** The body of the action `CancelFlightInfo`. */
export function writeCancelFlightInfo(info: FlightInfo): ProtoWriter {
  return new ProtoWriter().message(1, writeFlightInfo(info));
}

/** The result of the action `CancelFlightInfo`. */
export function readCancelResult(bytes: Uint8Array): CancelStatus {
  const names: readonly CancelStatus[] = ["unspecified", "cancelled", "cancelling", "not-cancellable"];
  let status = 0;
  for (const field of parseProtoFields(bytes, "CancelFlightInfoResult")) if (field.number === 1) status = field.int32();
  return names[status] ?? "unspecified";
}

/** The body of the action `RenewFlightEndpoint`; its result is an endpoint. */
export function writeRenewEndpoint(endpoint: FlightEndpoint): ProtoWriter {
  return new ProtoWriter().message(1, writeEndpoint(endpoint));
}
