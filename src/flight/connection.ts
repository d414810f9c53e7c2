/** A connection to a Flight service, whichever transport carries it. */

import type { FlightMethod } from "./protocol/methods.js";

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Calls end in errors of this library; where a signal ends them, in its reason. */
export interface FlightConnection {
  /** What it is called in errors: `grpc://host:port`. */
  readonly name: string;
  unary<Q, S>(method: FlightMethod<Q, S>, request: Q, options?: CallOptions): Promise<S>;
  /** The answers one by one; the next is taken from the network when it is asked for. Leaving early cancels the call. */
  stream<Q, S>(method: FlightMethod<Q, S>, request: Q, options?: CallOptions): AsyncIterable<S>;
  /** The same while `requests` are sent. */
  duplex<Q, S>(
    method: FlightMethod<Q, S>,
    requests: Iterable<Q> | AsyncIterable<Q>,
    options?: CallOptions,
  ): AsyncIterable<S>;
  close(): void;
}

/** Who asks, and how. */
export interface FlightOptions {
  /** A bearer token, sent with every call. */
  readonly token?: string;
  /** A name and a password, for which the service gives a token. */
  readonly basic?: { readonly username: string; readonly password: string };
  /** Other headers to send with every call. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Of `grpc+tls`: certificates in PEM that are trusted instead of those of Node. */
  readonly tlsRoots?: string | Uint8Array;
  /** Of `grpc+tls`: who the client is, in PEM. */
  readonly tlsClient?: { readonly certificate: string | Uint8Array; readonly key: string | Uint8Array };
  /** Largest message that is taken; 1 GiB by default. */
  readonly maxMessageBytes?: number;
  /**
   * Other hosts that a service may lead to for rows, `*` for all; they are told who asks, as it is. The same host on
   * other ports needs no mention.
   */
  readonly hosts?: readonly string[];
  /** How many streams of one table are read at the same time; 4 by default. */
  readonly streams?: number;
}
