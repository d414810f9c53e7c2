/** Lists the flights of any kind of service. */

import { InvalidDataError, NotFoundError } from "annarrow";
import type { FileSchema } from "annarrow/core/ipc";
import type { CallOptions, FlightConnection } from "./connection.js";
import { decodeSchema } from "./messages/decode.js";
import type { FlightDescriptor } from "./protocol/descriptor.js";
import type { FlightInfo } from "./protocol/flight-info.js";
import { METHODS } from "./protocol/methods.js";
import { findErrorStatus } from "./protocol/status.js";

export interface ListedFlight {
  readonly name: string;
  readonly descriptor: FlightDescriptor;
  readonly info: FlightInfo;
}

const MAX_FLIGHTS = 100_000;

/**
 * Returns the flights of a service below `path`, named by the rest of their paths; all flights if there is no path.
 * @param criteria the criteria for ListFlights.
 * @throws {InvalidDataError} for more than 100,000 flights.
 */
export async function listFlightsBelow(
  connection: FlightConnection,
  path: readonly string[],
  criteria: Uint8Array,
  options: CallOptions,
): Promise<readonly ListedFlight[]> {
  const found: ListedFlight[] = [];
  const names = new Set<string>();
  for await (const info of connection.stream(METHODS.listFlights, { expression: criteria }, options)) {
    if (found.length >= MAX_FLIGHTS) throw new InvalidDataError(`the service lists more than ${MAX_FLIGHTS} flights`);
    const { descriptor } = info;
    if (descriptor === null) continue;
    const whole = flightName(descriptor, found.length);
    const name = whole === null ? null : below(whole, path.join("/"));
    if (name === null || names.has(name)) continue;
    names.add(name);
    found.push({ name, descriptor, info });
  }
  return found;
}

/** Returns the schema of a flight. Requests it with a further call if `FlightInfo` lacks it. */
export async function readFlightSchema(
  connection: FlightConnection,
  { schema }: FlightInfo,
  descriptor: FlightDescriptor,
  options: CallOptions,
): Promise<FileSchema> {
  if (schema.length > 0) return decodeSchema(schema);
  return decodeSchema((await connection.unary(METHODS.getSchema, descriptor, options)).schema);
}

/** Returns the flight with exactly this name; null if it does not exist or the service does not support the call. */
export async function findFlight(
  connection: FlightConnection,
  path: readonly string[],
  options: CallOptions,
): Promise<ListedFlight | null> {
  const descriptor: FlightDescriptor = { kind: "path", path };
  try {
    const info = await connection.unary(METHODS.getFlightInfo, descriptor, options);
    return { name: path[path.length - 1] ?? "table", descriptor, info };
  } catch (error) {
    if (isFlightServiceError(error)) throw error;
    return null;
  }
}

/** True if an error concerns the service itself, not the requested flight. */
export function isFlightServiceError(error: unknown): boolean {
  const status = findErrorStatus(error);
  return (
    status === null || ["UNAVAILABLE", "UNAUTHENTICATED", "PERMISSION_DENIED", "DEADLINE_EXCEEDED"].includes(status)
  );
}

/** Creates the error for a missing flight, with the names of the listed flights. */
export function createFlightNotFoundError(
  path: readonly string[],
  source: string,
  flights: readonly ListedFlight[],
): NotFoundError {
  const some = flights.slice(0, 5).map(({ name }) => name);
  const there = some.length === 0 ? "the service lists nothing" : `there are ${some.join(", ")}`;
  return new NotFoundError(`no flight ${JSON.stringify(path.join("/"))}; ${there}`, { source });
}

function flightName(descriptor: FlightDescriptor, number: number): string | null {
  switch (descriptor.kind) {
    case "path":
      return descriptor.path.join("/");
    case "command": {
      const text = new TextDecoder().decode(descriptor.command.subarray(0, 201));
      return text.length > 0 && text.length <= 200 && !/[\p{Cc}\ufffd]/u.test(text) ? text : `command ${number}`;
    }
    case "unknown":
      return null;
    default:
      return descriptor satisfies never;
  }
}

function below(name: string, path: string): string | null {
  if (path === "") return name;
  if (name === path) return path.slice(path.lastIndexOf("/") + 1);
  return name.startsWith(`${path}/`) ? name.slice(path.length + 1) : null;
}
