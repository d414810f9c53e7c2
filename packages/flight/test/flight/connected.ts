/** A client and a service over a real connection, both of which end with the test. */

import { cleanups } from "../../../../test/cleanups.js";
import type { FlightConnection, FlightOptions } from "../../src/flight/connection.js";
import { connectFlight } from "../../src/flight/grpc-client.node.js";
import type { FlightData } from "../../src/flight/protocol/flight-data.js";
import type { FlightHandlers } from "../../src/flight/protocol/service.js";
import { NO_BYTES, service, text } from "./service.js";

export function closedAfterTest<T extends { close(): unknown }>(one: T): T {
  cleanups.test.add(() => one.close());
  return one;
}

export async function connected(
  handlers: Partial<FlightHandlers>,
  options: Parameters<typeof service>[1] = {},
  client: FlightOptions = {},
): Promise<FlightConnection> {
  const server = await service(handlers, options);
  const connection = await connectFlight(server.uri, client);
  closedAfterTest(server);
  closedAfterTest(connection);
  return connection;
}

export const large = [new Uint8Array(2 ** 20).fill(1), new Uint8Array(2 ** 20).fill(2)];
export const data: FlightData = { descriptor: null, header: text("header"), appMetadata: NO_BYTES, body: large };
export const TICKET = { ticket: text("t") };

export async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const value of values) found.push(value);
  return found;
}
