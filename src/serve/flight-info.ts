/** An answer as a flight: one endpoint for each range of rows. */

import type { FlightEndpoint, FlightInfo } from "../flight/flight-info.js";
import type { Answer } from "./answer.js";
import type { DataRequest } from "./request.js";

export interface EndpointOptions {
  /** Bytes of an endpoint, about. */
  readonly endpointBytes: number;
  /** How long tickets are taken, in milliseconds. */
  readonly ticketTime: number;
}

/** Endpoints of one flight at most: a row range each. */
const MOST_ENDPOINTS = 1024;

/** Long ranges are multiples of this: chunks of most files begin there or not far away. */
const STEP = 2 ** 16;

/** Rows [start, end) of each endpoint, in order; at least one. */
export function rowRanges(
  first: number,
  rows: number,
  bytes: number,
  endpointBytes: number,
): readonly [number, number][] {
  const count = Math.min(MOST_ENDPOINTS, Math.max(1, Math.ceil(bytes / endpointBytes)));
  const even = Math.max(1, Math.ceil(rows / count));
  const step = even > STEP ? Math.ceil(even / STEP) * STEP : even;
  const ranges: [number, number][] = [];
  for (let at = first; at < first + rows; at += step) ranges.push([at, Math.min(first + rows, at + step)]);
  return ranges.length === 0 ? [[first, first]] : ranges;
}

/** @param sign makes a ticket that is taken until `expires`. */
export function flightInfo(
  answer: Answer,
  request: DataRequest,
  sign: (request: DataRequest, expires: number) => Uint8Array,
  { endpointBytes, ticketTime }: EndpointOptions,
): Omit<FlightInfo, "schema" | "descriptor"> {
  const expires = Date.now() + ticketTime;
  const { metadata, rows, bytes, first } = answer;
  const endpoint = (part: DataRequest, about: Readonly<Record<string, unknown>>): FlightEndpoint => ({
    ticket: { ticket: sign(part, expires) },
    locations: [],
    expirationTime: new Date(expires),
    appMetadata: json(about),
  });
  const endpoints =
    request.kind === "sql" || rows === null || first === null
      ? [endpoint(request, {})]
      : rowRanges(first, rows, bytes ?? 0, endpointBytes).map((range) =>
          endpoint({ ...request, rows: range }, { rows: range, ...nonZeros(answer, range) }),
        );
  return {
    endpoints,
    totalRecords: rows ?? -1,
    totalBytes: bytes ?? -1,
    ordered: true,
    appMetadata: json({
      name: answer.name,
      ...(metadata === null ? {} : { kind: metadata.kind, shape: metadata.shape }),
    }),
  };
}

/** In coordinates each row is an entry that is stored. */
function nonZeros({ isCoordinates }: Answer, [start, end]: readonly [number, number]): { readonly nnz?: number } {
  return isCoordinates ? { nnz: end - start } : {};
}

function json(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
