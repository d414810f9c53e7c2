/** A Flight service in this process, over the adapter of gRPC, whose methods a test gives. */

import type { RecordBatch, Schema } from "apache-arrow";
import { encodeApacheSchema } from "../../../../src/ipc/write/apache-writer.js";
import { startFlightServer } from "../../src/flight/grpc-server.node.js";
import { MESSAGE_BYTES, toMessageFlightData } from "../../src/flight/messages/message-data.js";
import { encodeTableMessages } from "../../src/flight/messages/table-messages.js";
import type { FlightDescriptor } from "../../src/flight/protocol/descriptor.js";
import type { FlightData } from "../../src/flight/protocol/flight-data.js";
import type { FlightEndpoint, FlightInfo } from "../../src/flight/protocol/flight-info.js";
import type { FlightHandlers } from "../../src/flight/protocol/service.js";
import { CallError } from "../../src/flight/protocol/status.js";

const unimplemented = (): never => {
  throw new CallError("UNIMPLEMENTED", "not in this test");
};

const NOTHING: FlightHandlers = {
  handshake: unimplemented,
  listFlights: unimplemented,
  getFlightInfo: async () => unimplemented(),
  pollFlightInfo: async () => unimplemented(),
  getSchema: async () => unimplemented(),
  doGet: unimplemented,
  doPut: unimplemented,
  doExchange: unimplemented,
  doAction: unimplemented,
  listActions: unimplemented,
};

type ServerOptions = Partial<Parameters<typeof startFlightServer>[1]>;

export async function service(handlers: Partial<FlightHandlers>, options: ServerOptions = {}) {
  const server = await startFlightServer({ ...NOTHING, ...handlers }, { host: "127.0.0.1", port: 0, ...options });
  const scheme = options.tls === undefined ? "grpc" : "grpc+tls";
  return { ...server, uri: `${scheme}://localhost:${server.port}`.replace("localhost", "127.0.0.1") };
}

export const NO_BYTES = new Uint8Array(0);
export const text = (value: string) => new TextEncoder().encode(value);

export function endpoint(ticket: string, more: Partial<FlightEndpoint> = {}): FlightEndpoint {
  return { ticket: { ticket: text(ticket) }, locations: [], expirationTime: null, appMetadata: NO_BYTES, ...more };
}

export function flightInfo(
  schema: Schema,
  endpoints: readonly FlightEndpoint[],
  more: Partial<FlightInfo> & { readonly path?: readonly string[] } = {},
): FlightInfo {
  const { path = ["table"], ...rest } = more;
  const descriptor: FlightDescriptor = { kind: "path", path };
  return {
    ...{ schema: encodeApacheSchema(schema), descriptor, endpoints, totalRecords: -1, totalBytes: -1, ordered: true },
    appMetadata: NO_BYTES,
    ...rest,
  };
}

export const ticketText = ({ ticket }: { readonly ticket: Uint8Array }) => new TextDecoder().decode(ticket);

export async function* dataOf(batches: readonly RecordBatch[]): AsyncGenerator<FlightData> {
  const source = { schema: batches[0].schema, batches };
  for await (const message of encodeTableMessages(source, MESSAGE_BYTES)) yield toMessageFlightData(message);
}
