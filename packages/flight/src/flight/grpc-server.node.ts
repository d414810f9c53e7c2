/** Serves Flight over gRPC: connects handlers to `@grpc/grpc-js`, with back-pressure and cancellation. */

import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { createServer } from "node:net";
import { setImmediate } from "node:timers/promises";
import type { Metadata, Server, ServerDuplexStream, UntypedServiceImplementation } from "@grpc/grpc-js";
import { freeBytes } from "./free-memory.node.js";
import {
  abortCall,
  CHANNEL_OPTIONS,
  closeEnded,
  endSilent,
  findHttp2Stream,
  type Grpc,
  holdOne,
  isBrokenOff,
  loadGrpc,
  toGrpcBuffer,
} from "./grpc.node.js";
import type { GrpcFrame } from "./protocol/flight-data.js";
import { type FlightMethod, METHODS } from "./protocol/methods.js";
import type { FlightHandlers, ServerCall } from "./protocol/service.js";
import { CallError, callError, getStatusCode } from "./protocol/status.js";

export interface FlightServerOptions {
  readonly host: string;
  /** Port number; 0 for any free port. */
  readonly port: number;
  /** Certificate and key in PEM; without them, connections are not encrypted. */
  readonly tls?: { readonly certificate: Uint8Array; readonly key: Uint8Array };
  /** Maximum size of a received message in bytes; 16 MiB by default. */
  readonly maxReceiveBytes?: number;
  /**
   * Milliseconds after which a client is disconnected if it reads none of its response, or does not send what a handler
   * is waiting for; 0, the default, for no limit.
   */
  readonly stallMilliseconds?: number;
  /** Milliseconds after which a connection without calls is closed; 0 (the default) for never. */
  readonly idleMilliseconds?: number;
  /** Milliseconds in which a client must open a connection; 10 seconds by default. */
  readonly beginMilliseconds?: number;
  /** Maximum number of concurrent calls per connection; 1,024 by default. */
  readonly maxConcurrentStreams?: number;
  /** Runs before each call. An error that it throws ends the call. */
  readonly before?: (call: ServerCall) => void | Promise<void>;
  /** Returns the status of a call that threw `error`; `callError` by default. */
  readonly failure?: (error: unknown, call: ServerCall) => CallError;
  /** Called at the end of every call; `error` is null after success. */
  readonly after?: (call: ServerCall, error: CallError | null) => void;
}

export interface FlightServer {
  readonly port: number;
  /** Rejects new calls, waits at most `graceMilliseconds` for running calls, and then ends them. */
  close(graceMilliseconds?: number): Promise<void>;
}

const MAX_RECEIVE = 2 ** 24;

const MAX_STREAMS = 1024;
const BEGINNING = 10_000;

/** Milliseconds within which a client must close its side of an ended call. */
const CLOSING = 1000;

/** Number of event loop turns after which an aborted stream has been detected. */
const TURNS = 3;

/**
 * Starts a server for `handlers`.
 * @throws {MissingDependencyError} without `@grpc/grpc-js`, {CallError} if the address cannot be bound.
 */
export async function startFlightServer(handlers: FlightHandlers, options: FlightServerOptions): Promise<FlightServer> {
  const grpc = await loadGrpc();
  const server = new grpc.Server({
    ...CHANNEL_OPTIONS,
    "grpc.max_receive_message_length": options.maxReceiveBytes ?? MAX_RECEIVE,
    "grpc.max_concurrent_streams": options.maxConcurrentStreams ?? MAX_STREAMS,
    ...(options.idleMilliseconds ? { "grpc.max_connection_idle_ms": options.idleMilliseconds } : {}),
  });
  const { definition, implementation } = service(grpc, handlers, options);
  server.addService(definition, implementation);
  const port = await bound(grpc, server, options);
  endSilent(server, options.beginMilliseconds ?? BEGINNING, options.idleMilliseconds ?? 0);
  return { port, close: (grace = 0) => shutDown(server, grace) };
}

async function bound(grpc: Grpc, server: Server, { host, port, tls }: FlightServerOptions): Promise<number> {
  const credentials =
    tls === undefined
      ? grpc.ServerCredentials.createInsecure()
      : grpc.ServerCredentials.createSsl(null, [
          { cert_chain: Buffer.from(tls.certificate), private_key: Buffer.from(tls.key) },
        ]);
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  try {
    await checkListenable(host, port);
    return await new Promise<number>((resolve, reject) => {
      server.bindAsync(address, credentials, (error, own) => (error === null ? resolve(own) : reject(error)));
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CallError("UNAVAILABLE", `cannot listen on ${address}: ${reason}`, { cause });
  }
}

function shutDown(server: Server, grace: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.forceShutdown(), grace);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

type Definition = Parameters<Server["addService"]>[0];
type Watch = Pick<FlightServerOptions, "before" | "after" | "failure" | "stallMilliseconds">;

function service(grpc: Grpc, handlers: FlightHandlers, watch: Watch) {
  const calls = new Calls(grpc, watch);
  const definition: Record<string, Definition[string]> = {};
  const implementation: UntypedServiceImplementation = {};
  const duplex = <Q, S>(
    method: FlightMethod<Q, S>,
    handle: (requests: AsyncGenerator<Q>, call: ServerCall) => AsyncIterable<S>,
  ): void => {
    // All methods are registered as streams in both directions, which is their form on the wire; for a unary method,
    // grpc-js would wait for the request forever. Requests are left as bytes, because grpc-js reports a malformed
    // request as an internal error instead of the client's error.
    definition[method.name] = {
      path: method.path,
      requestStream: true,
      responseStream: true,
      requestSerialize: (bytes: Uint8Array) => Buffer.from(bytes),
      requestDeserialize: (bytes: Buffer): Uint8Array => bytes,
      responseSerialize: (value: S) => toGrpcBuffer(method.response.write(value), calls.copied),
      responseDeserialize: (bytes: Buffer) => method.response.read(bytes),
    };
    implementation[method.name] = calls.duplex(method, handle);
  };
  const stream = <Q, S>(method: FlightMethod<Q, S>, handle: (request: Q, call: ServerCall) => AsyncIterable<S>) =>
    duplex(method, async function* (requests, call) {
      const request = await requests.next();
      if (request.done) throw new CallError("INVALID_ARGUMENT", `${method.name} without a request`);
      yield* handle(request.value, call);
    });
  const unary = <Q, S>(method: FlightMethod<Q, S>, handle: (request: Q, call: ServerCall) => Promise<S>) =>
    stream(method, async function* (request, call) {
      yield await handle(request, call);
    });

  duplex(METHODS.handshake, (requests, call) => handlers.handshake(requests, call));
  stream(METHODS.listFlights, (criteria, call) => handlers.listFlights(criteria, call));
  unary(METHODS.getFlightInfo, (descriptor, call) => handlers.getFlightInfo(descriptor, call));
  unary(METHODS.pollFlightInfo, (descriptor, call) => handlers.pollFlightInfo(descriptor, call));
  unary(METHODS.getSchema, (descriptor, call) => handlers.getSchema(descriptor, call));
  stream(METHODS.doGet, (ticket, call) => handlers.doGet(ticket, call));
  duplex(METHODS.doPut, (data, call) => handlers.doPut(data, call));
  duplex(METHODS.doExchange, (data, call) => handlers.doExchange(data, call));
  stream(METHODS.doAction, (action, call) => handlers.doAction(action, call));
  stream(METHODS.listActions, (_, call) => handlers.listActions(call));
  return { definition, implementation };
}

interface AnyCall {
  readonly cancelled: boolean;
  readonly metadata: Metadata;
  getPeer(): string;
  sendMetadata(headers: Metadata): void;
  on(event: "cancelled", listener: () => void): unknown;
  /** Sends the status to the client. */
  emit(event: "error", status: { readonly code: number; readonly details: string }): unknown;
}

class Calls {
  readonly #grpc: Grpc;
  readonly #watch: Watch;
  /** The memory that holds the last message. */
  #frame: Uint8Array | null = null;

  readonly copied = (frame: Uint8Array): void => {
    this.#frame = frame;
  };

  constructor(grpc: Grpc, watch: Watch) {
    this.#grpc = grpc;
    this.#watch = watch;
  }

  duplex<Q, S>(
    method: FlightMethod<Q, S>,
    handle: (requests: AsyncGenerator<Q>, call: ServerCall) => AsyncIterable<S>,
  ) {
    return (raw: ServerDuplexStream<Uint8Array, S>): void => {
      holdOne(raw);
      void this.#run(method.name, raw, (call) => {
        const requests = requestsOf(raw, method, call.signal, this.#watch.stallMilliseconds);
        return this.#answer(raw, method, handle(requests, call), call.signal);
      });
    };
  }

  async #run(method: string, raw: AnyCall, body: (call: ServerCall) => Promise<void>): Promise<void> {
    const gone = new AbortController();
    raw.on("cancelled", () => gone.abort());
    if (raw.cancelled) gone.abort();
    const headers = new this.#grpc.Metadata();
    const call = serverCall(method, raw, gone.signal, headers);
    let ended: CallError | null = null;
    try {
      await this.#watch.before?.(call);
      await body(call);
    } catch (error) {
      ended = (this.#watch.failure ?? callError)(error, call);
      raw.emit("error", { code: getStatusCode(ended.status), details: ended.message });
      if (error instanceof Stalled) abortCall(raw);
    } finally {
      // A client that has received the status closes its side.
      setTimeout(() => closeEnded(raw), CLOSING).unref();
      this.#watch.after?.(call, ended);
      gone.abort();
    }
  }

  /** Sends `messages` one by one. The next message is created while the previous one is being sent. */
  async #answer<Q, S>(
    raw: Outgoing<S>,
    method: FlightMethod<Q, S>,
    messages: AsyncIterable<S>,
    signal: AbortSignal,
  ): Promise<void> {
    let sent = Promise.resolve();
    for await (const message of messages) {
      await sent;
      signal.throwIfAborted();
      sent = this.#written(raw, message, method.response.frame?.(message) ?? null, signal);
      // An error is reported by the next `await`.
      sent.catch(() => undefined);
    }
    await sent;
    raw.end();
  }

  /**
   * Resolves when the client's window has room for the message, or when the client has disconnected, which grpc-js does
   * not report. If no other message is waiting, the message is copied at once, unless it is sent from its own memory.
   */
  #written<S>(raw: Outgoing<S>, message: S, ready: GrpcFrame | null, signal: AbortSignal): Promise<void> {
    const stall = this.#watch.stallMilliseconds;
    return new Promise((resolve, reject) => {
      const leave = () => end(signal.reason);
      const timer = stalling(stall, "takes", (error) => end(error));
      const end = (error: unknown) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", leave);
        if (error === null || error === undefined) resolve();
        else reject(error);
      };
      signal.addEventListener("abort", leave, { once: true });
      const stream = ready === null ? null : findHttp2Stream(raw);
      if (ready !== null && stream !== null) {
        stream.write(ready.bytes, (error) => {
          // A stream that the client aborted calls back without an error; only its signal indicates the abort.
          if (error || isBrokenOff(raw)) return;
          ready.sent();
          end(null);
        });
        return;
      }
      this.#frame = null;
      let frame: Uint8Array | null = null;
      raw.write(message, (error) => {
        if (frame !== null && !isBrokenOff(raw)) freeBytes(frame);
        end(error);
      });
      frame = this.#frame;
      if (frame !== null) ready?.sent();
    });
  }
}

function serverCall(method: string, raw: AnyCall, signal: AbortSignal, headers: Metadata): ServerCall {
  return {
    method,
    peer: raw.getPeer(),
    signal,
    metadata: (key) => raw.metadata.get(key).map(String),
    setHeader(key, value) {
      headers.set(key, value);
      raw.sendMetadata(headers);
    },
  };
}

/** The client no longer reads. Unsent messages would delay a status, so the stream is aborted. */
class Stalled extends CallError {}

/** Calls `fail` after `stall` milliseconds. */
function stalling(
  stall: number | undefined,
  what: "takes" | "sends",
  fail: (error: CallError) => void,
): NodeJS.Timeout | undefined {
  if (stall === undefined || stall === 0) return undefined;
  const say = `the client ${what} nothing for ${stall / 1000} s`;
  const end = () =>
    fail(what === "takes" ? new Stalled("DEADLINE_EXCEEDED", say) : new CallError("DEADLINE_EXCEEDED", say));
  return setTimeout(end, stall).unref();
}

/** The sending side of a call. */
interface Outgoing<S> {
  write(message: S, done: (error?: Error | null) => void): boolean;
  end(): unknown;
}

/** Parses a request. An error in its bytes is reported as the client's error, whichever handler reads it. */
function requestOf<Q, S>({ name, request }: FlightMethod<Q, S>, bytes: Uint8Array): Q {
  try {
    return request.read(bytes);
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new CallError("INVALID_ARGUMENT", `${name} was sent no valid request: ${problem}`, { cause });
  }
}

/** Yields the client's messages one by one. A handler that stops reading early may still respond. */
async function* requestsOf<Q, S>(
  raw: ServerDuplexStream<Uint8Array, S>,
  method: FlightMethod<Q, S>,
  signal: AbortSignal,
  stall: number | undefined,
): AsyncGenerator<Q> {
  const messages: AsyncIterator<Uint8Array> = raw.iterator({ destroyOnReturn: false });
  // When the connection is lost, the reader of grpc-js never returns.
  const gone = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  gone.catch(() => undefined);
  try {
    for (;;) {
      signal.throwIfAborted();
      let timer: NodeJS.Timeout | undefined;
      const stalled = new Promise<never>((_, reject) => {
        timer = stalling(stall, "sends", reject);
      });
      const next = await Promise.race([messages.next(), gone, stalled]).finally(() => clearTimeout(timer));
      if (next.done) break;
      yield requestOf(method, next.value);
    }
  } finally {
    // This is not awaited: grpc-js ends its reader only after the next message, which a silent client never sends.
    if (!signal.aborted) void messages.return?.().catch(() => undefined);
  }
  // When the client aborts a stream, grpc-js ends the stream first and reports the abort a moment later.
  for (let turn = 0; turn < TURNS; turn++) {
    await setImmediate();
    signal.throwIfAborted();
  }
}

/**
 * Asks the system whether an address is free. grpc-js would print its own error line for an address in use.
 * @param port 0 for any free port.
 * @throws the system's error, if none of the host's addresses is free.
 */
async function checkListenable(host: string, port: number): Promise<void> {
  let problem: unknown;
  for (const { address } of await lookup(host, { all: true })) {
    try {
      return await listenOnce(address, port);
    } catch (error) {
      problem ??= error;
    }
  }
  throw problem;
}

async function listenOnce(host: string, port: number): Promise<void> {
  const server = createServer((socket) => socket.destroy());
  const listening = once(server, "listening");
  server.listen({ host, port, exclusive: true });
  await listening;
  server.close();
  await once(server, "close");
}
