import { InvalidDataError, InvalidInputError, UnsupportedError } from "../errors.js";
import { keySegments } from "./key.js";
import { mergeRanges } from "./merge-ranges.js";
import { clampRange } from "./range.js";
import { isTransient, pause, TransientError } from "./retry.js";
import type { KeyRange, KeyValueSource, ReadOptions } from "./source.js";

export interface HttpOptions {
  /** What requests go through; default the global `fetch`. */
  readonly fetch?: typeof fetch;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Statuses that mean "no such key"; default `[404]`. S3 answers 403 for absent keys of a bucket that may not be
   * listed: pass `[404, 403]` for such a bucket. It is not the default, because an absent chunk is read as fill value
   * and a refusal of access must not become data.
   */
  readonly absentStatus?: readonly number[];
  /** Attempts for one request, the first included; default 4. */
  readonly attempts?: number;
}

/** One answer: the bytes from `start` on of a value; `whole` where the server sent all of it. */
interface Part {
  readonly start: number;
  readonly bytes: Uint8Array;
  readonly whole: boolean;
}

/**
 * A store below a URL. Keys are percent-encoded segment by segment, the URL's query is kept on every request. It
 * cannot be listed. Server errors (5xx, 408, 429), broken connections and answers that are cut off are tried again.
 */
export function httpSource(url: string | URL, options: HttpOptions = {}): KeyValueSource {
  const base = parseUrl(url);
  const send = options.fetch ?? globalThis.fetch.bind(globalThis);
  const absent = options.absentStatus ?? [404];
  const attempts = options.attempts ?? 4;

  function address(key: string): string {
    const at = new URL(base);
    at.hash = "";
    const path = base.pathname.endsWith("/") ? base.pathname : `${base.pathname}/`;
    at.pathname = path + keySegments(key).map(encodeURIComponent).join("/");
    return at.href;
  }

  /** One request with its retries; undefined where the key is absent. */
  async function request(key: string, range: string | undefined, read?: ReadOptions): Promise<Part | undefined> {
    const target = address(key);
    for (let attempt = 1; ; attempt++) {
      read?.signal?.throwIfAborted();
      try {
        const response = await send(target, {
          headers: { ...options.headers, ...(range === undefined ? {} : { Range: `bytes=${range}` }) },
          ...(read?.signal === undefined ? {} : { signal: read.signal }),
        });
        return await answer(response, range);
      } catch (error) {
        if (read?.signal?.aborted) throw error;
        if (!isTransient(error)) throw error;
        if (attempt >= attempts) {
          const reason = error instanceof Error ? describe(error) : String(error);
          throw new InvalidDataError(`${key}: ${reason}, after ${attempts} attempts`, {
            source: base.href,
            cause: error,
          });
        }
        await pause(50 * 2 ** attempt, read?.signal);
      }
    }

    async function answer(response: Response, asked: string | undefined): Promise<Part | undefined> {
      const { status } = response;
      if (absent.includes(status)) return discard(response, undefined);
      if (status >= 500 || status === 408 || status === 429) {
        return discard(response, new TransientError(`the server answered ${status} ${response.statusText}`.trim()));
      }
      // Asked beyond the end of the value: there is nothing there.
      if (status === 416 && asked !== undefined) {
        await discard(response, undefined);
        return { start: 0, bytes: new Uint8Array(0), whole: false };
      }
      if (status === 401 || status === 403) {
        return discard(
          response,
          new UnsupportedError(
            `${key}: the server answered ${status}; if it does so for keys that do not exist, as S3 may, pass absentStatus`,
            { source: base.href },
          ),
        );
      }
      if (status !== 200 && status !== 206) {
        const problem = `${key}: the server answered ${status} ${response.statusText}`.trim();
        return discard(response, new InvalidDataError(problem, { source: base.href }));
      }
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (status === 200) {
        checkLength(bytes.length, contentLength(response));
        return { start: 0, bytes, whole: true };
      }
      const start = partStart(response, key, asked);
      checkLength(bytes.length, start.length);
      return { start: start.start, bytes, whole: false };
    }
  }

  function partStart(
    response: Response,
    key: string,
    asked: string | undefined,
  ): { start: number; length: number | null } {
    const given = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(response.headers.get("content-range") ?? "");
    if (given !== null) {
      const start = Number(given[1]);
      const wanted = asked === undefined || asked.startsWith("-") ? start : Number.parseInt(asked, 10);
      if (start !== wanted) {
        throw new InvalidDataError(`${key}: the server sent bytes from ${start}, asked was ${asked}`, {
          source: base.href,
        });
      }
      return { start, length: Number(given[2]) - start + 1 };
    }
    // Content-Range can be hidden from a browser by CORS; the start is then what was asked for.
    const start = asked === undefined || asked.startsWith("-") ? 0 : Number.parseInt(asked, 10);
    return { start, length: contentLength(response) };
  }

  return {
    kind: "keys",
    name: base.href,
    async get(key, read) {
      return (await request(key, undefined, read))?.bytes;
    },
    async getRanges(key, ranges, read) {
      const results: Uint8Array[] = ranges.map(() => new Uint8Array(0));
      const spans = ranges.map((range) => ("suffix" in range ? { start: 0, end: 0 } : range));
      const jobs: { readonly header: string; readonly members: readonly number[] }[] = mergeRanges(spans).map(
        ({ start, end, members }) => ({ header: `${start}-${end - 1}`, members }),
      );
      ranges.forEach((range, index) => {
        if ("suffix" in range && range.suffix > 0) jobs.push({ header: `-${range.suffix}`, members: [index] });
      });
      if (jobs.length === 0) return (await request(key, "0-0", read)) === undefined ? undefined : results;

      // The first answer tells whether the key is there and whether the server knows ranges at all.
      const first = await request(key, jobs[0].header, read);
      if (first === undefined) return undefined;
      if (first.whole) {
        ranges.forEach((range, index) => {
          results[index] = cut(first, range);
        });
        return results;
      }
      const rest = await Promise.all(jobs.slice(1).map((job) => request(key, job.header, read)));
      [first, ...rest].forEach((part, at) => {
        if (part === undefined) throw new InvalidDataError(`${key} vanished while it was read`, { source: base.href });
        for (const member of jobs[at].members) results[member] = cut(part, ranges[member]);
      });
      return results;
    },
    list: async () => null,
    close: async () => undefined,
  };
}

function cut(part: Part, range: KeyRange): Uint8Array {
  if ("suffix" in range && !part.whole) return part.bytes;
  const { start, end } = clampRange(range, part.start + part.bytes.length);
  return part.bytes.subarray(start - part.start, end - part.start);
}

function parseUrl(url: string | URL): URL {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch (cause) {
    throw new InvalidInputError(`${url} is not a URL`, { cause });
  }
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    throw new InvalidInputError(`${parsed.protocol} URLs cannot be read, only http: and https:`);
  }
  return parsed;
}

/** What the header says, where it counts the bytes that came (it does not when they were compressed on the way). */
function contentLength(response: Response): number | null {
  const text = response.headers.get("content-length");
  return text === null || response.headers.has("content-encoding") ? null : Number(text);
}

function checkLength(found: number, declared: number | null): void {
  if (declared !== null && found !== declared) {
    throw new TransientError(`the answer has ${found} bytes, the server said ${declared}`);
  }
}

/** Ends the answer without reading it, so that its connection is free; throws `error` where there is one. */
async function discard(response: Response, error: Error | undefined): Promise<undefined> {
  await response.body?.cancel().catch(() => undefined);
  if (error !== undefined) throw error;
  return undefined;
}

/** fetch says "fetch failed" and keeps why in `cause`. */
function describe(error: Error): string {
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
