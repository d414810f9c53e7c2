/** Server for `annarrow view`. It serves the page's files to everyone, but answers requests only with the token. */

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { Access } from "@annarrow/flight/node";
import { InvalidInputError } from "annarrow";
import { Viewer, type ViewerOptions } from "../viewer.js";
import { Downloads } from "./downloads.node.js";
import { PageFiles } from "./page-files.node.js";
import { StreamFailures } from "./stream-failures.js";
import { type SavePart, ViewExchange } from "./view-exchange.node.js";

export interface ViewServerOptions {
  readonly host: string;
  /** Port to listen on; 0 for any free port. */
  readonly port: number;
  /** Folder of the built page. */
  readonly page: URL;
  /** Host names that are allowed in browser requests besides the server's address and localhost; `*` for all. */
  readonly allowHost: readonly string[];
  /** Origins whose pages may show this page in a frame. */
  readonly frameOrigins: readonly string[];
  readonly savePart: SavePart;
  /** Called for errors that the client did not cause. */
  readonly onError: (error: unknown) => void;
}

export interface ViewServer {
  /** Address of the page, with the token after the `#`. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly viewer: Viewer;
  close(): Promise<void>;
}

/** Timeouts in milliseconds for the request headers and for a whole request. */
const TIMES = { headersTimeout: 10_000, requestTimeout: 60_000 };

/**
 * @throws {InvalidInputError} for an address that is already in use, and for an invalid origin.
 * @throws {NotFoundError} if the page has not been built.
 */
export async function startViewServer(shown: ViewerOptions, options: ViewServerOptions): Promise<ViewServer> {
  const { host, port, allowHost, frameOrigins, savePart, onError } = options;
  const wrong = frameOrigins.find((origin) => !isOrigin(origin));
  if (wrong !== undefined) {
    throw new InvalidInputError(`${JSON.stringify(wrong)} is no origin, as http://localhost:8888`);
  }
  const token = randomBytes(24).toString("base64url");
  const viewer = new Viewer(shown);
  const downloads = new Downloads();
  const ending = new AbortController();
  const context = {
    ...{ viewer, downloads, savePart, onError, signal: ending.signal },
    access: new Access(token),
    failures: new StreamFailures(),
    // The page is public, so the host name is checked in addition to the token. The exchange itself checks sites.
    rules: { host, allowHost, cors: ["*"], hasToken: false },
    headers: createSecurityHeaders(frameOrigins),
    page: await PageFiles.open(options.page),
  };
  const server = createServer(TIMES, (request, response) => {
    void new ViewExchange(context, request, response).run();
  });
  try {
    server.listen({ port, host });
    await once(server, "listening");
  } catch (cause) {
    throw new InvalidInputError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
  server.on("error", onError);
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("a server without a port");
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}/#token=${token}`,
    port: address.port,
    ...{ token, viewer },
    async close() {
      ending.abort();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await Promise.all([downloads.close(), viewer.close()]);
    },
  };
}

// Headers with which a browser confines the page. It can load nothing from other sites, and no site can embed it.

/**
 * Creates the headers for every answer.
 * @param frameOrigins origins whose pages may show this page in a frame, such as a notebook.
 */
function createSecurityHeaders(frameOrigins: readonly string[]): ReadonlyMap<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameOrigins.length === 0 ? "'none'" : frameOrigins.join(" ")}`,
  ];
  return new Map([
    ["content-security-policy", policy.join("; ")],
    ["x-content-type-options", "nosniff"],
    ["referrer-policy", "no-referrer"],
    ["cross-origin-opener-policy", "same-origin"],
    ["cross-origin-resource-policy", "same-origin"],
    ["permissions-policy", "camera=(), geolocation=(), microphone=()"],
    ...(frameOrigins.length === 0 ? [["x-frame-options", "DENY"] as const] : []),
  ]);
}

/** True for an origin as browsers write it: a scheme, a host and an optional port. The port may be `*`. */
function isOrigin(text: string): boolean {
  const plain = text.replace(/:\*$/, ":1");
  return URL.canParse(plain) && /^https?:$/.test(new URL(plain).protocol) && new URL(plain).origin === plain;
}
