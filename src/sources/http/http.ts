import { InvalidDataError, UnsupportedError } from "../../model/errors.js";
import { keySegments } from "../key.js";
import { mergeRanges } from "../merge-ranges.js";
import { clampRange } from "../range.js";
import type { GetOptions, KeyRange, KeyValueSource } from "../source.js";
import { type ContentRange, contentRange, unsatisfiedTotal } from "./content-range.js";
import { DEFAULT_ATTEMPTS, exchange, type HttpOptions, type HttpResponse, parseUrl } from "./http-exchange.js";
import { retried, TransientError } from "./retry.js";

export interface HttpStoreOptions extends HttpOptions {
  /**
   * Statuses that mean "no such key"; default `[404]`. S3 answers 403 for absent keys of a bucket that may not be
   * listed: pass `[404, 403]` for such a bucket. It is not the default, because an absent chunk is read as fill value
   * and a refusal of access must not become data.
   */
  readonly absentStatus?: readonly number[];
}

/** No chunk is larger: engines refuse larger buffers. */
const MAX_VALUE_BYTES = 2 ** 31 - 1;

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
export function httpSource(url: string | URL, options: HttpStoreOptions = {}): KeyValueSource {
  const base = parseUrl(url);
  const absent = options.absentStatus ?? [404];
  const { attempts = DEFAULT_ATTEMPTS, timeout } = options;

  function address(key: string): string {
    const at = new URL(base);
    at.hash = "";
    const path = base.pathname.endsWith("/") ? base.pathname : `${base.pathname}/`;
    at.pathname = path + keySegments(key).map(encodeURIComponent).join("/");
    return at.href;
  }

  /** One request with its retries; undefined where the key is absent. */
  function request(key: string, range: string | undefined, read?: GetOptions): Promise<Part | undefined> {
    const asked = { url: address(key), ...(range === undefined ? {} : { range }) };
    const what = range === undefined ? `${key}: ` : `${key}: bytes ${range}: `;
    const retry = { attempts, timeout, signal: read?.signal, source: base.href, what };
    return retried(retry, (deadline) =>
      exchange(asked, options, deadline, read, (answer) => readAnswer(answer, key, range, read?.most)),
    );
  }

  async function readAnswer(
    answer: HttpResponse,
    key: string,
    asked: string | undefined,
    most = MAX_VALUE_BYTES,
  ): Promise<Part | undefined> {
    const { status, problem } = answer;
    if (absent.includes(status)) return undefined;
    const transient = answer.transient();
    if (transient !== null) throw transient;
    // Asked beyond the end of the value: there is nothing there.
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

  /** What an answer to a request for the first byte tells of the value's size; null where that is hidden. */
  async function sizeOf(answer: HttpResponse, key: string): Promise<number | null | undefined> {
    if (answer.status === 416) return unsatisfiedTotal(answer);
    const part = await readAnswer(answer, key, "0-0");
    if (part === undefined) return undefined;
    return part.whole ? part.bytes.length : (contentRange(answer)?.total ?? null);
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
    async size(key, read) {
      const retry = { attempts, timeout, signal: read?.signal, source: base.href, what: `${key}: ` };
      const asked = { url: address(key), range: "0-0" };
      const size = await retried(retry, (deadline) =>
        exchange(asked, options, deadline, read, (answer) => sizeOf(answer, key)),
      );
      if (size !== null) return size;
      return (await request(key, undefined, read))?.bytes.length;
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

/** The part that a server sends (status 206), where it is the one that was asked for. */
async function readPart(
  answer: HttpResponse,
  key: string,
  asked: string | undefined,
): Promise<{ start: number; bytes: Uint8Array }> {
  const given = contentRange(answer);
  const wanted = asked === undefined ? null : askedPart(asked);
  if (given !== null && wanted !== null && !isWhatWasAsked(given, wanted)) {
    throw new InvalidDataError(`${key}: the server sent bytes ${given.start}-${given.end - 1}, asked were ${asked}`);
  }
  const most = given === null ? (wanted?.length ?? MAX_VALUE_BYTES) : given.end - given.start;
  const bytes = await answer.bytes(most);
  if (given !== null && bytes.length !== most) {
    throw new TransientError(`the answer has ${bytes.length} bytes, the server said ${most}`);
  }
  // Content-Range can be hidden from a browser by CORS; the start is then what was asked for.
  return { start: given?.start ?? wanted?.start ?? 0, bytes };
}

interface AskedPart {
  /** Null for the last `length` bytes. */
  readonly start: number | null;
  readonly length: number;
}

/** Of the header Range: `5-9`, `-20`. */
function askedPart(asked: string): AskedPart {
  const [from, to] = asked.split("-");
  if (from === "") return { start: null, length: Number(to) };
  return { start: Number(from), length: Number(to) + 1 - Number(from) };
}

/** A part is shorter than was asked for only where the value ends. */
function isWhatWasAsked({ start, end, total }: ContentRange, wanted: AskedPart): boolean {
  if (wanted.start === null) {
    return total === null
      ? end - start <= wanted.length
      : end === total && start === Math.max(0, total - wanted.length);
  }
  const last = wanted.start + wanted.length;
  return start === wanted.start && (total === null ? end <= last : end === Math.min(last, total));
}
