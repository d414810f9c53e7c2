/** Serves tables over HTTP as Arrow streams, CSV and JSON lines, with health and metrics for operators. */

import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { END_OF_STREAM } from "annarrow/core/ipc";
import { freeBytes } from "../../flight/free-memory.node.js";
import type { Serving } from "../answers/serving.node.js";
import { describeDataset } from "../datasets/describe.js";
import type { Answer } from "../requests/answer.js";
import { HTTP_STATUS, RequestError, toFailure } from "../requests/failure.js";
import { getErrorFields } from "../requests/log.js";
import { splitPathSegments } from "../requests/names.js";
import { type DataRequest, parseQuery, refuseQuery } from "../requests/request.js";
import { checkBrowserRequest } from "./browser-requests.node.js";
import { CONTENT_TYPE, pickResponseForm, type ResponseFormat } from "./media-types.js";
import { endIfKnown, sendBytes } from "./response.node.js";

export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly certificate: Uint8Array; readonly key: Uint8Array } | null;
  /** Origins whose pages may send requests; `*` for all. */
  readonly cors: readonly string[];
  /** Names that clients may use for the server, in addition to its address and localhost; `*` for all. */
  readonly allowHost: readonly string[];
  /** Milliseconds after which a client that reads nothing is disconnected; 0 for never. */
  readonly stall: number;
}

export interface HttpServer {
  readonly port: number;
  close(graceMilliseconds: number): Promise<void>;
}

/** Time limits in milliseconds: for a request's head and the TLS handshake, and for a whole request. */
const HEAD = 10_000;
const REQUEST = 30_000;

/** Milliseconds after which an idle connection is closed. */
const KEEP_ALIVE = 65_000;

/**
 * Milliseconds for which the check of a folder store is also valid for later requests. HTTP guarantees nothing between
 * requests.
 */
const FOLDER_AGE = 1000;

/** Maximum number of connections that the system queues until they are accepted. */
const BACKLOG = 2048;

/** @throws the error of `listen` if the address is in use. */
export async function startHttpServer(serving: Serving, options: HttpServerOptions): Promise<HttpServer> {
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    void new Exchange(serving, options, request, response).run();
  };
  const { tls, host, port, stall } = options;
  const within = (time: number) => (stall === 0 ? time : Math.min(time, stall));
  const headersTimeout = within(HEAD);
  // Timeouts may be exceeded by up to the check interval.
  const times = {
    headersTimeout,
    requestTimeout: within(REQUEST),
    connectionsCheckingInterval: Math.ceil(headersTimeout / 5),
  };
  const server: Server =
    tls === null
      ? createServer(times, handle)
      : createTlsServer(
          { ...times, cert: Buffer.from(tls.certificate), key: Buffer.from(tls.key), handshakeTimeout: headersTimeout },
          handle,
        );
  server.setTimeout(options.stall);
  // Longer than clients keep an idle connection: if the server closed it first, a request could arrive meanwhile.
  server.keepAliveTimeout = KEEP_ALIVE;
  server.listen({ port, host, backlog: BACKLOG });
  await once(server, "listening");
  // A failed connection does not end the others.
  server.on("error", (error) => serving.log("error", "http", getErrorFields(error)));
  return { port: addressOf(server).port, close: (grace) => shutDown(server, grace) };
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("a server without a port");
  return address;
}

async function shutDown(server: Server, grace: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), grace);
  await closed;
  clearTimeout(timer);
}

class Exchange {
  readonly #serving: Serving;
  readonly #options: HttpServerOptions;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #gone = new AbortController();
  readonly #began = performance.now();
  #bytes = 0;
  #name = "";

  constructor(serving: Serving, options: HttpServerOptions, request: IncomingMessage, response: ServerResponse) {
    this.#serving = serving;
    this.#options = options;
    this.#request = request;
    this.#response = response;
    response.on("close", () => this.#gone.abort());
    // An error is always followed by `close`.
    response.on("error", () => undefined);
    request.resume();
  }

  async run(): Promise<void> {
    let error: unknown = null;
    try {
      await this.#answer();
    } catch (thrown) {
      error = thrown;
      this.#fail(thrown);
    }
    this.#note(error);
  }

  async #answer(): Promise<void> {
    const response = this.#response;
    this.#allowOrigin();
    const { method = "GET", url = "/", headers, socket } = this.#request;
    const { localAddress } = socket;
    const hasToken = !this.#serving.access.isOpen;
    checkBrowserRequest({ headers, localAddress }, { ...this.#options, hasToken });
    if (method === "OPTIONS") return this.#preflight();
    if (method !== "GET" && method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD, OPTIONS");
      throw new RequestError("not-allowed", `${method} is not answered here; GET and HEAD are`);
    }
    const [path = "", ...query] = url.split("?");
    const parameters = new URLSearchParams(query.join("?"));
    if (path === "/healthz") return this.#json(this.#serving.health());
    this.#serving.access.check(this.#request.headers.authorization);
    if (path === "/metrics")
      return this.#text(this.#serving.metrics.text(), "text/plain; version=0.0.4; charset=utf-8");
    if (path === "/") return this.#index("", parameters);
    const segments = namesIn(path);
    this.#name = segments.join("/");
    await this.#served(segments, parameters);
  }

  async #served(segments: readonly string[], parameters: URLSearchParams): Promise<void> {
    const { datasets, folders } = this.#serving;
    const isFolder = segments.at(-1) === "";
    if (isFolder) {
      const prefix = splitPathSegments(segments.slice(0, -1)).join("/");
      return this.#index(`${prefix}/`, parameters);
    }
    const path = splitPathSegments(segments);
    if (parameters.has("sql")) return this.#data(path, parameters);
    const { rest } = await folders.find(path);
    if (rest !== "") return this.#data(path, parameters);
    refuseQuery(parameters, path.join("/"));
    await this.#serving.look(this.#gone.signal, async () => {
      const { dataset, found, isFixed, release } = await datasets.borrow(path, { age: FOLDER_AGE });
      try {
        if (this.#isKnown(isFixed ? etagOf(found.identity, "describe") : null)) return;
        this.#json(describeDataset(found.name, dataset));
      } finally {
        release();
      }
    });
  }

  async #index(prefix: string, parameters: URLSearchParams): Promise<void> {
    refuseQuery(parameters, prefix === "" ? "/" : prefix);
    const { signal } = this.#gone;
    const names = await this.#serving.look(signal, async () => {
      const found: string[] = [];
      for await (const name of this.#serving.folders.names(prefix)) {
        signal.throwIfAborted();
        if (name.startsWith(prefix)) found.push(name);
      }
      return found;
    });
    if (names.length === 0 && prefix !== "")
      throw new RequestError("not-found", `nothing is served as ${JSON.stringify(prefix)}`);
    this.#json({ datasets: names });
  }

  async #data(path: readonly string[], parameters: URLSearchParams): Promise<void> {
    const form = pickResponseForm(this.#request.headers.accept, parameters.get("format"));
    const request = parseQuery(path, parameters);
    const { signal } = this.#gone;
    const leave = await this.#serving.room(request, this.#request.socket.remoteAddress ?? "", signal);
    try {
      await this.#answerTo(request, form, signal).catch((error: unknown) => {
        // The file has changed since it was opened. It is opened again, unless part of the answer was already sent.
        if (toFailure(error).reason !== "changed" || this.#response.headersSent) throw error;
        return this.#answerTo(request, form, signal);
      });
    } finally {
      leave();
    }
  }

  async #answerTo(request: DataRequest, form: ResponseFormat, signal: AbortSignal): Promise<void> {
    const answer = await this.#serving.answers.answer(request, { age: FOLDER_AGE });
    try {
      this.#response.setHeader("vary", this.#varies("accept"));
      const tag = answer.isFixed ? etagOf(answer.identity, JSON.stringify(request), form) : null;
      if (this.#isKnown(tag)) return;
      await this.#rows(answer, form, signal);
    } finally {
      answer.close();
    }
  }

  async #rows(answer: Answer, form: ResponseFormat, signal: AbortSignal): Promise<void> {
    const response = this.#response;
    const chunks = form === "arrow" ? this.#stream(answer, signal) : answer.text(form, signal);
    try {
      // An error before the first chunk can still be answered with an error status.
      const first = await chunks.next();
      response.statusCode = 200;
      response.setHeader("content-type", CONTENT_TYPE[form]);
      const warnings = answer.warnings();
      if (warnings.length > 0) response.setHeader("annarrow-warnings", headerText(warnings));
      if (this.#request.method === "HEAD") {
        response.end();
        return;
      }
      for (let next = first; !next.done; next = await chunks.next()) await this.#write(next.value);
      response.end();
    } finally {
      await chunks.return(undefined);
    }
  }

  async *#stream(answer: Answer, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { metrics } = this.#serving;
    for await (const message of answer.messages(signal)) {
      metrics.add(metrics.bytes, message.bytes.length);
      metrics.add(metrics.rows, message.rows ?? 0);
      yield message.bytes;
      if (message.done === undefined) freeBytes(message.bytes);
      else message.done();
    }
    yield END_OF_STREAM;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#gone.signal.throwIfAborted();
    this.#bytes += bytes.length;
    await sendBytes(this.#response, bytes, this.#gone);
  }

  /** Sets the etag, if there is one. If the client already has this content, responds with 304 and returns true. */
  #isKnown(etag: string | null): boolean {
    const response = this.#response;
    response.setHeader("cache-control", "no-cache");
    if (etag === null) return false;
    return endIfKnown(response, etag, this.#request.headers["if-none-match"]);
  }

  #json(value: unknown): void {
    this.#text(`${JSON.stringify(value)}\n`, "application/json");
  }

  #text(text: string, type: string): void {
    const bytes = Buffer.from(text);
    this.#response.setHeader("content-type", type);
    this.#response.setHeader("content-length", bytes.length);
    this.#bytes += bytes.length;
    this.#response.end(this.#request.method === "HEAD" ? undefined : bytes);
  }

  #preflight(): void {
    const response = this.#response;
    response.statusCode = 204;
    response.setHeader("access-control-allow-methods", "GET, HEAD, OPTIONS");
    response.setHeader("access-control-allow-headers", "authorization, if-none-match, accept");
    response.setHeader("access-control-max-age", "600");
    response.end();
  }

  #allowOrigin(): void {
    const { origin } = this.#request.headers;
    const { cors } = this.#options;
    if (origin === undefined || cors.length === 0) return;
    const allowed = cors.includes("*") ? "*" : cors.find((one) => one === origin);
    if (allowed === undefined) return;
    this.#response.setHeader("access-control-allow-origin", allowed);
    this.#response.setHeader("access-control-expose-headers", "etag, annarrow-warnings");
    this.#response.setHeader("vary", this.#varies());
  }

  #varies(...more: readonly string[]): string {
    return [...(this.#options.cors.length === 0 ? [] : ["origin"]), ...more].join(", ");
  }

  #fail(error: unknown): void {
    const response = this.#response;
    if (response.destroyed) return;
    if (response.headersSent) {
      // It is too late for an error status. The stream is cut off, so that the client notices that it is incomplete.
      response.destroy();
      return;
    }
    const { reason, message } = toFailure(error, this.#name);
    const status = HTTP_STATUS[reason];
    response.statusCode = status;
    if (reason === "unauthenticated") response.setHeader("www-authenticate", 'Bearer realm="annarrow"');
    if (status === 429 || status === 503) response.setHeader("retry-after", "1");
    response.removeHeader("etag");
    this.#json({ error: reason, message });
  }

  #note(error: unknown): void {
    const { log, metrics } = this.#serving;
    const { method = "" } = this.#request;
    const seconds = (performance.now() - this.#began) / 1000;
    const status = this.#response.statusCode;
    metrics.add(metrics.requests, 1, { protocol: "http", method, status: String(status) });
    metrics.add(metrics.seconds, seconds, { protocol: "http", method });
    const failure = error === null ? null : toFailure(error);
    const about = {
      protocol: "http",
      method,
      path: this.#name,
      status,
      seconds,
      bytes: this.#bytes,
      peer: this.#request.socket.remoteAddress,
    };
    if (failure?.reason === "internal") log("error", "request", { ...about, ...getErrorFields(error) });
    else log("info", "request", failure === null ? about : { ...about, message: failure.message });
  }
}

/** Maximum number of characters in a header. Clients and proxies accept 8 KiB for all headers together. */
const MAX_HEADER = 4096;

/** Encodes as many warnings as fit into a header, as a JSON list in ASCII. */
function headerText(warnings: readonly string[]): string {
  const ascii = (some: readonly string[]) =>
    JSON.stringify(some).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const texts = warnings.map((_, i) => ascii(warnings.slice(0, warnings.length - i)));
  return texts.find(({ length }) => length <= MAX_HEADER) ?? ascii([`${warnings.length} names are others here`]);
}

/** Splits the path of a URL into names. The last name is empty for a folder. */
function namesIn(path: string): string[] {
  try {
    return path.slice(1).split("/").map(decodeURIComponent);
  } catch (cause) {
    throw new RequestError("invalid", "the path is no UTF-8 in percent escapes", { cause });
  }
}

function etagOf(...parts: readonly string[]): string {
  return `"${createHash("sha256").update(parts.join("\0")).digest("base64url").slice(0, 22)}"`;
}
