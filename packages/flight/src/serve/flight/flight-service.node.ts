/** The methods of Arrow Flight over served folders. */

import type { BatchStream } from "annarrow";
import { isAnnarrowError } from "annarrow";
import { joinByteChunks, encodeApacheSchema as schemaMessageOf, streamWriter } from "annarrow/core/ipc";
import { isCancellation } from "annarrow/core/model";
import type { RecordBatch } from "apache-arrow";
import { freeBytes } from "../../flight/free-memory.node.js";
import { FlightDecoder } from "../../flight/messages/decode.js";
import {
  MESSAGE_BYTES,
  type TableMessage,
  toFramedFlightData,
  toMessageFlightData,
  toSchemaFlightData,
} from "../../flight/messages/message-data.js";
import { encodeTableMessages } from "../../flight/messages/table-messages.js";
import {
  type Action,
  type ActionResult,
  type ActionType,
  encodeJsonBytes,
  type PutResult,
} from "../../flight/protocol/action.js";
import { type FlightDescriptor, type FlightTicket, NO_BYTES } from "../../flight/protocol/descriptor.js";
import type { FlightData } from "../../flight/protocol/flight-data.js";
import type { FlightInfo } from "../../flight/protocol/flight-info.js";
import { type Handshake, readBasicAuth } from "../../flight/protocol/handshake.js";
import type { FlightHandlers, ServerCall } from "../../flight/protocol/service.js";
import { readSqlMessage, type SqlMessage } from "../../flight/protocol/sql/any.js";
import { CallError } from "../../flight/protocol/status.js";
import { createFlightInfo } from "../answers/flight-info.js";
import type { Serving } from "../answers/serving.node.js";
import type { AcquiredDataset, AcquireOptions } from "../datasets/datasets.node.js";
import type { Answer } from "../requests/answer.js";
import { getClient } from "../requests/client.js";
import { RequestError, toFailure } from "../requests/failure.js";
import { type DataRequest, parseClientMessage } from "../requests/request.js";
import { ACTIONS, FlightActions, refuseReadOnly } from "./flight-actions.node.js";
import { parseExchangeRequest, parseFlightRequest, parseNamePrefix, parseUploadRequest } from "./flight-requests.js";
import { FlightSql, LISTING_AGE } from "./sql/flight-sql.node.js";
import type { MetadataTable } from "./sql/metadata-table.js";

/**
 * Factor by which the endpoints of statements are larger. ADBC opens the streams of all endpoints at once but reads
 * them in order, so many small endpoints would only delay the first one.
 */
const STATEMENT_ENDPOINT = 16;

interface InfoOptions {
  readonly descriptor: FlightDescriptor;
  readonly signal: AbortSignal;
  /** Null if the schema must be taken from the answer. */
  readonly schema?: Uint8Array | null;
  /** Factor by which endpoints are larger than normal; 1 by default. */
  readonly larger?: number;
}

export class FlightService implements FlightHandlers {
  readonly #serving: Serving;
  readonly #sql: FlightSql;
  readonly #actions: FlightActions;

  constructor(serving: Serving) {
    this.#serving = serving;
    this.#sql = new FlightSql(serving);
    this.#actions = new FlightActions(serving, this.#sql);
  }

  /** Accepts username and password, or the token itself. Returns the token that later calls send as `authorization`. */
  async *handshake(requests: AsyncIterable<Handshake>, call: ServerCall): AsyncGenerator<Handshake> {
    const { access } = this.#serving;
    const [header] = call.metadata("authorization");
    if (header !== undefined) {
      access.check(header);
      // Later calls may send this header unchanged.
      call.setHeader("authorization", bearerOf(header));
      for await (const { protocolVersion } of requests) yield { protocolVersion, payload: new Uint8Array(0) };
      return;
    }
    for await (const { protocolVersion, payload } of requests) {
      const token = tokenIn(payload, (text) => access.accepts(text));
      if (token === null)
        throw new RequestError("unauthenticated", "neither the token of this server, nor a password that is it");
      call.setHeader("authorization", `Bearer ${token}`);
      yield { protocolVersion, payload: new TextEncoder().encode(token) };
    }
  }

  async *listFlights(
    { expression }: { readonly expression: Uint8Array },
    call: ServerCall,
  ): AsyncGenerator<FlightInfo> {
    const { signal } = call;
    const prefix = parseNamePrefix(expression);
    const names = this.#serving.folders.names(prefix);
    const next = () => this.#serving.look(signal, () => names.next());
    for (let name = await next(); !name.done; name = await next()) yield* this.#flightsOf(name.value, prefix, signal);
  }

  async getFlightInfo(descriptor: FlightDescriptor, call: ServerCall): Promise<FlightInfo> {
    const wanted = await this.#wanted(descriptor, call);
    if (wanted.kind === "metadata") return metadataInfo(wanted.table, wanted.command, descriptor);
    const { request, schema } = wanted;
    const { signal } = call;
    const larger = wanted.kind === "statement" ? STATEMENT_ENDPOINT : 1;
    const info = (answer: Answer) => this.#info(answer, request, { descriptor, signal, schema, larger });
    // A statement with a known schema needs no turn.
    return schema === null
      ? this.#look(request, call, info)
      : this.#serving.look(signal, () => this.#answered(request, info));
  }

  async pollFlightInfo(descriptor: FlightDescriptor, call: ServerCall) {
    const info = await this.getFlightInfo(descriptor, call);
    return { info, descriptor: null, progress: 1, expirationTime: info.endpoints[0]?.expirationTime ?? null };
  }

  async getSchema(descriptor: FlightDescriptor, call: ServerCall) {
    const wanted = await this.#wanted(descriptor, call);
    if (wanted.kind === "metadata") return { schema: schemaMessageOf(wanted.table.schema) };
    const { request, schema } = wanted;
    if (schema !== null) return { schema };
    return this.#look(request, call, async (answer) => ({ schema: await answer.schema(call.signal) }));
  }

  /** Parses a descriptor, which uses annarrow's own format or Flight SQL. */
  async #wanted(descriptor: FlightDescriptor, call: ServerCall) {
    const message = descriptor.kind === "command" ? parseClientMessage(descriptor.command, readSqlMessage) : null;
    if (descriptor.kind !== "command" || message === null) {
      const request = await this.#serving.answers.plain(parseFlightRequest(descriptor));
      return { kind: "request", request, schema: null } as const;
    }
    return { ...(await this.#sql.wanted(message, call)), command: descriptor.command };
  }

  async *doGet({ ticket }: FlightTicket, call: ServerCall): AsyncGenerator<FlightData> {
    const { tickets, running, answers } = this.#serving;
    const message = parseClientMessage(ticket, readSqlMessage);
    if (message !== null) {
      yield* this.#metadata(message, call);
      return;
    }
    const opened = tickets.open(ticket);
    const stream = running.begin(ticket, call.signal);
    try {
      const leave = await this.#serving.room(opened.request, call.peer, stream.signal);
      try {
        const check = (identity: string, name: string) => {
          if (tickets.isOf(opened, identity)) return;
          throw new RequestError("gone", `${name} has changed since the ticket was made; ask for the FlightInfo again`);
        };
        const answer = await answers.answer(opened.request, { check, since: opened.since ?? null });
        try {
          yield* this.#sent(answer.messages(stream.signal));
        } finally {
          answer.close();
        }
      } finally {
        leave();
      }
    } finally {
      stream.end();
    }
  }

  async *doPut(data: AsyncIterable<FlightData>, call: ServerCall): AsyncGenerator<PutResult> {
    const { uploads, puts, metrics } = this.#serving;
    const client = getClient(call.peer);
    const leave = await puts.enter(client, call.signal);
    try {
      const { descriptor, rest } = await readUpload(data);
      const message = descriptor?.kind === "command" ? parseClientMessage(descriptor.command, readSqlMessage) : null;
      if (message !== null) {
        yield { appMetadata: await this.#sql.bind(message, rest) };
        return;
      }
      refuseReadOnly(this.#serving);
      const { dataset, table, upload } = parseUploadRequest(descriptor);
      const received = await uploads.put({ dataset, upload, client }, table, await rest(), call.signal);
      metrics.add(metrics.received, received.bytes);
      yield { appMetadata: encodeJsonBytes({ upload, table, ...received }) };
    } finally {
      leave();
    }
  }

  async *doExchange(data: AsyncIterable<FlightData>, call: ServerCall): AsyncGenerator<FlightData> {
    const { statements, datasets, metrics } = this.#serving;
    const leave = await statements.turn(call.peer, call.signal);
    let borrowed: AcquiredDataset | null = null;
    try {
      const { descriptor, rest } = await readUpload(data);
      const { sql, path, upload } = parseExchangeRequest(descriptor);
      borrowed = path.length === 0 ? null : await datasets.borrow(path);
      refuseAmbiguous(borrowed, upload);
      const files = borrowed === null ? [] : [{ schema: null, file: borrowed.found.path }];
      const task = { sql, datasets: files, upload, parameters: null } as const;
      const statement = statements.start({ ...task, wanted: "rows", format: "arrow" }, call.signal);
      try {
        const sending = sendExchangeBatches(await rest(), async (bytes) => {
          metrics.add(metrics.received, bytes.length);
          await statement.upload(bytes);
        });
        await sending;
        statement.endUpload();
        yield toSchemaFlightData(await statement.schema());
        yield* this.#sent(statement.messages());
      } finally {
        statement.close();
      }
    } finally {
      borrowed?.release();
      leave();
    }
  }

  doAction(action: Action, call: ServerCall): AsyncIterable<ActionResult> {
    return this.#actions.run(action, call);
  }

  async *listActions(): AsyncGenerator<ActionType> {
    yield* ACTIONS;
  }

  /** Yields the rows of a small table with information about the server. The ticket for this table is the command. */
  async *#metadata(message: SqlMessage, call: ServerCall): AsyncGenerator<FlightData> {
    const wanted = await this.#sql.wanted(message, call);
    if (wanted.kind !== "metadata") {
      throw new RequestError("invalid", `${message.name} is no ticket: ask for the FlightInfo, which has one`);
    }
    const { schema, batches } = wanted.table;
    yield* this.#sent(encodeTableMessages({ schema, batches: batches(call.signal) }, MESSAGE_BYTES));
  }

  /** Yields the flights of a dataset. The dataset is in use only while a flight is created, not while it is sent. */
  async *#flightsOf(name: string, prefix: string, signal: AbortSignal): AsyncGenerator<FlightInfo> {
    const tables = await this.#listed(name, signal, async () => {
      const { dataset, release } = await this.#serving.datasets.borrow([name], { age: LISTING_AGE });
      release();
      return [...dataset.tables.keys()];
    });
    for (const table of tables ?? []) {
      if (!`${name}/${table}`.startsWith(prefix)) continue;
      const request: DataRequest = { kind: "table", path: [name], table };
      const descriptor: FlightDescriptor = { kind: "path", path: [...name.split("/"), table] };
      const flight = await this.#listed(name, signal, () =>
        this.#answered(request, (answer) => this.#info(answer, request, { descriptor, signal }), { age: LISTING_AGE }),
      );
      if (flight !== null) yield flight;
    }
  }

  /**
   * Runs `action`. Returns null for a dataset that cannot be opened, so that other datasets are still listed. If the
   * queue refuses the request, the refusal is thrown.
   */
  async #listed<T>(name: string, signal: AbortSignal, action: () => Promise<T>): Promise<T | null> {
    return this.#serving.look(signal, async () => {
      try {
        return await action();
      } catch (error) {
        signal.throwIfAborted();
        this.#serving.log("warn", "not listed", { name, error: toFailure(error, name).message });
        return null;
      }
    });
  }

  /**
   * Converts the messages of an answer to Flight messages. A message that is not a frame is copied before the next one
   * is requested, so that its memory can then be reused.
   */
  async *#sent(messages: AsyncIterable<TableMessage>): AsyncGenerator<FlightData> {
    for await (const message of messages) {
      this.#count(message.bytes.length, message.rows);
      const done = message.done ?? (() => freeBytes(message.bytes));
      const data = toFramedFlightData(message, done);
      if (data !== null) {
        yield data;
        continue;
      }
      try {
        yield toMessageFlightData(message);
      } finally {
        done();
      }
    }
  }

  #count(bytes: number, rows: number | null): void {
    const { metrics } = this.#serving;
    metrics.add(metrics.bytes, bytes);
    metrics.add(metrics.rows, rows ?? 0);
  }

  async #info(
    answer: Answer,
    request: DataRequest,
    { descriptor, signal, schema = null, larger = 1 }: InfoOptions,
  ): Promise<FlightInfo> {
    const { tickets, endpoints } = this.#serving;
    const endpointBytes = larger * endpoints.endpointBytes;
    const sign = (part: DataRequest, expires: number) =>
      tickets.sign({ request: part, identity: answer.identity, since: answer.since }, expires);
    const flight = await createFlightInfo(answer, request, { ...endpoints, endpointBytes, sign, signal });
    return { ...flight, schema: schema ?? (await answer.schema(signal)), descriptor };
  }

  /** Runs `action` on an answer without reading rows. If it is a statement, this first waits for a slot. */
  #look<T>(request: DataRequest, { peer, signal }: ServerCall, action: (answer: Answer) => Promise<T>): Promise<T> {
    const look = () => this.#answered(request, action);
    return request.kind === "sql"
      ? this.#serving.look(signal, look, () => this.#serving.statements.turn(peer, signal))
      : this.#serving.look(signal, look);
  }

  async #answered<T>(
    request: DataRequest,
    action: (answer: Answer) => Promise<T>,
    options: AcquireOptions = {},
  ): Promise<T> {
    const answer = await this.#serving.answers.answer(request, options);
    try {
      return await action(answer);
    } finally {
      answer.close();
    }
  }
}

/** Creates a flight that has the command as its ticket. The command contains no secret and grants no extra access. */
function metadataInfo(table: MetadataTable, command: Uint8Array, descriptor: FlightDescriptor): FlightInfo {
  const endpoint = { ticket: { ticket: command }, locations: [], expirationTime: null, appMetadata: NO_BYTES };
  const counts = { totalRecords: -1, totalBytes: -1, ordered: true, appMetadata: NO_BYTES };
  return { schema: schemaMessageOf(table.schema), descriptor, endpoints: [endpoint], ...counts };
}

/** @throws {RequestError} for a table's path, and for an upload with the same name as one of the dataset's tables. */
function refuseAmbiguous(borrowed: AcquiredDataset | null, upload: string): void {
  if (borrowed === null) return;
  const { dataset, found, rest } = borrowed;
  if (rest !== "")
    throw new RequestError("not-found", `nothing is served as ${JSON.stringify(`${found.name}/${rest}`)}`);
  if (dataset.tables.has(upload)) {
    throw new RequestError(
      "invalid",
      `upload is ${JSON.stringify(upload)}, which ${found.name} has as a table of its own`,
    );
  }
}

/** Returns the token in a payload: the password of `BasicAuth`, or the whole payload. */
function tokenIn(payload: Uint8Array, accepts: (text: string) => boolean): string | null {
  try {
    const { password } = readBasicAuth(payload);
    if (password !== "" && accepts(password)) return password;
  } catch {
    // A payload that is not `BasicAuth` may be the token as text.
  }
  const text = new TextDecoder().decode(payload);
  return accepts(text) ? text : null;
}

function bearerOf(header: string): string {
  const [, basic] = /^basic +(\S+)/i.exec(header) ?? [];
  if (basic === undefined) return header;
  const pair = Buffer.from(basic, "base64").toString("utf8");
  return `Bearer ${pair.slice(pair.indexOf(":") + 1)}`;
}

// Uploads: converts a client's Flight messages to batches.

/** Returns the descriptor of the first message, and `rest`, which reads the batches. */
async function readUpload(data: AsyncIterable<FlightData>): Promise<{
  readonly descriptor: FlightDescriptor | null;
  rest(): Promise<BatchStream>;
}> {
  const messages = data[Symbol.asyncIterator]();
  const first = await messages.next();
  if (first.done) throw new RequestError("invalid", "nothing was sent: a descriptor and a schema are expected");
  return {
    descriptor: first.value.descriptor,
    rest: () => batchesOf(first.value, messages),
  };
}

/** Encodes batches as an Arrow stream, and sends it in chunks. */
async function sendExchangeBatches(
  { schema, batches }: BatchStream,
  send: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>,
): Promise<void> {
  const writer = streamWriter(schema);
  for await (const batch of batches) await send(joinByteChunks(writer.batch(batch)));
  await send(joinByteChunks(writer.end()));
}

async function batchesOf(first: FlightData, rest: AsyncIterator<FlightData>): Promise<BatchStream> {
  try {
    const decoder = new FlightDecoder();
    await decoder.take(first);
    while (decoder.schema === undefined) {
      const next = await rest.next();
      if (next.done) throw new RequestError("invalid", "no schema was sent");
      await decoder.take(next.value);
    }
    return { schema: decoder.schema, batches: decoded(decoder, rest) };
  } catch (error) {
    throw broken(error);
  }
}

async function* decoded(decoder: FlightDecoder, rest: AsyncIterator<FlightData>): AsyncGenerator<RecordBatch> {
  let isEmpty = true;
  try {
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      const message = await decoder.take(next.value);
      if (message === null || message.batch === null) continue;
      isEmpty = false;
      yield await message.batch();
    }
    if (isEmpty) yield decoder.empty();
  } catch (error) {
    throw broken(error);
  }
}

/** Converts an error in the decoder to a client error. */
function broken(error: unknown): unknown {
  if (error instanceof RequestError || error instanceof CallError || isCancellation(error)) return error;
  if (isAnnarrowError(error) && error.tag !== "InvalidDataError") return error;
  const problem = error instanceof Error ? error.message : String(error);
  return new RequestError("invalid", `what was sent is no Arrow stream: ${problem.slice(0, 200)}`, { cause: error });
}
