/** Reads the rows of one endpoint, and tries again where the rules of the endpoint allow it. */

import type { RecordBatch } from "apache-arrow";
import { InvalidDataError } from "../model/errors.js";
import { sliceBatch } from "../tables/record-batch.js";
import type { FlightConnections } from "./connections.js";
import { type DecodeOptions, FlightDecoder } from "./messages/decode.js";
import type { FlightEndpoint } from "./protocol/flight-info.js";
import { METHODS } from "./protocol/methods.js";
import { type StatusName, statusBehind } from "./protocol/status.js";

export interface EndpointReadOptions extends DecodeOptions {
  /** Number of rows at the beginning that are not wanted. */
  readonly skip?: number;
  readonly signal: AbortSignal;
}

/** State of a reader beside the batches. */
export interface EndpointProgress {
  /** Number of rows so far, skipped rows included. */
  rows: number;
  /** A batch without rows, with the dictionaries of the stream; null before its schema. */
  empty: (() => RecordBatch) | null;
}

/** Statuses of calls that may succeed at another time. */
const PASSING: readonly (StatusName | null)[] = ["UNAVAILABLE", "ABORTED", "INTERNAL", "UNKNOWN"];

const TRIES = 3;
const PAUSE = 100;

/**
 * The batches of `endpoint` that have rows. After a failed call, a ticket with a time of expiry is used again, from the
 * first missing row. Any ticket is used at the next of its locations, as long as no data has arrived.
 */
export async function* endpointBatches(
  connections: FlightConnections,
  endpoint: FlightEndpoint,
  options: EndpointReadOptions,
  progress: EndpointProgress,
): AsyncGenerator<RecordBatch> {
  const { skip = 0, signal } = options;
  const places = connections.reachable(endpoint.locations);
  for (let attempt = 1; ; attempt++) {
    let some = false;
    try {
      const connection = await places[(attempt - 1) % places.length]();
      const decoder = new FlightDecoder({ ...options, maxColumns: Number.POSITIVE_INFINITY });
      let seen = 0;
      for await (const data of connection.stream(METHODS.doGet, endpoint.ticket, { signal })) {
        some = true;
        const decoded = await decoder.take(data);
        if (decoder.schema !== undefined) progress.empty = () => decoder.empty();
        if (decoded === null || decoded.batch === null) continue;
        const from = Math.max(skip, progress.rows) - seen;
        seen += decoded.rows;
        if (from >= decoded.rows) continue;
        const batch = await decoded.batch();
        progress.rows = seen;
        yield from > 0 ? sliceBatch(batch, from, batch.numRows) : batch;
      }
      if (decoder.schema === undefined) throw new InvalidDataError("the stream has no schema");
      if (seen < progress.rows) {
        throw new InvalidDataError(`the stream has ${seen} rows, when it was read before it had ${progress.rows}`);
      }
      progress.rows = seen;
      return;
    } catch (error) {
      const { expirationTime } = endpoint;
      const again = expirationTime !== null && expirationTime.getTime() > Date.now() && attempt < TRIES;
      const elsewhere = !some && attempt < places.length;
      if (signal.aborted || !PASSING.includes(statusBehind(error)) || !(again || elsewhere)) throw error;
      await pause(elsewhere ? 0 : PAUSE * attempt, signal);
    }
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", leave);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", leave, { once: true });
  });
}
