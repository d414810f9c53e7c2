/** Describes an answer as a flight, with one endpoint per range of rows. */

import { encodeJsonBytes } from "../../flight/protocol/action.js";
import type { FlightEndpoint, FlightInfo } from "../../flight/protocol/flight-info.js";
import type { Answer } from "../requests/answer.js";
import type { DataRequest } from "../requests/request.js";

export interface EndpointPlanOptions {
  /** Approximate size of one endpoint in bytes. */
  readonly endpointBytes: number;
  /** Milliseconds for which a ticket is valid. */
  readonly ticketTime: number;
}

export interface FlightInfoOptions extends EndpointPlanOptions {
  /** Creates a ticket for a request. The ticket is valid until `expires`, in milliseconds since 1970. */
  readonly sign: (request: DataRequest, expires: number) => Uint8Array;
  readonly signal: AbortSignal;
}

/** Maximum number of endpoints in one flight. */
const MAX_ENDPOINTS = 1024;

/** Maximum size in bytes of all tickets of one flight together. Each ticket names the requested columns. */
const TICKETS_BYTES = 2 ** 20;

/** Long ranges are multiples of this number of rows, because in most files a chunk begins there or nearby. */
const STEP = 2 ** 16;

/** Returns the row range [start, end) of each endpoint, in order; at least one range. */
export function computeEndpointRanges(
  first: number,
  rows: number,
  bytes: number,
  endpointBytes: number,
): readonly [number, number][] {
  const count = Math.min(MAX_ENDPOINTS, Math.max(1, Math.ceil(bytes / endpointBytes)));
  const even = Math.max(1, Math.ceil(rows / count));
  const step = even > STEP ? Math.ceil(even / STEP) * STEP : even;
  const ranges: [number, number][] = [];
  for (let at = first; at < first + rows; at += step) ranges.push([at, Math.min(first + rows, at + step)]);
  return ranges.length === 0 ? [[first, first]] : ranges;
}

/**
 * Returns the endpoints and counts of a flight. `app_metadata` of an endpoint contains its row range, and for a matrix
 * `nnz`, the number of stored entries in these rows.
 */
export async function createFlightInfo(
  answer: Answer,
  request: DataRequest,
  { endpointBytes, ticketTime, sign, signal }: FlightInfoOptions,
): Promise<Omit<FlightInfo, "schema" | "descriptor">> {
  const expires = Date.now() + ticketTime;
  const { metadata, rows, first } = answer;
  const bytes = await answer.bytes(signal);
  const endpoint = (part: DataRequest, about: Readonly<Record<string, unknown>>): FlightEndpoint => ({
    ticket: { ticket: sign(part, expires) },
    locations: [],
    expirationTime: new Date(expires),
    appMetadata: encodeJsonBytes(about),
  });
  const endpoints = async () => {
    if (request.kind === "sql" || rows === null || first === null) return [endpoint(request, {})];
    const most = Math.max(1, Math.floor(TICKETS_BYTES / sign(request, expires).length));
    const ranges = computeEndpointRanges(first, rows, bytes ?? 0, Math.max(endpointBytes, (bytes ?? 0) / most));
    const before = await answer.entriesBefore([first, ...ranges.map(([, end]) => end)], signal);
    return ranges.map((range, i) => {
      const nnz = before === null ? undefined : before[i + 1] - before[i];
      return endpoint({ ...request, rows: range }, { rows: range, nnz });
    });
  };
  return {
    endpoints: await endpoints(),
    totalRecords: rows ?? -1,
    totalBytes: bytes ?? -1,
    ordered: true,
    appMetadata: encodeJsonBytes({
      name: answer.name,
      ...(metadata === null ? {} : { kind: metadata.kind, shape: metadata.shape }),
    }),
  };
}
