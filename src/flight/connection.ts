/** A connection to a Flight service over any transport. */

import type { NamesOf } from "../model/option-names.js";
import type { FlightMethod } from "./protocol/methods.js";

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** A failed call throws an error of this library, an aborted call the reason of its signal. */
export interface FlightConnection {
  /** Name in errors: `grpc://host:port`. */
  readonly name: string;
  unary<Q, S>(method: FlightMethod<Q, S>, request: Q, options?: CallOptions): Promise<S>;
  /** Yields the answers one by one; each is taken from the network when it is asked for. Leaving early cancels the call. */
  stream<Q, S>(method: FlightMethod<Q, S>, request: Q, options?: CallOptions): AsyncIterable<S>;
  /** Sends `requests`, and yields the answers like `stream`. */
  duplex<Q, S>(
    method: FlightMethod<Q, S>,
    requests: Iterable<Q> | AsyncIterable<Q>,
    options?: CallOptions,
  ): AsyncIterable<S>;
  close(): void;
}

/** Credentials and limits of a connection. */
export interface FlightOptions {
  /** A bearer token, sent with every call. */
  readonly token?: string;
  /** A name and a password, for which the service gives a token. */
  readonly basic?: { readonly username: string; readonly password: string };
  /** Other headers to send with every call. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Certificates in PEM that `grpc+tls` trusts instead of Node's. */
  readonly tlsRoots?: string | Uint8Array;
  /** Certificate and key of the client for `grpc+tls`, in PEM. */
  readonly tlsClient?: { readonly certificate: string | Uint8Array; readonly key: string | Uint8Array };
  /** Limit of the bytes of a received message; 1 GiB by default. */
  readonly maxMessageBytes?: number;
  /**
   * Other hosts from which a service may let rows be fetched, `*` for all. They get the credentials, like the service
   * itself. The host of the service needs no mention, on any port.
   */
  readonly hosts?: readonly string[];
  /** Limit of concurrent streams of one table; 4 by default. */
  readonly streams?: number;
}

/** The names of the options. */
export const FLIGHT_OPTIONS = {
  ...{ token: true, basic: { username: true, password: true }, headers: true, tlsRoots: true },
  ...{ tlsClient: { certificate: true, key: true }, maxMessageBytes: true, hosts: true, streams: true },
} as const satisfies NamesOf<FlightOptions>;
