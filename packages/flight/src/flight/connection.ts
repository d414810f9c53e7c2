/** A connection to a Flight service over any transport. */

import type { NamesOf } from "annarrow/core/model";
import type { FlightMethod } from "./protocol/methods.js";

declare module "annarrow/extend" {
  interface ServiceSchemeOptions {
    /** Connection to an Arrow Flight service (`grpc://host:port/…`, in Node): credentials, headers, limits. */
    readonly flight?: FlightOptions;
  }
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** A failed call throws an error of this library. An aborted call throws its signal's reason. */
export interface FlightConnection {
  /** Name in errors: `grpc://host:port`. */
  readonly name: string;
  unary<Q, S>(method: FlightMethod<Q, S>, request: Q, options?: CallOptions): Promise<S>;
  /** Yields the responses. Each is read from the network on demand. Leaving the loop early cancels the call. */
  stream<Q, S>(method: FlightMethod<Q, S>, request: Q, options?: CallOptions): AsyncIterable<S>;
  /** Sends `requests` and yields the responses like `stream`. */
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
  /** Username and password, which the service exchanges for a token. */
  readonly basic?: { readonly username: string; readonly password: string };
  /** Other headers to send with every call. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Certificates in PEM that `grpc+tls` trusts instead of Node's root certificates. */
  readonly tlsRoots?: string | Uint8Array;
  /** Certificate and key of the client for `grpc+tls`, in PEM. */
  readonly tlsClient?: { readonly certificate: string | Uint8Array; readonly key: string | Uint8Array };
  /** Maximum size of a received message in bytes; 1 GiB by default. */
  readonly maxMessageBytes?: number;
  /**
   * Other hosts from which a service may let clients fetch rows; `*` for all. They receive the same credentials as the
   * service. The service's own host is always allowed, on any port.
   */
  readonly hosts?: readonly string[];
  /** Maximum number of concurrent streams per table; 4 by default. */
  readonly streams?: number;
}

export const FLIGHT_OPTIONS = {
  ...{ token: true, basic: { username: true, password: true }, headers: true, tlsRoots: true },
  ...{ tlsClient: { certificate: true, key: true }, maxMessageBytes: true, hosts: true, streams: true },
} as const satisfies NamesOf<FlightOptions>;
