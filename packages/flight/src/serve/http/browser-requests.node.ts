/**
 * Refuses requests from foreign web pages in a browser on this machine. The domain of such a page may resolve to this
 * server (DNS rebinding), and the browser then lets the page read the answers. Only the `host` header shows the domain.
 */

import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { RequestError } from "../requests/failure.js";

export interface BrowserRules {
  /** Address on which the server listens. */
  readonly host: string;
  /** Names that the server accepts in addition to this address and localhost; `*` for all. */
  readonly allowHost: readonly string[];
  /** Origins whose pages may send requests; `*` for all. */
  readonly cors: readonly string[];
  /** Whether a token is required. Foreign pages do not know the token, so the host name is then not checked. */
  readonly hasToken: boolean;
}

export interface BrowserRequest {
  readonly headers: IncomingHttpHeaders;
  readonly localAddress: string | undefined;
}

/** Names that this machine uses for itself. */
const OWN = ["localhost", "127.0.0.1", "::1"];

/** @throws {RequestError} for a name other than the server's, and for a page whose origin may not send requests. */
export function checkBrowserRequest({ headers, localAddress }: BrowserRequest, rules: BrowserRules): void {
  const { host, origin } = headers;
  if (!rules.hasToken && host !== undefined && !isOwnHost(host, localAddress, rules)) {
    throw new RequestError(
      "misdirected",
      `the host ${JSON.stringify(host.slice(0, 100))} is none of this server's names: --allow-host adds one`,
    );
  }
  if (headers["sec-fetch-site"] !== "cross-site" || rules.cors.includes("*")) return;
  if (origin === undefined || !rules.cors.includes(origin)) {
    throw new RequestError("forbidden", "a page of another site may not ask: --cors names the origins whose pages may");
  }
}

/** Whether a `host` header names this server. The port is ignored, because a tunnel or a container may change it. */
function isOwnHost(host: string, localAddress: string | undefined, rules: BrowserRules): boolean {
  const name = nameIn(host);
  if (name === null) return false;
  if (rules.allowHost.some((allowed) => allowed === "*" || nameIn(allowed) === name)) return true;
  const address = localAddress === undefined ? undefined : nameIn(localAddress);
  return OWN.includes(name) || name === nameIn(rules.host) || (isIP(name) !== 0 && name === address);
}

/**
 * Returns the host without port and brackets, in lower case; null for any other text. Examples: `host`, `host:port`,
 * `[::1]`, `[::1]:port`, `::1`.
 */
function nameIn(text: string): string | null {
  const lower = text.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
  if (isIP(lower) !== 0) return lower;
  const [, address, name] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::\d{1,5})?$/.exec(lower) ?? [];
  return address ?? name?.replace(/\.$/, "") ?? null;
}
