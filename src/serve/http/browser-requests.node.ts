/**
 * Pages of others that run in a browser on this machine. A name of theirs may lead to this server (DNS rebinding), and
 * then they may read what it answers: only the name that the browser was given tells, in the header `host`.
 */

import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { Refusal } from "../requests/failure.js";

export interface BrowserRules {
  /** Address that the server listens at. */
  readonly host: string;
  /** Names besides it and localhost; `*` for all. */
  readonly allowHost: readonly string[];
  /** The origins whose pages may ask; `*` for all. */
  readonly cors: readonly string[];
  /** Whether a token is needed, which no page of others knows: then the name does not matter. */
  readonly hasToken: boolean;
}

export interface BrowserRequest {
  readonly headers: IncomingHttpHeaders;
  /** At which the request came in. */
  readonly localAddress: string | undefined;
}

/** Names of this machine, for itself. */
const OWN = ["localhost", "127.0.0.1", "::1"];

/** @throws {Refusal} for a name that is not the server's, and for a page of an origin that may not ask. */
export function checkBrowserRequest({ headers, localAddress }: BrowserRequest, rules: BrowserRules): void {
  const { host, origin } = headers;
  if (!rules.hasToken && host !== undefined && !isOwnHost(host, localAddress, rules)) {
    throw new Refusal(
      "misdirected",
      `the host ${JSON.stringify(host.slice(0, 100))} is none of this server's names: --allow-host adds one`,
    );
  }
  if (headers["sec-fetch-site"] !== "cross-site" || rules.cors.includes("*")) return;
  if (origin === undefined || !rules.cors.includes(origin)) {
    throw new Refusal("forbidden", "a page of another site may not ask: --cors names the origins whose pages may");
  }
}

/** Any port: what is in front of the server, a tunnel or a container, may have another one. */
function isOwnHost(host: string, localAddress: string | undefined, rules: BrowserRules): boolean {
  const name = nameIn(host);
  if (name === null) return false;
  if (rules.allowHost.some((allowed) => allowed === "*" || nameIn(allowed) === name)) return true;
  const address = localAddress === undefined ? undefined : nameIn(localAddress);
  return OWN.includes(name) || name === nameIn(rules.host) || (isIP(name) !== 0 && name === address);
}

/** `host`, `host:port`, `[::1]`, `[::1]:port` or `::1` without port and brackets, in lower case; null where it is none. */
function nameIn(text: string): string | null {
  const lower = text.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
  if (isIP(lower) !== 0) return lower;
  const [, address, name] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::\d{1,5})?$/.exec(lower) ?? [];
  return address ?? name?.replace(/\.$/, "") ?? null;
}
