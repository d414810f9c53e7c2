/**
 * Reads a key-value store on the web, with one request for each value or for neighbouring parts of a value. Source: RFC
 * 9110, 14.
 */

import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import {
  DEFAULT_ATTEMPTS,
  type HttpOptions,
  type HttpResponse,
  parseUrl,
  sendHttpRequest,
} from "../../http/http-exchange.js";
import { runWithRetry, TransientError } from "../../http/retry.js";
import { toDisplayUrl } from "../../http/shown-url.js";
import { mergeRanges } from "../file-bytes.js";
import { clampRange, splitKeySegments } from "../key.js";
import type { FileStamp, GetOptions, KeyRange, KeyValueSource, ReadOptions, WebPlan } from "../source.js";
import {
  type ContentRange,
  getResponseStamp,
  getResponseVersion,
  parseContentRange,
  parseUnsatisfiedTotal,
} from "./response-headers.js";
import { createWebPlan } from "./web-plan.js";

export interface HttpStoreOptions extends HttpOptions {
  /** Name in error messages; by default the URL without its query. */
  readonly name?: string;
  /** The store's plan; null if a worker cannot open it. By default, the plan for the store's URL. */
  readonly plan?: WebPlan | null;
  /**
   * Statuses that mean "no such key"; default `[404]`. S3 responds with 403 to absent keys if listing the bucket is not
   * allowed. For such a bucket pass `[404, 403]`. This is not the default, because an absent chunk is read as the fill
   * value, and a refusal of access must not turn into data.
   */
  readonly absentStatus?: readonly number[];
}

/** Maximum size of a value in bytes. Engines do not allow larger buffers, so chunks are smaller. */
const MAX_VALUE_BYTES = 2 ** 31 - 1;

/** A response that contains a value's bytes from `start` on. `whole` is true if the server sent the complete value. */
interface Part {
  readonly start: number;
  readonly bytes: Uint8Array;
  readonly whole: boolean;
}

/** A request for part of a value, and the indices of the caller's ranges in that part. */
interface PartRequest {
  /** Value of the Range header without `bytes=`. */
  readonly range: string;
  readonly members: readonly number[];
}

/**
 * Opens a store below a URL. Keys are percent-encoded segment by segment, and the URL's query is sent with every
 * request. The store cannot be listed. Server errors (5xx, 408, 429), broken connections and truncated responses are
 * retried.
 */
export function createHttpSource(url: string | URL, options: HttpStoreOptions = {}): KeyValueSource {
  return new HttpStore(parseUrl(url), options);
}

class HttpStore implements KeyValueSource {
  readonly kind = "keys";
  readonly name: string;
  readonly plan?: WebPlan;
  readonly isRemote = true;
  readonly #base: URL;
  readonly #options: HttpStoreOptions;
  readonly #absent: readonly number[];

  constructor(base: URL, options: HttpStoreOptions) {
    this.name = options.name ?? toDisplayUrl(base);
    const plan =
      options.plan === undefined
        ? createWebPlan({ url: base.href, name: this.name, version: null }, options)
        : options.plan;
    if (plan !== null) this.plan = plan;
    this.#base = base;
    this.#options = options;
    this.#absent = options.absentStatus ?? [404];
  }

  async get(key: string, read?: GetOptions): Promise<Uint8Array | undefined> {
    return (await this.#part(key, undefined, read))?.bytes;
  }

  async getRanges(key: string, ranges: readonly KeyRange[], read?: ReadOptions): Promise<Uint8Array[] | undefined> {
    const results: Uint8Array[] = ranges.map(() => new Uint8Array(0));
    const requests = partRequests(ranges);
    if (requests.length === 0) return (await this.#part(key, "0-0", read)) === undefined ? undefined : results;

    // The first response shows whether the key exists and whether the server supports ranges.
    const first = await this.#part(key, requests[0].range, read);
    if (first === undefined) return undefined;
    if (first.whole) return ranges.map((range) => cut(first, range));
    const rest = await Promise.all(requests.slice(1).map(({ range }) => this.#part(key, range, read)));
    [first, ...rest].forEach((part, at) => {
      if (part === undefined) throw new InvalidDataError(`${key} vanished while it was read`, { source: this.name });
      for (const member of requests[at].members) results[member] = cut(part, ranges[member]);
    });
    return results;
  }

  async size(key: string, read?: ReadOptions): Promise<number | undefined> {
    const size = await this.#request(key, "0-0", read, (answer) => this.#sizeOf(answer, key));
    if (size !== null) return size;
    return (await this.#part(key, undefined, read))?.bytes.length;
  }

  stamp(key: string, read?: ReadOptions): Promise<FileStamp | undefined> {
    return this.#request(key, "0-0", read, async (answer) => {
      const size = await this.#sizeOf(answer, key);
      if (size === undefined) return undefined;
      return getResponseStamp(getResponseVersion(answer, size), size ?? (await this.size(key, read)) ?? 0);
    });
  }

  async list(): Promise<null> {
    return null;
  }

  async close(): Promise<void> {}

  /** Reads the whole value, or a range in it; undefined if the key is absent. */
  async #part(key: string, range: string | undefined, read?: GetOptions): Promise<Part | undefined> {
    const part = await this.#request(key, range, read, (answer) => this.#readAnswer(answer, key, range, read?.most));
    // If the value is shorter than the requested suffix, some servers refuse the request, although RFC 9110 (14.1.2)
    // requires them to send the whole value.
    const isRefused = range?.startsWith("-") === true && part?.bytes.length === 0;
    return isRefused ? this.#part(key, undefined, read) : part;
  }

  #request<T>(
    key: string,
    range: string | undefined,
    read: ReadOptions | undefined,
    use: (answer: HttpResponse) => Promise<T>,
  ): Promise<T> {
    const { attempts = DEFAULT_ATTEMPTS, timeout } = this.#options;
    const asked = { url: this.#address(key), range };
    const what = range === undefined ? `${key}: ` : `${key}: bytes ${range}: `;
    const retry = { attempts, timeout, signal: read?.signal, source: this.name, what };
    return runWithRetry(retry, (attempt) => sendHttpRequest(asked, this.#options, attempt, use));
  }

  #address(key: string): string {
    const at = new URL(this.#base);
    at.hash = "";
    const path = at.pathname.endsWith("/") ? at.pathname : `${at.pathname}/`;
    at.pathname = path + splitKeySegments(key).map(encodeURIComponent).join("/");
    return at.href;
  }

  async #readAnswer(
    answer: HttpResponse,
    key: string,
    asked: string | undefined,
    most = MAX_VALUE_BYTES,
  ): Promise<Part | undefined> {
    const { status, problem } = answer;
    if (this.#absent.includes(status)) return undefined;
    const transient = answer.transient();
    if (transient !== null) throw transient;
    // The range is beyond the end of the value.
    if (status === 416 && asked !== undefined) return { start: 0, bytes: new Uint8Array(0), whole: false };
    if (status === 401 || status === 403) {
      throw new UnsupportedError(
        `${key}: ${problem}; if the server does so for keys that do not exist, as S3 may, pass absentStatus`,
      );
    }
    if (status === 200) return { start: 0, bytes: await answer.bytes(Math.min(most, MAX_VALUE_BYTES)), whole: true };
    if (status !== 206) throw new InvalidDataError(`${key}: ${problem}`);
    return { ...(await readPart(answer, key, asked)), whole: false };
  }

  /** Returns the size of the value, given the response to a request for its first byte; null if the size is hidden. */
  async #sizeOf(answer: HttpResponse, key: string): Promise<number | null | undefined> {
    if (answer.status === 416) return parseUnsatisfiedTotal(answer);
    const part = await this.#readAnswer(answer, key, "0-0");
    if (part === undefined) return undefined;
    return part.whole ? part.bytes.length : (parseContentRange(answer)?.total ?? null);
  }
}

/**
 * Creates one request for neighbouring ranges, and one for each range that is counted from the end. Empty ranges need
 * no request.
 */
function partRequests(ranges: readonly KeyRange[]): PartRequest[] {
  const spans = ranges.map((range) => ("suffix" in range ? { start: 0, end: 0 } : range));
  const requests: PartRequest[] = mergeRanges(spans).map(({ start, end, members }) => ({
    range: `${start}-${end - 1}`,
    members,
  }));
  ranges.forEach((range, index) => {
    if ("suffix" in range && range.suffix > 0) requests.push({ range: `-${range.suffix}`, members: [index] });
  });
  return requests;
}

function cut(part: Part, range: KeyRange): Uint8Array {
  if ("suffix" in range && !part.whole) return part.bytes;
  const { start, end } = clampRange(range, part.start + part.bytes.length);
  return part.bytes.subarray(start - part.start, end - part.start);
}

/** Reads the part that a server sends (status 206), and checks that it is the requested part. */
async function readPart(
  answer: HttpResponse,
  key: string,
  asked: string | undefined,
): Promise<{ start: number; bytes: Uint8Array }> {
  const given = parseContentRange(answer);
  const wanted = asked === undefined ? null : askedPart(asked);
  if (given !== null && wanted !== null && !isWhatWasAsked(given, wanted)) {
    throw new InvalidDataError(`${key}: the server sent bytes ${given.start}-${given.end - 1}, asked were ${asked}`);
  }
  const most = given === null ? (wanted?.length ?? MAX_VALUE_BYTES) : given.end - given.start;
  const bytes = await answer.bytes(most);
  if (given !== null && bytes.length !== most) {
    throw new TransientError(`the answer has ${bytes.length} bytes, the server said ${most}`);
  }
  // CORS may hide Content-Range from a browser; in that case the requested start is used.
  return { start: given?.start ?? wanted?.start ?? 0, bytes };
}

interface AskedPart {
  /** First byte; null for the last `length` bytes. */
  readonly start: number | null;
  readonly length: number;
}

/** Parses the value of a Range header: `5-9`, `-20`. */
function askedPart(asked: string): AskedPart {
  const [from, to] = asked.split("-");
  if (from === "") return { start: null, length: Number(to) };
  return { start: Number(from), length: Number(to) + 1 - Number(from) };
}

/** Whether a part is the requested one. It may be shorter only at the end of the value. */
function isWhatWasAsked({ start, end, total }: ContentRange, wanted: AskedPart): boolean {
  if (wanted.start === null) {
    return total === null
      ? end - start <= wanted.length
      : end === total && start === Math.max(0, total - wanted.length);
  }
  const last = wanted.start + wanted.length;
  return start === wanted.start && (total === null ? end <= last : end === Math.min(last, total));
}
