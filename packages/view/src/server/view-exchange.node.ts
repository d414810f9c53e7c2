/** A request to a page's server, and the answer to it. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { HTTP_STATUS, RequestError, toFailure } from "@annarrow/flight";
import type { Access } from "@annarrow/flight/node";
import { type BrowserRules, checkBrowserRequest, endIfKnown, sendBytes } from "@annarrow/flight/node";
import { InvalidInputError, isAnnarrowError } from "annarrow";
import { isCancellation } from "annarrow/core/model";
import {
  type FileRequest,
  isFileRequest,
  parseViewRequest,
  type SaveRequest,
  type ViewSaving,
} from "../view-request.js";
import type { Viewer } from "../viewer.js";
import { createAttachmentHeader, DOWNLOAD_PREFIX, type Downloads } from "./downloads.node.js";
import type { PageFiles } from "./page-files.node.js";
import { FAILURE, FAILURE_HEADER, type StreamFailures, toViewError } from "./stream-failures.js";
import { type SavedFile, type SavingOptions, writePart } from "./work/written-part.node.js";

/** Saves a part as the file at a path. */
export type SavePart = (request: SaveRequest, path: string, options: SavingOptions) => Promise<SavedFile>;

export interface ExchangeContext {
  readonly viewer: Viewer;
  readonly access: Access;
  readonly rules: BrowserRules;
  readonly headers: ReadonlyMap<string, string>;
  readonly page: PageFiles;
  readonly downloads: Downloads;
  readonly savePart: SavePart;
  readonly failures: StreamFailures;
  /** Called for errors that the client did not cause. */
  readonly onError: (error: unknown) => void;
  /** Aborted when the server ends. */
  readonly signal: AbortSignal;
}

/** Milliseconds before the first progress message, and between two messages. */
const QUIET = 300;
const TELLING = 200;

/** Maximum size of a request in bytes. This is enough for a base64 mask of 10^8 cells. */
const MAX_BODY = 2 ** 25;

export class ViewExchange {
  readonly #context: ExchangeContext;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #gone = new AbortController();
  readonly #signal: AbortSignal;
  /** Address of the error, for an answer that has begun. */
  #failureAt = "";
  /** True if progress lines have been sent. An error is then also sent as a line. */
  #isTelling = false;

  constructor(context: ExchangeContext, request: IncomingMessage, response: ServerResponse) {
    this.#context = context;
    this.#request = request;
    this.#response = response;
    this.#signal = AbortSignal.any([this.#gone.signal, context.signal]);
    response.on("close", () => this.#gone.abort());
    // An `error` event is always followed by `close`.
    response.on("error", () => undefined);
    request.on("error", () => undefined);
  }

  async run(): Promise<void> {
    try {
      await this.#answer();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #answer(): Promise<void> {
    const { rules, headers } = this.#context;
    for (const [name, value] of headers) this.#response.setHeader(name, value);
    const { method = "GET", url = "/", headers: sent, socket } = this.#request;
    checkBrowserRequest({ headers: sent, localAddress: socket.localAddress }, rules);
    const [path = "/"] = url.split("?");
    this.#checkSite(path);
    if (path === "/ask") return this.#asked(method);
    if (method !== "GET" && method !== "HEAD") throw this.#notAllowed(method, "GET, HEAD");
    if (path.startsWith(FAILURE)) return this.#failure(path);
    if (path.startsWith(DOWNLOAD_PREFIX)) return this.#download(path);
    return this.#file(path);
  }

  #notAllowed(method: string, allowed: string): RequestError {
    this.#response.setHeader("allow", allowed);
    return new RequestError("not-allowed", `${method.slice(0, 20)} is not answered here; ${allowed} is`);
  }

  async #asked(method: string): Promise<void> {
    if (method !== "POST") throw this.#notAllowed(method, "POST");
    const { headers } = this.#request;
    this.#context.access.check(headers.authorization);
    if (!/^application\/json\s*(;|$)/i.test(headers["content-type"] ?? "")) {
      throw new InvalidInputError("a request has the content type application/json");
    }
    const request = parseViewRequest(await this.#body());
    this.#response.setHeader("cache-control", "no-store");
    if (isFileRequest(request)) return this.#save(request);
    const answer = await this.#context.viewer.answer(request, this.#signal);
    switch (answer.kind) {
      case "json":
        return this.#json(200, answer.value);
      case "arrow":
        return this.#stream(answer.chunks);
      case "file":
        throw new TypeError("only parts are files");
      default:
        answer satisfies never;
    }
  }

  /**
   * Only the page itself may send requests and load its files. The browser's headers show where a request comes from. A
   * link or frame on another site may still open the page, but without a token unless the link contains it.
   */
  #checkSite(path: string): void {
    const { origin, host, "sec-fetch-site": site, "sec-fetch-mode": mode } = this.#request.headers;
    const isOwn = origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
    if (isOwn && (site === undefined || site === "same-origin" || site === "none")) return;
    if (mode === "navigate" && path === "/" && this.#request.method === "GET") return;
    throw new RequestError("forbidden", "only the page of this server may ask");
  }

  /** Answers with the path of the file. If saving takes longer, progress is sent first as lines of JSON. */
  async #save(request: FileRequest): Promise<void> {
    const { viewer, downloads, savePart } = this.#context;
    let next = performance.now() + QUIET;
    const onProgress = (saving: ViewSaving): void => {
      if (performance.now() < next) return;
      next = performance.now() + TELLING;
      if (!this.#isTelling) this.#response.setHeader("content-type", "application/x-ndjson");
      this.#isTelling = true;
      this.#response.write(`${JSON.stringify(saving)}\n`);
    };
    const signal = this.#signal;
    const options = { signal, onProgress };
    const path = await downloads.add(request.format, (to) =>
      request.call === "save"
        ? savePart(request, to, options)
        : viewer.withPart(request, signal, (part) => writePart(to, part, options)),
    );
    if (this.#isTelling) this.#response.end(JSON.stringify({ path }));
    else this.#json(200, { path });
  }

  async #body(): Promise<unknown> {
    const parts: Buffer[] = [];
    let size = Number(this.#request.headers["content-length"] ?? 0);
    if (size > MAX_BODY) throw this.#tooLarge();
    size = 0;
    for await (const part of this.#request) {
      size += part.length;
      if (size > MAX_BODY) throw this.#tooLarge();
      parts.push(part);
    }
    try {
      return JSON.parse(Buffer.concat(parts).toString("utf8"));
    } catch (cause) {
      throw new InvalidInputError("the request is no JSON", { cause });
    }
  }

  #tooLarge(): RequestError {
    // The rest of the body is not read.
    this.#response.setHeader("connection", "close");
    return new RequestError("too-large", `a request has at most ${MAX_BODY} bytes`);
  }

  async #stream(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const iterator = chunks[Symbol.asyncIterator]();
    try {
      // Before the first chunk is sent, the status can still report an error.
      let next = await iterator.next();
      this.#failureAt = this.#context.failures.begin();
      this.#response.setHeader(FAILURE_HEADER, this.#failureAt);
      this.#response.setHeader("content-type", "application/vnd.apache.arrow.stream");
      for (; !next.done; next = await iterator.next())
        await sendBytes(this.#response, next.value, this.#gone, this.#signal);
      this.#response.end();
    } finally {
      await iterator.return?.();
    }
  }

  async #file(path: string): Promise<void> {
    const file = await this.#context.page.find(path);
    if (file === null) throw new RequestError("not-found", "there is no such page");
    const response = this.#response;
    const { "accept-encoding": accepted = "", "if-none-match": known } = this.#request.headers;
    response.setHeader("cache-control", "no-cache");
    response.setHeader("vary", "accept-encoding");
    if (endIfKnown(response, file.etag, known)) return;
    const compressed = /\bbr\b/.test(String(accepted)) ? await file.compressed() : null;
    if (compressed !== null) response.setHeader("content-encoding", "br");
    this.#bytes(200, file.type, compressed ?? file.bytes);
  }

  /** Answers with the error that made an earlier answer break off. */
  #failure(path: string): void {
    this.#context.access.check(this.#request.headers.authorization);
    const failure = this.#context.failures.take(path);
    if (failure === null) throw new RequestError("not-found", "this answer did not fail");
    this.#response.setHeader("cache-control", "no-store");
    this.#json(200, failure);
  }

  async #download(path: string): Promise<void> {
    const { downloads } = this.#context;
    const response = this.#response;
    if (this.#request.method === "HEAD") {
      if (!downloads.has(path)) throw new RequestError("gone", "the file was downloaded already, or was removed");
      response.end();
      return;
    }
    const file = await downloads.take(path);
    if (file === null) throw new RequestError("gone", "the file was downloaded already, or was removed");
    response.setHeader("cache-control", "no-store");
    response.setHeader("content-type", file.type);
    response.setHeader("content-length", file.size);
    response.setHeader("content-disposition", createAttachmentHeader(file.fileName));
    const stream = file.stream();
    const leave = () => stream.destroy();
    this.#signal.addEventListener("abort", leave, { once: true });
    for await (const bytes of stream) await sendBytes(this.#response, bytes, this.#gone, this.#signal);
    response.end();
  }

  #fail(error: unknown): void {
    const response = this.#response;
    const isOver = this.#signal.aborted || isCancellation(error);
    if (this.#isTelling && !isOver) {
      if (!isAnnarrowError(error)) this.#context.onError(error);
      response.end(JSON.stringify(toViewError(error)));
      return;
    }
    if (isOver || response.headersSent) {
      if (!isOver && this.#failureAt !== "") this.#context.failures.note(this.#failureAt, error);
      if (!isOver && !isAnnarrowError(error)) this.#context.onError(error);
      response.destroy();
      return;
    }
    const { reason } = toFailure(error);
    // Errors in broken files are shown only by the page itself.
    if (reason === "internal" && !isAnnarrowError(error)) this.#context.onError(error);
    for (const name of ["content-disposition", "content-length", "etag", "vary"]) response.removeHeader(name);
    response.setHeader("cache-control", "no-store");
    this.#json(HTTP_STATUS[reason], toViewError(error));
    this.#request.resume();
  }

  #json(status: number, value: unknown): void {
    this.#bytes(status, "application/json", Buffer.from(JSON.stringify(value)));
  }

  #bytes(status: number, type: string, bytes: Uint8Array): void {
    const response = this.#response;
    response.statusCode = status;
    response.setHeader("content-type", type);
    response.setHeader("content-length", bytes.length);
    response.end(this.#request.method === "HEAD" ? undefined : bytes);
  }
}
