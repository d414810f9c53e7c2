/**
 * Converts tables to Polars (nodejs-polars) and back. They are passed as Arrow IPC bytes, because nodejs-polars accepts
 * no Arrow objects. For Node, Deno and Bun.
 */

import { Buffer } from "node:buffer";
import { type Table as ArrowTable, type RecordBatch, tableFromIPC } from "apache-arrow";
import { streamBytes } from "../../ipc/write/apache-writer.js";
import type { DataTable } from "../../model/dataset.js";
import {
  InvalidInputError,
  isAnnarrowError,
  isCancellation,
  locateError,
  UnsupportedError,
} from "../../model/errors.js";
import { checkOptions, type NamesOf } from "../../model/option-names.js";
import { selectColumns } from "../../tables/table-columns.js";
import { createMemoryTable } from "../../tables/table-in-memory.js";
import { SINK_OPTIONS, type SinkOptions, streamBatches } from "../stream.js";
import { findSubstitution } from "../substitute.js";
import { checkForPolars, findPolarsSubstitute } from "./polars-types.js";

/** The required function of the package `nodejs-polars`. */
export interface Polars<Frame extends PolarsFrame<Frame>> {
  readIPCStream(pathOrBytes: string | Uint8Array): Frame;
}

/** The required method of a `nodejs-polars` data frame for appending another data frame. */
export interface PolarsFrame<Frame> {
  vstack(below: Frame): Frame;
}

/** The required method of a `nodejs-polars` data frame for reading it. */
export interface WritablePolarsFrame {
  writeIPCStream(options: { compression: "uncompressed" }): Uint8Array;
}

export interface PolarsOptions extends SinkOptions {
  /** The columns to load, in this order; all columns by default. */
  readonly columns?: readonly string[];
}

const POLARS_OPTIONS = { ...SINK_OPTIONS, columns: true } as const satisfies NamesOf<PolarsOptions>;

/** Size in bytes of each stream of batches, which is held in memory beside the data frame. */
const STREAM_BYTES = 2 ** 25;

/**
 * Converts `table` to a Polars data frame, which has one chunk for each stream of batches (`frame.rechunk()` joins
 * them). Dictionaries of text become Categorical, without their order and unused categories, and other dictionaries
 * become their values. Float16 becomes Float32, seconds become milliseconds, times of day become nanoseconds, and maps
 * become lists of structs. `docs/polars.md` lists all types.
 * @example
 * ```ts
 * import pl from "nodejs-polars";
 *
 * const obs = await toPolars(data.table("obs"), pl);
 * ```
 * @param table of a dataset, or an apache-arrow `Table`.
 * @param polars the package `nodejs-polars`.
 * @throws {UnsupportedError} for columns of bytes, unions and calendar intervals, seconds beyond 292 million years, and
 * tables without columns.
 */
export async function toPolars<Frame extends PolarsFrame<Frame>>(
  table: DataTable | ArrowTable,
  polars: Polars<Frame>,
  options: PolarsOptions = {},
): Promise<Frame> {
  checkOptions(options, "toPolars", POLARS_OPTIONS);
  const whole = isDataTable(table) ? table : createMemoryTable(table);
  const chosen = options.columns === undefined ? whole : selectColumns(whole, options.columns);
  checkForPolars(chosen.schema, chosen.name);
  const changed = findSubstitution(chosen.schema, findPolarsSubstitute);
  const schema = changed?.schema ?? chosen.schema;
  let frame: Frame | undefined;
  for await (const batches of streams(chosen, options)) {
    try {
      const next = polars.readIPCStream(asBuffer(streamBytes(schema, changed ? batches.map(changed.batch) : batches)));
      frame = frame === undefined ? next : frame.vstack(next);
    } catch (error) {
      throw refused(error, chosen.name);
    }
  }
  if (frame === undefined) throw new TypeError("a table has at least one batch");
  return frame;
}

/**
 * Converts a Polars dataframe to an apache-arrow `Table`, which `write` accepts. Text becomes LargeUtf8, lists become
 * LargeList, and Categorical becomes a Dictionary<Uint32, LargeUtf8> of the used categories in their order.
 * @throws {UnsupportedError} for columns without an Arrow equivalent (Object).
 * @throws {InvalidInputError} if the value is not a dataframe; a lazy frame must be collected first.
 */
export function fromPolars(frame: WritablePolarsFrame): ArrowTable {
  // Dataframes are proxies, and the operator `in` does not find their methods.
  if (typeof frame?.writeIPCStream !== "function") {
    throw new InvalidInputError("no data frame of Polars; of a lazy one, give what collect() returns");
  }
  let bytes: Uint8Array;
  try {
    bytes = frame.writeIPCStream({ compression: "uncompressed" });
  } catch (error) {
    throw refused(error, "data frame");
  }
  // A Buffer may begin at any offset in shared memory, but columns need aligned words.
  return tableFromIPC(bytes.byteOffset % 8 === 0 ? bytes : bytes.slice());
}

/** Yields the batches in groups of about `STREAM_BYTES`. */
async function* streams(table: DataTable, options: SinkOptions): AsyncGenerator<readonly RecordBatch[]> {
  let waiting: RecordBatch[] = [];
  let bytes = 0;
  for await (const batch of streamBatches(table, options)) {
    if (bytes > 0 && bytes + batch.data.byteLength > STREAM_BYTES) {
      yield waiting;
      waiting = [];
      bytes = 0;
    }
    waiting.push(batch);
    bytes += batch.data.byteLength;
  }
  if (waiting.length > 0) yield waiting;
}

function isDataTable(table: DataTable | ArrowTable): table is DataTable {
  return typeof table.batches === "function";
}

/** Wraps bytes in a Node Buffer, because the package accepts nothing else. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Uint8Array {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function refused(error: unknown, element: string): unknown {
  if (isAnnarrowError(error) || isCancellation(error)) return locateError(error, { element });
  const message = error instanceof Error ? error.message : String(error);
  return new UnsupportedError(`Polars does not take it: ${message.slice(0, 500)}`, { element, cause: error });
}
