/** Connects to a Flight service over gRPC. */

import type { ClientDuplexStream, ClientReadableStream, Metadata, ServiceError } from "@grpc/grpc-js";
import type { CallOptions, FlightConnection, FlightOptions } from "./connection.js";
import { CHANNEL_OPTIONS, type Grpc, holdOne, loadGrpc, toGrpcBuffer } from "./grpc.node.js";
import { parseFlightLocation, type ServerAddress } from "./protocol/location.js";
import { type FlightMethod, METHODS } from "./protocol/methods.js";
import { CallError, getStatusName, toClientError } from "./protocol/status.js";

const MAX_MESSAGE = 2 ** 30;

/**
 * Connects to the service at `uri` (`grpc://host:port`, `grpc+tls://host:port`); nothing is sent before the first call.
 * @throws {MissingDependencyError} without `@grpc/grpc-js`, {InvalidInputError} for any other URI.
 */
export async function connectFlight(uri: string, options: FlightOptions = {}): Promise<FlightConnection> {
  const location = parseFlightLocation(uri);
  return new GrpcConnection(await loadGrpc(), location, options);
}

/** Text that grpc-js appends to a message even if it has no resolution note. */
const NO_NOTE = /\s*Resolution note:\s*$/;

class GrpcConnection implements FlightConnection {
  readonly name: string;
  readonly #grpc: Grpc;
  readonly #client: InstanceType<Grpc["Client"]>;
  readonly #options: FlightOptions;
  /** The token from a handshake. The first call starts the handshake. */
  #token: Promise<string> | undefined;

  constructor(grpc: Grpc, location: ServerAddress, options: FlightOptions) {
    this.name = location.name;
    this.#grpc = grpc;
    this.#options = options;
    const { tlsRoots, tlsClient } = options;
    const credentials = location.tls
      ? grpc.credentials.createSsl(pem(tlsRoots), pem(tlsClient?.key), pem(tlsClient?.certificate))
      : grpc.credentials.createInsecure();
    this.#client = new grpc.Client(location.address, credentials, {
      ...CHANNEL_OPTIONS,
      "grpc.max_receive_message_length": options.maxMessageBytes ?? MAX_MESSAGE,
      // Several connections to the same address are not shared, because their credentials may differ.
      "grpc.use_local_subchannel_pool": 1,
    });
  }

  async unary<Q, S>(method: FlightMethod<Q, S>, request: Q, { signal }: CallOptions = {}): Promise<S> {
    signal?.throwIfAborted();
    const metadata = await this.#metadata(signal);
    const bytes = await new Promise<Uint8Array>((resolve, reject) => {
      const call = this.#client.makeUnaryRequest(
        method.path,
        (value: Q) => toGrpcBuffer(method.request.write(value)),
        (answer: Buffer): Uint8Array => answer,
        request,
        metadata,
        (error: ServiceError | null, answer?: Uint8Array) => {
          signal?.removeEventListener("abort", cancel);
          if (error === null && answer !== undefined) resolve(answer);
          else reject(signal?.aborted ? signal.reason : failure(error));
        },
      );
      const cancel = () => call.cancel();
      signal?.addEventListener("abort", cancel, { once: true });
    });
    return method.response.read(bytes);
  }

  async *stream<Q, S>(method: FlightMethod<Q, S>, request: Q, { signal }: CallOptions = {}): AsyncGenerator<S> {
    signal?.throwIfAborted();
    const metadata = await this.#metadata(signal);
    const call = this.#client.makeServerStreamRequest(
      method.path,
      (value: Q) => toGrpcBuffer(method.request.write(value)),
      (answer: Buffer): Uint8Array => answer,
      request,
      metadata,
    );
    yield* answers(call, method, signal);
  }

  async *duplex<Q, S>(
    method: FlightMethod<Q, S>,
    requests: Iterable<Q> | AsyncIterable<Q>,
    { signal }: CallOptions = {},
  ): AsyncGenerator<S> {
    signal?.throwIfAborted();
    const metadata = await this.#metadata(signal);
    yield* answers(this.#duplex(method, requests, metadata), method, signal);
  }

  close(): void {
    this.#client.close();
  }

  #duplex<Q, S>(method: FlightMethod<Q, S>, requests: Iterable<Q> | AsyncIterable<Q>, metadata: Metadata) {
    const call = this.#client.makeBidiStreamRequest(
      method.path,
      (value: Q) => toGrpcBuffer(method.request.write(value)),
      (answer: Buffer): Uint8Array => answer,
      metadata,
    );
    void send(call, requests);
    return call;
  }

  async #metadata(signal: AbortSignal | undefined): Promise<Metadata> {
    const { token, basic, headers = {} } = this.#options;
    const metadata = new this.#grpc.Metadata();
    for (const [key, value] of Object.entries(headers)) metadata.set(key, value);
    if (token !== undefined) metadata.set("authorization", `Bearer ${token}`);
    else if (basic !== undefined) {
      this.#token ??= this.#handshake(basic, signal).catch((error: unknown) => {
        this.#token = undefined;
        throw error;
      });
      metadata.set("authorization", await this.#token);
    }
    return metadata;
  }

  /** Returns the response header `authorization`, in which a service sends a token for a username and password. */
  async #handshake(
    { username, password }: NonNullable<FlightOptions["basic"]>,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const metadata = new this.#grpc.Metadata();
    for (const [key, value] of Object.entries(this.#options.headers ?? {})) metadata.set(key, value);
    const own = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
    metadata.set("authorization", own);
    const call = this.#duplex(METHODS.handshake, [], metadata);
    let given: string | undefined;
    const take = (answer: Metadata) => {
      given ??= answer.get("authorization").map(String)[0];
    };
    call.on("metadata", take);
    call.on("status", ({ metadata: trailer }) => take(trailer));
    for await (const _ of answers(call, METHODS.handshake, signal));
    // A service that sends no token expects username and password with every call.
    return given ?? own;
  }
}

function pem(content: string | Uint8Array | undefined): Buffer | null {
  if (content === undefined) return null;
  return typeof content === "string" ? Buffer.from(content) : Buffer.from(content);
}

async function* answers<Q, S>(
  call: ClientReadableStream<Uint8Array> | ClientDuplexStream<Q, Uint8Array>,
  method: FlightMethod<Q, S>,
  signal: AbortSignal | undefined,
): AsyncGenerator<S> {
  holdOne(call);
  // An error may arrive after the reader has stopped.
  call.on("error", () => undefined);
  const cancel = () => call.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    const bytes: AsyncIterable<Uint8Array> = call;
    for await (const answer of bytes) {
      signal?.throwIfAborted();
      yield method.response.read(answer);
    }
    signal?.throwIfAborted();
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw isServiceError(error) ? failure(error) : error;
  } finally {
    signal?.removeEventListener("abort", cancel);
    call.cancel();
  }
}

/** Sends requests, each created when the stream has room. Errors are passed to the reader of the call's responses. */
async function send<Q>(
  call: ClientDuplexStream<Q, Uint8Array>,
  requests: Iterable<Q> | AsyncIterable<Q>,
): Promise<void> {
  let ended = false;
  const over = new Promise<void>((resolve) => {
    const end = () => {
      ended = true;
      resolve();
    };
    call.on("error", end);
    call.on("status", end);
  });
  try {
    for await (const request of requests) {
      if (ended) return;
      await Promise.race([over, new Promise<void>((resolve) => call.write(request, () => resolve()))]);
    }
    if (!ended) call.end();
  } catch (error) {
    call.destroy(error instanceof Error ? error : new Error(String(error)));
    call.cancel();
  }
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && typeof error.code === "number" && "details" in error;
}

function failure(error: ServiceError | null): Error {
  if (error === null) return toClientError(new CallError("INTERNAL", "no answer"));
  return toClientError(new CallError(getStatusName(error.code), error.details.replace(NO_NOTE, ""), { cause: error }));
}
