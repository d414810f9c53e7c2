/** What a Flight service is made of, whichever transport it stands behind. */

import type { Action, ActionResult, ActionType, PutResult } from "./action.js";
import type { Criteria, FlightDescriptor, FlightTicket } from "./descriptor.js";
import type { FlightData } from "./flight-data.js";
import type { FlightInfo, PollInfo, SchemaResult } from "./flight-info.js";
import type { Handshake } from "./handshake.js";

/** One call, as its handler sees it. */
export interface ServerCall {
  /** `DoGet` */
  readonly method: string;
  /** Address of the client. */
  readonly peer: string;
  /** Aborted where the client cancels, its deadline passes, or the connection is lost; also once the call is over. */
  readonly signal: AbortSignal;
  /** The values that the client sent under a key, which is in lower case: `authorization`. */
  metadata(key: string): readonly string[];
  /** A header of the answer; before the first message of it. */
  setHeader(key: string, value: string): void;
}

/**
 * The methods. What they throw becomes the status of the call (`callError`). An answer that is a stream is taken message
 * by message as the client takes it; when the client is gone the generator is ended. Once the next message is asked for,
 * nobody looks at the memory of the one before, but for those with a frame, which are told.
 */
export interface FlightHandlers {
  handshake(requests: AsyncIterable<Handshake>, call: ServerCall): AsyncIterable<Handshake>;
  listFlights(criteria: Criteria, call: ServerCall): AsyncIterable<FlightInfo>;
  getFlightInfo(descriptor: FlightDescriptor, call: ServerCall): Promise<FlightInfo>;
  pollFlightInfo(descriptor: FlightDescriptor, call: ServerCall): Promise<PollInfo>;
  getSchema(descriptor: FlightDescriptor, call: ServerCall): Promise<SchemaResult>;
  doGet(ticket: FlightTicket, call: ServerCall): AsyncIterable<FlightData>;
  doPut(data: AsyncIterable<FlightData>, call: ServerCall): AsyncIterable<PutResult>;
  doExchange(data: AsyncIterable<FlightData>, call: ServerCall): AsyncIterable<FlightData>;
  doAction(action: Action, call: ServerCall): AsyncIterable<ActionResult>;
  listActions(call: ServerCall): AsyncIterable<ActionType>;
}
