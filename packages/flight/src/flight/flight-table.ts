/** A flight as a table of a dataset. */

import type { BatchOptions, DataTable, Layout, TableMetadata } from "annarrow";
import { InvalidDataError, InvalidInputError } from "annarrow";
import type { FileSchema } from "annarrow/core/ipc";
import { isCancellation, locateError, readJson } from "annarrow/core/model";
import type { Origin } from "annarrow/core/tables";
import {
  BatchTable,
  type FromDataset,
  findColumnPositions,
  ORIGIN,
  recordBatch,
  sliceBatch,
  type TableProperties,
} from "annarrow/core/tables";
import { type RecordBatch, Schema } from "apache-arrow";
import type { FlightConnections } from "./connections.js";
import {
  createEmptyBatch,
  type DecodeOptions,
  DictionaryCache,
  decodeSchema,
  FlightDecoder,
} from "./messages/decode.js";
import { mergeParallelStreams } from "./parallel-streams.js";
import { encodeJsonBytes } from "./protocol/action.js";
import type { FlightDescriptor } from "./protocol/descriptor.js";
import type { FlightEndpoint, FlightInfo } from "./protocol/flight-info.js";
import { METHODS } from "./protocol/methods.js";
import { findErrorStatus, type StatusName } from "./protocol/status.js";

/** A request for rows and columns of a table, for services of this library. */
export interface TableCommand {
  readonly dataset: string;
  readonly table: string;
  readonly layout?: Layout;
}

export interface FlightTableProperties extends TableProperties {
  readonly descriptor: FlightDescriptor;
  /** Null for services of other libraries. */
  readonly command: TableCommand | null;
  readonly schema: FileSchema;
  readonly origin: Origin;
}

/** Maximum number of bytes that all streams of a table together buffer ahead of the consumer. */
const AHEAD_BYTES = 2 ** 26;
const STREAMS = 4;

export class FlightTable extends BatchTable implements FromDataset {
  readonly #connections: FlightConnections;
  readonly #is: FlightTableProperties;
  readonly #streams: number;
  readonly #known = new DictionaryCache();

  constructor(connections: FlightConnections, properties: FlightTableProperties, streams = STREAMS) {
    super(properties, connections.main.name);
    if (!Number.isSafeInteger(streams) || streams < 1)
      throw new InvalidInputError(`${streams} streams at the same time`);
    this.#connections = connections;
    this.#is = properties;
    this.#streams = streams;
  }

  get [ORIGIN](): Origin {
    return this.#is.origin;
  }

  get schema(): Schema {
    return this.#is.schema.schema;
  }

  async layout(layout: Layout): Promise<DataTable> {
    const { command, layouts, name } = this.#is;
    if (layout === layouts[0]) return this;
    if (command === null || !layouts.includes(layout)) {
      const there = layouts.length === 0 ? "it has but one form" : `there are ${layouts.join(", ")}`;
      throw new InvalidInputError(`no layout ${layout}: ${there}`, this.#location());
    }
    const chosen = { ...command, layout };
    const info = await this.#located(() => this.#info({ kind: "command", command: encodeJsonBytes(chosen) }));
    const schema = await this.#located(() => decodeSchema(info.schema));
    const properties = {
      ...this.#is,
      ...{ name, schema, command: chosen, metadata: parseTableMetadata(schema.schema) },
      rows: info.totalRecords < 0 ? null : info.totalRecords,
      layouts: [layout, ...layouts.filter((other) => other !== layout)],
    };
    return new FlightTable(this.#connections, properties, this.#streams);
  }

  async *batches(options: BatchOptions = {}): AsyncGenerator<RecordBatch> {
    const { signal, rows } = options;
    const over = new AbortController();
    const abort = () => over.abort(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      signal?.throwIfAborted();
      const places = this.#selected(options);
      checkRows(rows, this.rows);
      yield* this.#cut(places, this.#read(options, places, over.signal), options.batchBytes);
    } catch (error) {
      if (signal?.aborted === true && !isCancellation(error)) throw signal.reason;
      throw locateError(error, this.#location());
    } finally {
      signal?.removeEventListener("abort", abort);
      over.abort();
    }
  }

  /** Reads batches. Services of this library select rows and columns themselves. For others, this client does it. */
  async *#read(
    { rows, columns }: BatchOptions,
    places: readonly number[],
    signal: AbortSignal,
  ): AsyncGenerator<RecordBatch> {
    const { command, descriptor, schema } = this.#is;
    const known = this.#known;
    if (command !== null && places.length > 0) {
      const chosen = {
        ...command,
        ...(rows === undefined ? {} : { rows }),
        ...(columns === undefined ? {} : { columns }),
      };
      const isWhole = rows === undefined && columns === undefined && command.layout === undefined;
      const info = await this.#info(
        isWhole ? descriptor : { kind: "command", command: encodeJsonBytes(chosen) },
        signal,
      );
      const selected = columns === undefined ? schema : project(schema, places);
      const expected = rows === undefined ? this.rows : rows[1] - rows[0];
      return yield* this.#whole(info, { schema: selected, known, signal }, expected, createEmptyBatch(selected));
    }
    const info = await this.#info(descriptor, signal);
    const decode = { schema, known, columns: places, signal };
    const none = createEmptyBatch(schema, places);
    if (rows === undefined) return yield* this.#whole(info, decode, this.rows, none);
    yield* this.#range(info, decode, rows, none);
  }

  async *#whole(
    info: FlightInfo,
    decode: Parameters<typeof readEndpointBatches>[2],
    expected: number | null,
    none: RecordBatch,
  ): AsyncGenerator<RecordBatch> {
    const states = info.endpoints.map((): EndpointProgress => ({ rows: 0, empty: null }));
    const streams = info.endpoints.map(
      (endpoint, i) => () => readEndpointBatches(this.#connections, endpoint, decode, states[i]),
    );
    const all =
      streams.length === 1
        ? streams[0]()
        : mergeParallelStreams(streams, {
            sizeOf: (batch) => batch.data.byteLength,
            atOnce: this.#streams,
            bytes: AHEAD_BYTES,
            ordered: info.ordered,
          });
    let some = false;
    for await (const batch of all) {
      some = true;
      yield batch;
    }
    const rows = states.reduce((sum, state) => sum + state.rows, 0);
    const said = info.totalRecords >= 0 ? info.totalRecords : expected;
    if (said !== null && rows !== said) throw new InvalidDataError(`the service said ${said} rows, ${rows} have come`);
    if (!some) yield states.find((state) => state.empty !== null)?.empty?.() ?? none;
  }

  /** Reads a range of rows from consecutive endpoints. An endpoint's row count is known only after its stream ends. */
  async *#range(
    { endpoints }: FlightInfo,
    decode: Parameters<typeof readEndpointBatches>[2],
    [start, end]: readonly [number, number],
    none: RecordBatch,
  ): AsyncGenerator<RecordBatch> {
    let at = 0;
    let some = false;
    let empty: EndpointProgress["empty"] = null;
    for (const endpoint of endpoints) {
      if (at >= end && some) return;
      const state: EndpointProgress = { rows: 0, empty: null };
      const skip = Math.max(0, start - at);
      let from = skip;
      for await (const batch of readEndpointBatches(this.#connections, endpoint, { ...decode, skip }, state)) {
        const rows = Math.min(batch.numRows, end - at - from);
        from += batch.numRows;
        if (rows > 0) {
          some = true;
          yield rows < batch.numRows ? sliceBatch(batch, 0, rows) : batch;
        }
        if (at + from >= end) break;
      }
      at += state.rows;
      empty ??= state.empty;
      if (at >= end) break;
    }
    if (at < end) throw new InvalidInputError(`rows [${start}, ${end}) were asked for, there are ${at}`);
    if (!some) yield empty?.() ?? none;
  }

  /** Converts all batches to one schema, and splits batches of more than `batchBytes`. */
  async *#cut(
    places: readonly number[],
    batches: AsyncIterable<RecordBatch>,
    batchBytes = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<RecordBatch> {
    const { schema } = project(this.#is.schema, places);
    for await (const batch of batches) {
      const count = Math.ceil(batch.data.byteLength / Math.max(1, batchBytes));
      const step = Math.max(1, Math.ceil(batch.numRows / Math.max(1, count)));
      for (let at = 0; at < batch.numRows || at === 0; at += step) {
        const part = step >= batch.numRows ? batch : sliceBatch(batch, at, Math.min(at + step, batch.numRows));
        yield recordBatch(schema, part.numRows, part.data.children);
      }
    }
  }

  #selected({ columns, where, fragments }: BatchOptions): readonly number[] {
    if (fragments !== undefined) throw new InvalidInputError("fragments are selected in a store that is opened itself");
    if (where !== undefined) {
      throw new InvalidInputError("a table of Arrow Flight has no where: take the part by select of its dataset");
    }
    const names = this.schema.fields.map((field) => field.name);
    return columns === undefined ? names.map((_, i) => i) : findColumnPositions(names, columns, this.name);
  }

  #info(descriptor: FlightDescriptor, signal?: AbortSignal): Promise<FlightInfo> {
    return this.#connections.main.unary(METHODS.getFlightInfo, descriptor, { signal });
  }

  async #located<T>(action: () => T | Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw locateError(error, this.#location());
    }
  }

  #location() {
    return { source: this.#connections.main.name, element: this.name };
  }
}

/** Returns the JSON under the schema's key `annarrow`; `{ kind: "table" }` if the schema lacks the key. */
export function parseTableMetadata({ metadata }: Schema): TableMetadata {
  const plain = { kind: "table" };
  const text = metadata.get("annarrow");
  if (text === undefined) return plain;
  let content: unknown;
  try {
    content = readJson(text);
  } catch (cause) {
    throw new InvalidDataError(
      `the schema's metadata annarrow are no JSON: ${cause instanceof Error ? cause.message : cause}`,
      { cause },
    );
  }
  if (typeof content !== "object" || content === null || !("kind" in content) || typeof content.kind !== "string") {
    throw new InvalidDataError("the schema's metadata annarrow have no kind");
  }
  const { kind } = content;
  if (!("shape" in content)) return { ...content, kind };
  const { shape } = content;
  if (!Array.isArray(shape) || !shape.every((size) => Number.isSafeInteger(size) && size >= 0)) {
    throw new InvalidDataError(`the schema's metadata annarrow have the shape ${JSON.stringify(shape)}`);
  }
  return { ...content, kind, shape };
}

function project({ schema, fields, bigEndian }: FileSchema, places: readonly number[]): FileSchema {
  const chosen = places.map((at) => fields[at]);
  return {
    fields: chosen,
    bigEndian,
    schema: new Schema(
      chosen.map(({ field }) => field),
      schema.metadata,
    ),
  };
}

function checkRows(rows: BatchOptions["rows"], total: number | null): void {
  if (rows === undefined) return;
  const [start, end] = rows;
  const most = total ?? Number.MAX_SAFE_INTEGER;
  if (Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start <= end && end <= most) return;
  throw new InvalidInputError(
    `rows [${start}, ${end}) were asked for, there are ${total === null ? "an unknown number" : total}`,
  );
}

// Reads the rows of one endpoint, and tries again if the endpoint's rules allow it.

interface EndpointReadOptions extends DecodeOptions {
  /** Number of rows to skip at the beginning. */
  readonly skip?: number;
  readonly signal: AbortSignal;
}

/** State of a reader, without its batches. */
interface EndpointProgress {
  /** Number of rows read so far, including skipped rows. */
  rows: number;
  /** Returns a batch that has the stream's dictionaries but no rows; null before the schema has arrived. */
  empty: (() => RecordBatch) | null;
}

/** Status codes of transient failures; a later call may succeed. */
const PASSING: readonly (StatusName | null)[] = ["UNAVAILABLE", "ABORTED", "INTERNAL", "UNKNOWN"];

const TRIES = 3;
const PAUSE = 100;

/**
 * Yields the batches of `endpoint` that have rows. After a failed call, a ticket with an expiration time is used again,
 * to continue at the first missing row. As long as no data has arrived, any ticket is tried at its next location.
 */
async function* readEndpointBatches(
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
      if (signal.aborted || !PASSING.includes(findErrorStatus(error)) || !(again || elsewhere)) throw error;
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
