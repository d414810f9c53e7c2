/** Sends an HTTP request and reads its response within limits of time and size, for HTTP and cloud sources. */

import {
  type AnnarrowError,
  InvalidDataError,
  InvalidInputError,
  isAnnarrowError,
  UnsupportedError,
} from "../../model/errors.js";
import { type Attempt, addAbortAction, type Deadline, SLOWEST, TransientError } from "./retry.js";

export interface HttpOptions {
  /** Function that sends requests; the global `fetch` by default. */
  readonly fetch?: typeof fetch;
  readonly headers?: Readonly<Record<string, string>>;
  /** Number of attempts per request, including the first; default 4. */
  readonly attempts?: number;
  /** Milliseconds without a byte after which a request counts as broken; default 30,000. */
  readonly stall?: number;
  /**
   * Time limit in milliseconds for one request, including all attempts and the pauses between them; default 60,000. The
   * time needed to transfer the bytes at 4 kB/s is added.
   */
  readonly timeout?: number;
}

export const DEFAULT_ATTEMPTS = 4;
const DEFAULT_STALL = 30_000;

/** Initial size of the buffer for a body. The size doubles as bytes arrive, since Content-Length is not trusted. */
const FIRST_ROOM = 1 << 16;

/** Maximum size of the buffer for a body before any of the body's bytes have arrived. */
const MAX_ROOM = 1 << 25;

/**
 * Parses a URL.
 * @throws {InvalidInputError} for anything except an http(s) URL, and for a URL with a password, which fetch rejects.
 */
export function parseUrl(url: string | URL): URL {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch (cause) {
    throw new InvalidInputError(`${url} is not a URL`, { cause });
  }
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    throw new InvalidInputError(`${parsed.protocol} URLs cannot be read, only http: and https:`);
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new InvalidInputError("URLs with a user name or password cannot be read; a signed URL can", {
      source: parsed.host,
    });
  }
  return parsed;
}

export interface HttpRequest {
  readonly url: string;
  readonly method?: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Headers of this request, in addition to those of all requests. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** The value of the Range header without `bytes=`. If it is set, fetch also requests uncompressed bytes. */
  readonly range?: string;
  /** Cache mode of the browser; the browser's default if absent. */
  readonly cache?: RequestCache;
}

/**
 * Sends one request and passes the response to `use`. The part of the body that `use` does not read is not fetched.
 * @throws {TransientError} if the connection fails or is too slow.
 * @throws {InvalidDataError} if the server redirects in circles.
 * @throws the signal's reason once it is aborted.
 */
export async function sendHttpRequest<T>(
  { url, method = "GET", headers, body, range, cache = "default" }: HttpRequest,
  options: HttpOptions,
  { deadline, signal }: Attempt,
  use: (answer: HttpResponse) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const takeBack = addAbortAction(signal, () => controller.abort(signal?.reason));
  // The deadline includes the time to send the body, because no byte of the response arrives before that.
  const sent = body?.length ?? 0;
  deadline.received(sent);
  const watch = new Watch(controller, (options.stall ?? DEFAULT_STALL) + sent / SLOWEST, deadline);
  try {
    const send = options.fetch ?? globalThis.fetch;
    const response = await send(url, {
      method,
      headers: { ...options.headers, ...headers, ...(range === undefined ? {} : { Range: `bytes=${range}` }) },
      signal: controller.signal,
      cache,
      body,
    });
    if (url.startsWith("https:") && response.url.startsWith("http:")) {
      throw new UnsupportedError(`the server leads from https to ${new URL(response.url).origin}, which is not secure`);
    }
    return await use(new HttpResponse(response, watch));
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof TransientError || isAnnarrowError(error)) throw error;
    if (isCircle(error)) throw new InvalidDataError("the server leads in a circle, or from place to place without end");
    throw new TransientError(watch.expired ?? describe(error, url), { cause: error });
  } finally {
    watch.end();
    takeBack();
    // Aborts a body that was not read to the end, because it may be endless.
    controller.abort();
  }
}

/** Aborts a request that delivers no bytes, or delivers them too slowly. */
class Watch {
  readonly #controller: AbortController;
  readonly #stall: number;
  readonly #deadline: Deadline;
  readonly #began = Date.now();
  #received = 0;
  #timer: ReturnType<typeof setTimeout>;
  expired: string | null = null;

  constructor(controller: AbortController, stall: number, deadline: Deadline) {
    this.#controller = controller;
    this.#stall = stall;
    this.#deadline = deadline;
    this.#timer = this.#start(stall);
  }

  #start(milliseconds: number): ReturnType<typeof setTimeout> {
    return setTimeout(
      () => {
        const seconds = (Date.now() - this.#began) / 1000;
        this.expired = `only ${this.#received} bytes came in ${seconds.toFixed(1)} s`;
        this.#controller.abort();
      },
      Math.max(1, Math.min(milliseconds, this.#deadline.left)),
    );
  }

  progress(bytes: number): void {
    this.#received += bytes;
    this.#deadline.received(bytes);
    clearTimeout(this.#timer);
    const spent = Date.now() - this.#began;
    this.#timer = this.#start(Math.min(this.#stall, this.#stall + this.#received / SLOWEST - spent));
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

export class HttpResponse {
  readonly #response: Response;
  readonly #watch: Watch;

  constructor(response: Response, watch: Watch) {
    this.#response = response;
    this.#watch = watch;
  }

  get status(): number {
    return this.#response.status;
  }

  /** URL of the response, after redirects. */
  get url(): string {
    return this.#response.url;
  }

  header(name: string): string | null {
    return this.#response.headers.get(name);
  }

  /** Content-Length; null if the header is absent or states the size after compression in transit. */
  get contentLength(): number | null {
    const text = this.header("content-length");
    return text === null || !/^\d+$/.test(text) || this.isEncoded ? null : Number(text);
  }

  /** Whether the bytes were compressed in transit. Byte ranges of the file are then meaningless. */
  get isEncoded(): boolean {
    return (this.header("content-encoding") ?? "identity").toLowerCase() !== "identity";
  }

  /** Description of the status. */
  get problem(): string {
    return `the server answered ${this.status} ${this.#response.statusText}`.trim();
  }

  /** Returns the error for a busy or failing server; null for other statuses. */
  transient(): TransientError | null {
    if (this.status < 500 && this.status !== 408 && this.status !== 429) return null;
    const seconds = Number(this.header("retry-after") ?? Number.NaN);
    return new TransientError(this.problem, { delay: Number.isFinite(seconds) ? 1000 * seconds : null });
  }

  /**
   * Reads the whole body.
   * @param most maximum number of bytes; a larger body is an error.
   * @throws {TransientError} if fewer bytes arrive than `Content-Length` declares.
   */
  async bytes(most: number, tooMany = tooManyBytes): Promise<Uint8Array> {
    const bytes = await this.#readBody(most, tooMany);
    const declared = this.contentLength;
    if (declared !== null && bytes.length !== declared) {
      throw new TransientError(`the answer has ${bytes.length} bytes, the server said ${declared}`);
    }
    return bytes;
  }

  async #readBody(most: number, tooMany: (most: number) => AnnarrowError): Promise<Uint8Array> {
    // The caller knows the exact size, and has requested that many bytes.
    const isExact = this.contentLength === most && most <= MAX_ROOM;
    let room = new Uint8Array(isExact ? most : Math.min(most, FIRST_ROOM));
    let length = 0;
    const reader = this.#response.body?.getReader();
    for (;;) {
      const part = await reader?.read();
      if (part === undefined || part.done) break;
      this.#watch.progress(part.value.length);
      const end = length + part.value.length;
      if (end > most) throw tooMany(most);
      if (end > room.length) {
        const larger = new Uint8Array(Math.min(most, Math.max(end, 2 * room.length)));
        larger.set(room.subarray(0, length));
        room = larger;
      }
      room.set(part.value, length);
      length = end;
    }
    return room.subarray(0, length);
  }
}

function tooManyBytes(most: number): AnnarrowError {
  return new InvalidDataError(`the server sent more than the ${most} bytes that were asked for`);
}

/** Whether Node's fetch stopped after 20 redirects. In browsers this error looks like any other failure. */
function isCircle(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Error && /redirect count exceeded/.test(error.cause.message);
}

/**
 * Describes a failed request. fetch only reports "fetch failed" and stores the reason in `cause`. Browsers do not
 * report that a page is not allowed to read from a server.
 */
function describe(error: unknown, url: string): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return `${error.message} (${error.cause.message})`;
  const isElsewhere = "location" in globalThis && new URL(url).origin !== globalThis.location.origin;
  return isElsewhere
    ? `${error.message} (is the page allowed to read it: Access-Control-Allow-Origin?)`
    : error.message;
}
