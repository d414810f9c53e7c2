/** The methods of Arrow Flight over served folders. */

import {
  type Action,
  type ActionResult,
  type ActionType,
  CANCEL_FLIGHT_INFO,
  type PutResult,
  RENEW_FLIGHT_ENDPOINT,
  readCancelFlightInfo,
  readRenewEndpoint,
  writeCancelResult,
} from "../flight/action.js";
import type { FlightDescriptor, Ticket } from "../flight/descriptor.js";
import type { FlightData } from "../flight/flight-data.js";
import { type FlightInfo, writeEndpoint } from "../flight/flight-info.js";
import { freeBytes } from "../flight/free-memory.node.js";
import { type Handshake, readBasicAuth } from "../flight/handshake.js";
import { joinParts } from "../flight/proto-writer.js";
import type { FlightHandlers, ServerCall } from "../flight/service.js";
import { messageData, schemaData, type TableMessage } from "../sinks/flight/message-data.js";
import type { Answer } from "./answer.js";
import type { Borrowed } from "./datasets.node.js";
import { describeDataset } from "./describe.js";
import { failureOf, Refusal } from "./failure.js";
import { flightInfo } from "./flight-info.js";
import { pathSegments } from "./names.js";
import { type DataRequest, isRecord, parseCommand, parseObject, refuseOthers } from "./request.js";
import type { Serving } from "./serving.node.js";
import { exchangeBatches, uploadedBatches } from "./uploaded.js";

/** Actions that are ours, and those that the protocol defines. */
const ACTIONS: readonly ActionType[] = [
  { type: "inspect", description: 'What a dataset holds, as JSON; body {"dataset": "pbmc.h5ad"}' },
  {
    type: "commit",
    description: 'Writes an uploaded dataset; body {"dataset": "new.h5ad", "upload": "…", "overwrite": false}',
  },
  { type: "abort", description: 'Drops an upload; body {"dataset": "new.h5ad", "upload": "…"}' },
  { type: "cancel", description: "Ends the streams of a ticket, which is the body, and takes it no more" },
  { type: "health", description: "Whether the server answers, as JSON; no body" },
  { type: CANCEL_FLIGHT_INFO, description: "Ends the streams of all tickets of a flight" },
  { type: RENEW_FLIGHT_ENDPOINT, description: "A ticket for the same rows that is taken for longer" },
];

export class FlightService implements FlightHandlers {
  readonly #serving: Serving;

  constructor(serving: Serving) {
    this.#serving = serving;
  }

  /** Name and password, or the token as it is: the answer is what later calls send as `authorization`. */
  async *handshake(requests: AsyncIterable<Handshake>, call: ServerCall): AsyncGenerator<Handshake> {
    const { access } = this.#serving;
    const [header] = call.metadata("authorization");
    if (header !== undefined) {
      access.check(header);
      // The header has what every later call may say.
      call.setHeader("authorization", bearerOf(header));
      for await (const { protocolVersion } of requests) yield { protocolVersion, payload: new Uint8Array(0) };
      return;
    }
    for await (const { protocolVersion, payload } of requests) {
      const token = tokenIn(payload, (text) => access.accepts(text));
      if (token === null)
        throw new Refusal("unauthenticated", "neither the token of this server, nor a password that is it");
      call.setHeader("authorization", `Bearer ${token}`);
      yield { protocolVersion, payload: new TextEncoder().encode(token) };
    }
  }

  async *listFlights(
    { expression }: { readonly expression: Uint8Array },
    call: ServerCall,
  ): AsyncGenerator<FlightInfo> {
    const prefix = prefixOf(expression);
    for await (const name of this.#serving.folders.names(prefix)) {
      call.signal.throwIfAborted();
      try {
        yield* this.#flightsOf(name, prefix, call.signal);
      } catch (error) {
        call.signal.throwIfAborted();
        // One that cannot be opened hides no other.
        this.#serving.log("warn", "not listed", { name, error: failureOf(error, name).message });
      }
    }
  }

  async getFlightInfo(descriptor: FlightDescriptor, call: ServerCall): Promise<FlightInfo> {
    const request = requestOf(descriptor);
    return this.#answered(request, (answer) => this.#info(answer, request, descriptor, call.signal));
  }

  async pollFlightInfo(descriptor: FlightDescriptor, call: ServerCall) {
    const info = await this.getFlightInfo(descriptor, call);
    return { info, descriptor: null, progress: 1, expirationTime: info.endpoints[0]?.expirationTime ?? null };
  }

  async getSchema(descriptor: FlightDescriptor, call: ServerCall) {
    return this.#answered(requestOf(descriptor), async (answer) => ({ schema: await answer.schema(call.signal) }));
  }

  async *doGet({ ticket }: Ticket, call: ServerCall): AsyncGenerator<FlightData> {
    const { tickets, running, streams, answers } = this.#serving;
    const opened = tickets.open(ticket);
    const stream = running.begin(ticket, call.signal);
    try {
      const leave = await streams.enter(stream.signal);
      try {
        const answer = await answers.answer(opened.request, ({ found }) => {
          if (!tickets.isOf(opened, found.identity)) {
            throw new Refusal(
              "gone",
              `${found.name} has changed since the ticket was made; ask for the FlightInfo again`,
            );
          }
        });
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
    this.#refuseReadOnly();
    const leave = await puts.enter(call.signal);
    try {
      const { descriptor, rest } = await uploadedBatches(data);
      const { dataset, table, upload } = uploadOf(descriptor);
      const received = await uploads.put({ dataset, upload }, table, await rest(), call.signal);
      metrics.add(metrics.received, received.bytes);
      yield { appMetadata: json({ upload, table, ...received }) };
    } finally {
      leave();
    }
  }

  async *doExchange(data: AsyncIterable<FlightData>, call: ServerCall): AsyncGenerator<FlightData> {
    const { streams, statements, datasets, metrics } = this.#serving;
    const leave = await streams.enter(call.signal);
    let borrowed: Borrowed | null = null;
    try {
      const { descriptor, rest } = await uploadedBatches(data);
      const request = requestOf(descriptor);
      if (request.kind !== "sql") {
        throw new Refusal(
          "invalid",
          'an exchange is a command with sql: {"sql": "select …", "upload": "name of the table"}',
        );
      }
      borrowed = request.path.length === 0 ? null : await datasets.borrow(request.path);
      const task = { sql: request.sql, file: borrowed?.found.path ?? null, upload: request.upload ?? "upload" };
      const statement = await statements.start({ ...task, schemaOnly: false, format: "arrow" }, call.signal);
      try {
        const sending = exchangeBatches(await rest(), async (bytes) => {
          metrics.add(metrics.received, bytes.length);
          await statement.upload(bytes);
        });
        await sending;
        statement.endUpload();
        yield schemaData(await statement.schema());
        yield* this.#sent(statement.messages());
      } finally {
        statement.close();
      }
    } finally {
      borrowed?.release();
      leave();
    }
  }

  async *doAction({ type, body }: Action, call: ServerCall): AsyncGenerator<ActionResult> {
    const { uploads, datasets, running, tickets } = this.#serving;
    switch (type) {
      case "inspect": {
        const path = datasetOf(parseObject(body, "the body"), []).dataset;
        const { dataset, found, rest, release } = await datasets.borrow(path);
        try {
          if (rest !== "") throw new Refusal("not-found", `nothing is served as ${JSON.stringify(path.join("/"))}`);
          yield { body: json(describeDataset(found.name, dataset)) };
        } finally {
          release();
        }
        return;
      }
      case "commit": {
        this.#refuseReadOnly();
        const { overwrite = false, ...name } = parseObject(body, "the body");
        if (typeof overwrite !== "boolean") throw new Refusal("invalid", "overwrite must be true or false");
        yield { body: json(await uploads.commit(datasetOf(name, ["upload"]), overwrite, call.signal)) };
        return;
      }
      case "abort":
        this.#refuseReadOnly();
        await uploads.abort(datasetOf(parseObject(body, "the body"), ["upload"]));
        return;
      case "cancel":
        tickets.open(body);
        running.cancel(body);
        return;
      case "health":
        yield { body: json(this.#serving.health()) };
        return;
      case CANCEL_FLIGHT_INFO: {
        const { endpoints } = readCancelFlightInfo(body);
        for (const { ticket } of endpoints) tickets.open(ticket.ticket);
        for (const { ticket } of endpoints) running.cancel(ticket.ticket);
        yield { body: joinParts(writeCancelResult("cancelled").finish()) };
        return;
      }
      case RENEW_FLIGHT_ENDPOINT: {
        const endpoint = readRenewEndpoint(body);
        const expires = Date.now() + this.#serving.endpoints.ticketTime;
        const ticket = { ticket: tickets.renew(endpoint.ticket.ticket, expires) };
        yield { body: joinParts(writeEndpoint({ ...endpoint, ticket, expirationTime: new Date(expires) }).finish()) };
        return;
      }
      default:
        throw new Refusal(
          "unimplemented",
          `no action ${JSON.stringify(type.slice(0, 100))}; there are ${ACTIONS.map((one) => one.type).join(", ")}`,
        );
    }
  }

  async *listActions(): AsyncGenerator<ActionType> {
    yield* ACTIONS;
  }

  async *#flightsOf(name: string, prefix: string, signal: AbortSignal): AsyncGenerator<FlightInfo> {
    const { datasets, answers } = this.#serving;
    const { dataset, release } = await datasets.borrow([name]);
    try {
      for (const table of dataset.tables.keys()) {
        if (!`${name}/${table}`.startsWith(prefix)) continue;
        const request: DataRequest = { kind: "table", path: [name], table };
        const answer = await answers.answer(request);
        try {
          yield await this.#info(answer, request, { kind: "path", path: [...name.split("/"), table] }, signal);
        } finally {
          answer.close();
        }
      }
    } finally {
      release();
    }
  }

  /** When the next message is asked for, the one before has been copied to where it is sent from, or never will be. */
  async *#sent(messages: AsyncIterable<TableMessage>): AsyncGenerator<FlightData> {
    for await (const message of messages) {
      this.#count(message.bytes.length, message.rows);
      try {
        yield messageData(message);
      } finally {
        freeBytes(message.bytes);
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
    descriptor: FlightDescriptor,
    signal: AbortSignal,
  ): Promise<FlightInfo> {
    const { tickets, endpoints } = this.#serving;
    const sign = (part: DataRequest, expires: number) =>
      tickets.sign({ request: part, identity: answer.identity }, expires);
    const flight = await flightInfo(answer, request, sign, endpoints, signal);
    return { ...flight, schema: await answer.schema(signal), descriptor };
  }

  async #answered<T>(request: DataRequest, action: (answer: Answer) => Promise<T>): Promise<T> {
    const answer = await this.#serving.answers.answer(request);
    try {
      return await action(answer);
    } finally {
      answer.close();
    }
  }

  #refuseReadOnly(): void {
    if (this.#serving.isReadOnly) throw new Refusal("forbidden", "this server only reads");
  }
}

function requestOf(descriptor: FlightDescriptor | null): DataRequest {
  switch (descriptor?.kind) {
    case "path":
      return { kind: "table", path: pathSegments(descriptor.path) };
    case "command":
      return parseCommand(descriptor.command);
    default:
      throw new Refusal("invalid", "no descriptor: it must be a path or a command");
  }
}

/** `["new.h5ad", "obs"]`, or `{"dataset": "new.h5ad", "table": "obs", "upload": "…"}`. */
function uploadOf(descriptor: FlightDescriptor | null) {
  switch (descriptor?.kind) {
    case "path": {
      const [dataset, ...table] = descriptor.path;
      if (table.length === 0)
        throw new Refusal("invalid", 'a path for an upload is ["new.h5ad", "obs"]: dataset and table');
      return { dataset: pathSegments([dataset]), table: pathSegments(table).join("/"), upload: "" };
    }
    case "command": {
      const { table, ...rest } = parseObject(descriptor.command, "the command");
      if (typeof table !== "string" || table === "") throw new Refusal("invalid", "table must be text");
      return { ...datasetOf(rest, ["upload"]), table };
    }
    default:
      throw new Refusal("invalid", "no descriptor: it must be a path or a command");
  }
}

function datasetOf(object: Readonly<Record<string, unknown>>, more: readonly string[]) {
  const { dataset, ...rest } = object;
  const { upload = "", ...others } = more.includes("upload") ? rest : { ...rest, upload: "" };
  refuseOthers(others, "the body", ["dataset", ...more]);
  if (typeof dataset !== "string") throw new Refusal("invalid", "dataset must be text");
  if (typeof upload !== "string" || upload.length > 200)
    throw new Refusal("invalid", "upload must be text of at most 200 characters");
  return { dataset: pathSegments([dataset]), upload };
}

/** A beginning of names, as it is or as `{"prefix": "…"}`; nothing for all. */
function prefixOf(expression: Uint8Array): string {
  if (expression.length === 0) return "";
  if (expression.length > 4096) throw new Refusal("too-large", `criteria of ${expression.length} bytes, at most 4096`);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(expression);
  } catch (cause) {
    throw new Refusal("invalid", "the criteria are no UTF-8", { cause });
  }
  if (!text.startsWith("{")) return text;
  const { prefix, ...others } = parseObject(expression, "the criteria");
  refuseOthers(others, "the criteria", ["prefix"]);
  if (typeof prefix !== "string") throw new Refusal("invalid", "prefix must be text");
  return prefix;
}

/** What of a payload is the token: the password of `BasicAuth`, or all of it. */
function tokenIn(payload: Uint8Array, accepts: (text: string) => boolean): string | null {
  try {
    const { password } = readBasicAuth(payload);
    if (password !== "" && accepts(password)) return password;
  } catch {
    // Text is no such message.
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

function json(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(isRecord(value) ? value : { value }));
}
