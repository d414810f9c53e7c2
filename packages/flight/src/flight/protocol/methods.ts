/** The methods of `arrow.flight.protocol.FlightService`, with codecs for their requests and responses. */

import {
  type Action,
  type ActionResult,
  type ActionType,
  type PutResult,
  readAction,
  readActionResult,
  readActionType,
  readPutResult,
  writeAction,
  writeActionResult,
  writeActionType,
  writePutResult,
} from "./action.js";
import {
  type Criteria,
  type FlightDescriptor,
  type FlightTicket,
  readCriteria,
  readDescriptor,
  readTicket,
  writeCriteria,
  writeDescriptor,
  writeTicket,
} from "./descriptor.js";
import { type FlightData, type GrpcFrame, readFlightData, writeFlightData } from "./flight-data.js";
import {
  type FlightInfo,
  type PollInfo,
  readFlightInfo,
  readPollInfo,
  readSchemaResult,
  type SchemaResult,
  writeFlightInfo,
  writePollInfo,
  writeSchemaResult,
} from "./flight-info.js";
import { type Handshake, readHandshake, writeHandshake } from "./handshake.js";
import { parseProtoFields } from "./proto-reader.js";
import { ProtoWriter } from "./proto-writer.js";

export interface MessageCodec<T> {
  write(value: T): ProtoWriter;
  /** Returns the message as a complete frame; null or absent if the message is not stored as a frame. */
  frame?(value: T): GrpcFrame | null;
  /** @throws {InvalidDataError} if the bytes are not a valid message. */
  read(bytes: Uint8Array): T;
}

export interface FlightMethod<Request, Response> {
  readonly name: string;
  /** `/arrow.flight.protocol.FlightService/DoGet` */
  readonly path: string;
  readonly request: MessageCodec<Request>;
  readonly response: MessageCodec<Response>;
}

const FLIGHT_SERVICE = "arrow.flight.protocol.FlightService";

export type Empty = Readonly<Record<never, never>>;

const empty: MessageCodec<Empty> = {
  write: () => new ProtoWriter(),
  read(bytes) {
    for (const _ of parseProtoFields(bytes, "Empty"));
    return {};
  },
};
const descriptor: MessageCodec<FlightDescriptor> = { write: writeDescriptor, read: readDescriptor };
const flightInfo: MessageCodec<FlightInfo> = { write: writeFlightInfo, read: readFlightInfo };
const flightData: MessageCodec<FlightData> = {
  write: writeFlightData,
  frame: ({ frame = null }) => frame,
  read: readFlightData,
};
const handshake: MessageCodec<Handshake> = { write: writeHandshake, read: readHandshake };
const criteria: MessageCodec<Criteria> = { write: writeCriteria, read: readCriteria };
const pollInfo: MessageCodec<PollInfo> = { write: writePollInfo, read: readPollInfo };
const schemaResult: MessageCodec<SchemaResult> = { write: writeSchemaResult, read: readSchemaResult };
const ticket: MessageCodec<FlightTicket> = { write: writeTicket, read: readTicket };
const putResult: MessageCodec<PutResult> = { write: writePutResult, read: readPutResult };
const action: MessageCodec<Action> = { write: writeAction, read: readAction };
const actionResult: MessageCodec<ActionResult> = { write: writeActionResult, read: readActionResult };
const actionType: MessageCodec<ActionType> = { write: writeActionType, read: readActionType };

function method<Request, Response>(
  name: string,
  request: MessageCodec<Request>,
  response: MessageCodec<Response>,
): FlightMethod<Request, Response> {
  return { name, path: `/${FLIGHT_SERVICE}/${name}`, request, response };
}

/** All methods. `FlightHandlers` declares which requests and responses are streams. */
export const METHODS = {
  handshake: method("Handshake", handshake, handshake),
  listFlights: method("ListFlights", criteria, flightInfo),
  getFlightInfo: method("GetFlightInfo", descriptor, flightInfo),
  pollFlightInfo: method("PollFlightInfo", descriptor, pollInfo),
  getSchema: method("GetSchema", descriptor, schemaResult),
  doGet: method("DoGet", ticket, flightData),
  doPut: method("DoPut", flightData, putResult),
  doExchange: method("DoExchange", flightData, flightData),
  doAction: method("DoAction", action, actionResult),
  listActions: method("ListActions", empty, actionType),
};
