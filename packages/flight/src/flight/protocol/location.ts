/** URIs of Arrow Flight. */

import { InvalidInputError } from "annarrow";

export interface ServerAddress {
  /** The URI without its path: `grpc+tls://host:port`. */
  readonly name: string;
  /** `host:port`, the form of gRPC. */
  readonly address: string;
  readonly tls: boolean;
  /** The names that make up the path, as in descriptors. */
  readonly path: readonly string[];
}

export function isFlightUri(text: string): boolean {
  return /^grpc(\+tcp|\+tls)?:\/\//i.test(text);
}

/** @throws {InvalidInputError} for any URI other than `grpc://`, `grpc+tcp://` or `grpc+tls://` with host and port. */
export function parseFlightLocation(uri: string): ServerAddress {
  const bad = (problem: string) =>
    new InvalidInputError(`${problem}; a Flight service is grpc://host:port or grpc+tls://host:port`, { source: uri });
  if (!isFlightUri(uri)) throw bad("no URI of Arrow Flight");
  let url: URL;
  try {
    // `URL` parses host and port only for schemes that it knows. None of the three schemes here has a default port.
    url = new URL(uri.replace(/^[^:]+/, "http"));
  } catch (cause) {
    throw new InvalidInputError("no URI", { source: uri, cause });
  }
  if (url.username !== "" || url.password !== "") throw bad("a name in the URI: use the option basic");
  if (url.search !== "" || url.hash !== "") throw bad("a query or a fragment in the URI");
  const scheme = uri.slice(0, uri.indexOf(":")).toLowerCase();
  // `URL` drops port 80, the default of http.
  const port = url.port || (/:80(\/|$)/.test(uri.slice(scheme.length + 3)) ? "80" : "");
  if (url.hostname === "" || port === "") throw bad("no host and port");
  const address = `${url.hostname}:${port}`;
  return { name: `${scheme}://${address}`, address, tls: scheme === "grpc+tls", path: namesOf(url.pathname, uri) };
}

function namesOf(path: string, uri: string): string[] {
  try {
    return path
      .split("/")
      .filter((name) => name !== "")
      .map(decodeURIComponent);
  } catch (cause) {
    throw new InvalidInputError("the path of the URI is not UTF-8", { source: uri, cause });
  }
}
