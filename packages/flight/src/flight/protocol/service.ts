/** The interface of a Flight service over any transport. */

import type { Action, ActionResult, ActionType, PutResult } from "./action.js";
import type { Criteria, FlightDescriptor, FlightTicket } from "./descriptor.js";
import type { FlightData } from "./flight-data.js";
import type { FlightInfo, PollInfo, SchemaResult } from "./flight-info.js";
import type { Handshake } from "./handshake.js";

export interface ServerCall {
  /** Name of the method: `DoGet`. */
  readonly method: string;
  readonly peer: string;
  /** Aborts when the client cancels, its deadline passes, the connection is lost, or the call is over. */
  readonly signal: AbortSignal;
  /** Returns the values that the client sent under a lowercase key, such as `authorization`. */
  metadata(key: string): readonly string[];
  /** Sets a response header. Must be called before the first message. */
  setHeader(key: string, value: string): void;
}

/**
 * The methods. An error that they throw becomes the call's status (`callError`). The messages of a streamed response
 * are requested as fast as the client reads them. When the client disconnects, the generator is ended. The memory of a
 * message is free when the next message is requested, or for a message with a frame, when its `sent` is called.
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
