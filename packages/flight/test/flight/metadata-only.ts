import type { FlightData } from "../../src/flight/protocol/flight-data.js";
import { NO_BYTES } from "./service.js";

/** A message that is metadata of the application alone, as other services send it. */
export function metadataOnly(appMetadata: Uint8Array): FlightData {
  return { descriptor: null, header: NO_BYTES, appMetadata, body: [] };
}
