/**
 * Reads the headers of a response: the file's version, and the byte range that the response contains. Source: RFC 9110,
 * 8.8 and 14.4.
 */

import { InvalidDataError } from "../../../model/errors.js";
import type { HttpResponse } from "../../http/http-exchange.js";
import type { FileStamp } from "../source.js";

/**
 * Properties that distinguish versions of a file. A property is null if the server does not send it or a browser hides
 * it.
 */
export interface FileVersion {
  readonly size: number | null;
  readonly etag: string | null;
  readonly modified: string | null;
}

export function getResponseVersion(answer: HttpResponse, size: number | null): FileVersion {
  // A weak ETag is sufficient, because it also changes with the content.
  const etag = answer.header("etag")?.replace(/^W\//, "") ?? null;
  return { size, etag, modified: answer.header("last-modified") };
}

/** Returns the properties, as reported by a server, that distinguish the versions of a file. */
export function getResponseStamp({ etag, modified }: Omit<FileVersion, "size">, size: number): FileStamp {
  const time = modified === null ? Number.NaN : Date.parse(modified);
  return { size, modified: Number.isNaN(time) ? null : time, etag };
}

/**
 * Describes the difference between two versions; null if there is none. The If-Range header would provide no further
 * information, and would make browsers send a preflight request (CORS).
 */
export function describeVersionChange(before: FileVersion, now: FileVersion): string | null {
  const differs = (key: keyof FileVersion) => before[key] !== null && now[key] !== null && before[key] !== now[key];
  if (differs("size")) return `it had ${before.size} bytes, now ${now.size}`;
  if (differs("etag")) return `its ETag was ${before.etag}, now ${now.etag}`;
  const comparable = before.etag !== null && now.etag !== null;
  if (!comparable && differs("modified")) return `it was last modified ${before.modified}, now ${now.modified}`;
  return null;
}

export interface ContentRange {
  readonly start: number;
  readonly end: number;
  /** Size of the whole file in bytes; null if the server does not send it. */
  readonly total: number | null;
}

/**
 * Reads the range in a partial response (status 206); null if the header is missing or a browser hides it.
 * @throws {InvalidDataError} if the header is invalid.
 */
export function parseContentRange(answer: HttpResponse): ContentRange | null {
  const text = answer.header("content-range");
  if (text === null) return null;
  const found = /^bytes (\d+)-(\d+)\/(\d+|\*)$/i.exec(text);
  if (found !== null) {
    const start = Number(found[1]);
    const end = Number(found[2]) + 1;
    const total = found[3] === "*" ? null : Number(found[3]);
    const size = total ?? Number.MAX_SAFE_INTEGER;
    if (start < end && end <= size && size <= Number.MAX_SAFE_INTEGER) return { start, end, total };
  }
  throw new InvalidDataError(`the server sent Content-Range: ${text}, which is no range of bytes`);
}

/** Returns the size given in the response to a refused range (status 416); null if the server does not send it. */
export function parseUnsatisfiedTotal(answer: HttpResponse): number | null {
  const found = /^bytes \*\/(\d+)$/i.exec(answer.header("content-range") ?? "");
  return found === null ? null : Number(found[1]);
}
