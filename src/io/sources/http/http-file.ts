/** Reads a file on the web by ranges. Source: RFC 9110, 14 (range requests), 8.8 (validators). */

import { type AnnarrowError, InvalidDataError, NotFoundError, UnsupportedError } from "../../../model/errors.js";
import {
  DEFAULT_ATTEMPTS,
  type HttpOptions,
  type HttpRequest,
  type HttpResponse,
  parseUrl,
  sendHttpRequest,
} from "../../http/http-exchange.js";
import { runWithRetry, TransientError } from "../../http/retry.js";
import { toDisplayUrl } from "../../http/shown-url.js";
import { checkRange, createBytesSource } from "../memory.js";
import type { ByteSource, ReadOptions, WebVersion } from "../source.js";
import {
  describeVersionChange,
  type FileVersion,
  getResponseStamp,
  getResponseVersion,
  parseContentRange,
  parseUnsatisfiedTotal,
} from "./response-headers.js";

export interface HttpFile {
  readonly source: ByteSource;
  /** The beginning of the file, received with the first response. */
  readonly head: Uint8Array;
  readonly version: FileVersion;
}

export interface HttpFileOptions extends HttpOptions {
  /** Name in error messages; by default the URL without its query. */
  readonly name?: string;
  /** Number of bytes in the first request; default 64 KiB. */
  readonly headBytes?: number;
  /** Maximum size in bytes of a file that is read completely if the server does not support ranges; default 32 MiB. */
  readonly wholeBytes?: number;
}

/**
 * Opens a file on the web with one request, which returns its first bytes and its size. Every response is compared with
 * its request and with the first response. Server errors (5xx, 408, 429), broken and stalled connections and truncated
 * responses are retried while there is time.
 * @throws {NotFoundError} if there is nothing at the URL, or only a web page.
 * @throws {UnsupportedError} if access is refused, or if the server does not support ranges and the file is large.
 * @throws {InvalidDataError} if the server fails, or sends other bytes than requested.
 */
export async function openHttpFile(
  url: string | URL,
  options: HttpFileOptions = {},
  read?: ReadOptions,
): Promise<HttpFile> {
  const sender = new Sender(url, options);
  const asked = options.headBytes ?? 1 << 16;
  const first = await sender.request({ range: `0-${asked - 1}` }, read, (answer) =>
    firstAnswer(answer, asked, options),
  );
  const { version } = first;
  if (first.whole) return { source: stamped(first.head, sender.name, version), head: first.head, version };
  const size = first.version.size ?? (await sizeByHead(sender, first.version, read));
  if (first.head.length !== Math.min(asked, size)) {
    throw new InvalidDataError(`the server sent ${first.head.length} of the first ${asked} bytes of ${size}`, {
      source: sender.name,
    });
  }
  const { head } = first;
  const known = { ...version, size };
  const isAll = head.length === size;
  return { source: isAll ? stamped(head, sender.name, version) : httpBytes(sender, known), head, version: known };
}

/** Creates a source from a file that was received completely with the first response. */
function stamped(bytes: Uint8Array, name: string, version: FileVersion): ByteSource {
  return { ...createBytesSource(bytes, name), stamp: getResponseStamp(version, bytes.length) };
}

/** Opens a file on the web whose size is known. Every response is checked against the file's version. */
export function createKnownHttpFile(url: string, version: WebVersion, options: HttpFileOptions = {}): ByteSource {
  return httpBytes(new Sender(url, options), version);
}

function httpBytes(sender: Sender, version: WebVersion): ByteSource {
  const { size } = version;
  const { name } = sender;
  return {
    kind: "bytes",
    name,
    size,
    stamp: getResponseStamp(version, size),
    async read(start, end, options) {
      options?.signal?.throwIfAborted();
      checkRange(start, end, size, name);
      if (start === end) return new Uint8Array(0);
      const range = `${start}-${end - 1}`;
      return await sender.request({ range }, options, (answer) => readPart(answer, start, end, version));
    },
    close: async () => undefined,
  };
}

class Sender {
  readonly name: string;
  readonly #options: HttpOptions;
  readonly #url: string;
  /** The address to which the server redirected. It is requested directly, so that later requests need no redirect. */
  #address: string;

  constructor(url: string | URL, options: HttpFileOptions) {
    const base = parseUrl(url);
    base.hash = "";
    this.name = options.name ?? toDisplayUrl(base);
    this.#options = options;
    this.#url = base.href;
    this.#address = base.href;
  }

  request<T>(
    request: Omit<HttpRequest, "url">,
    read: ReadOptions | undefined,
    use: (answer: HttpResponse) => Promise<T>,
  ): Promise<T> {
    const { attempts = DEFAULT_ATTEMPTS, timeout } = this.#options;
    const what = request.range === undefined ? "" : `bytes ${request.range}: `;
    return runWithRetry({ attempts, timeout, signal: read?.signal, source: this.name, what }, async (attempt) => {
      const url = this.#address;
      // Parts from different versions of a file must not be mixed; and Chromium's cache reads one part at a time.
      return await sendHttpRequest({ ...request, url, cache: "no-store" }, this.#options, attempt, async (answer) => {
        const transient = answer.transient();
        if (transient !== null) throw transient;
        if (url !== this.#url && [401, 403, 404, 410].includes(answer.status)) {
          // The redirected address may have been valid only once, or only for a few seconds.
          this.#address = this.#url;
          throw new TransientError(answer.problem, { delay: 0 });
        }
        const result = await use(answer);
        // The caller's headers may contain secrets, which must not be sent to every address that a server redirects to.
        if (answer.url !== "" && this.#options.headers === undefined) this.#address = answer.url;
        return result;
      });
    });
  }
}

interface First {
  readonly whole: boolean;
  readonly head: Uint8Array;
  readonly version: FileVersion;
}

async function firstAnswer(answer: HttpResponse, asked: number, options: HttpFileOptions): Promise<First> {
  const { status } = answer;
  if (status === 416 && parseUnsatisfiedTotal(answer) === 0)
    return { whole: true, head: new Uint8Array(0), version: getResponseVersion(answer, 0) };
  if (status === 200) {
    const head = await readWhole(answer, options.wholeBytes ?? 32 << 20);
    refusePage(answer, head);
    return { whole: true, head, version: getResponseVersion(answer, head.length) };
  }
  if (status !== 206) throw refusal(answer);
  refuseEncoding(answer);
  const range = parseContentRange(answer);
  if (range !== null && (range.start !== 0 || range.end > asked)) throw otherRange(range, 0, asked);
  const head = await answer.bytes(range?.end ?? asked);
  checkPart(head, range?.end ?? null);
  refusePage(answer, head);
  return { whole: false, head, version: getResponseVersion(answer, range?.total ?? null) };
}

/** Reads a small file completely from a server that ignores ranges. */
async function readWhole(answer: HttpResponse, most: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new UnsupportedError(
      `the server ignores range requests, and the file has ${answer.contentLength ?? "more"} bytes; up to ${most} are read at once: fetch it and open its bytes, or serve it with ranges (Accept-Ranges: bytes)`,
    );
  if ((answer.contentLength ?? 0) > most) throw tooLarge();
  return await answer.bytes(most, tooLarge);
}

/** Requests the size with HEAD. A browser may hide Content-Range, but still shows Content-Length. */
async function sizeByHead(sender: Sender, first: FileVersion, read?: ReadOptions): Promise<number> {
  const remedy = "in a browser the server must send Access-Control-Expose-Headers: Content-Range, ETag";
  return await sender.request({ method: "HEAD", range: "0-" }, read, async (answer) => {
    const size = answer.status === 200 || answer.status === 206 ? answer.contentLength : null;
    if (size === null || !Number.isSafeInteger(size)) {
      throw new UnsupportedError(`the server does not tell the size of the file; ${remedy}`);
    }
    refuseChange(first, getResponseVersion(answer, size));
    return size;
  });
}

/** Reads the bytes [start, end). Checks that the response contains them and that the file has not changed. */
async function readPart(answer: HttpResponse, start: number, end: number, version: FileVersion): Promise<Uint8Array> {
  const { status } = answer;
  if (status === 416) {
    const total = parseUnsatisfiedTotal(answer);
    const now = total === null ? "it has no such bytes any more" : `it had ${version.size} bytes, now ${total}`;
    throw new InvalidDataError(`the file changed while it was read: bytes ${start}-${end - 1} were refused, ${now}`);
  }
  if (status === 404 || status === 410)
    throw new NotFoundError(`${answer.problem}: the file vanished while it was read`);
  if (status === 200) {
    refuseChange(version, getResponseVersion(answer, answer.contentLength));
    throw new UnsupportedError("the server answered a range request with the whole file, after it had known ranges");
  }
  if (status !== 206) throw refusal(answer);
  const range = parseContentRange(answer);
  refuseChange(version, getResponseVersion(answer, range?.total ?? null));
  refuseEncoding(answer);
  if (range !== null && (range.start !== start || range.end !== end)) throw otherRange(range, start, end);
  const bytes = await answer.bytes(end - start);
  checkPart(bytes, end - start);
  return bytes;
}

function checkPart(bytes: Uint8Array, expected: number | null): void {
  if (expected !== null && bytes.length !== expected) {
    throw new TransientError(`the answer has ${bytes.length} bytes, expected ${expected}`);
  }
}

function refuseChange(before: FileVersion, now: FileVersion): void {
  const what = describeVersionChange(before, now);
  if (what !== null) throw new InvalidDataError(`the file changed while it was read: ${what}`);
}

function refuseEncoding(answer: HttpResponse): void {
  if (!answer.isEncoded) return;
  throw new UnsupportedError(
    `the server compresses ranges (Content-Encoding: ${answer.header("content-encoding")}); it must send this file as it is`,
  );
}

/**
 * Rejects a web page that was sent instead of a file: a login page, an error with a success status, or a folder
 * listing.
 */
function refusePage(answer: HttpResponse, head: Uint8Array): void {
  if (!/^text\/html\b/i.test(answer.header("content-type") ?? "")) return;
  if (head.find((byte) => byte > 0x20) !== 0x3c) return;
  throw new NotFoundError(
    `there is a web page instead of a file${answer.url === "" ? "" : ` (${toDisplayUrl(answer.url)})`}`,
  );
}

function refusal(answer: HttpResponse): AnnarrowError {
  const { status, problem } = answer;
  if (status === 404 || status === 410) return new NotFoundError(problem);
  if (status === 401 || status === 403) {
    return new UnsupportedError(`${problem}: there is no access; a signed URL may have expired`);
  }
  return new InvalidDataError(problem);
}

function otherRange(
  found: { readonly start: number; readonly end: number },
  start: number,
  end: number,
): AnnarrowError {
  return new InvalidDataError(`the server sent bytes ${found.start}-${found.end - 1}, asked were ${start}-${end - 1}`);
}
