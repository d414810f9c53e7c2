/** The interface of a Flight service over any transport. */

import type { Action, ActionResult, ActionType, PutResult } from "./action.js";
import type { Criteria, FlightDescriptor, FlightTicket } from "./descriptor.js";
import type { FlightData } from "./flight-data.js";
import type { FlightInfo, PollInfo, SchemaResult } from "./flight-info.js";
import type { Handshake } from "./handshake.js";

/** One call, for its handler. */
export interface ServerCall {
  /** `DoGet` */
  readonly method: string;
  /** Address of the client. */
  readonly peer: string;
  /** Aborts when the client cancels, its deadline passes, the connection is lost, or the call is over. */
  readonly signal: AbortSignal;
  /** The values that the client sent under a key in lower case: `authorization`. */
  metadata(key: string): readonly string[];
  /** Sets a header of the answer, before its first message. */
  setHeader(key: string, value: string): void;
}

/**
 * The methods. An error that they throw becomes the status of the call (`callError`). The messages of a streamed answer are
 * taken as the client takes them; when the client is gone, the generator is ended. When the next message is asked for, the
 * memory of the one before is free. A message with a frame is reported as sent by `sent` instead.
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
