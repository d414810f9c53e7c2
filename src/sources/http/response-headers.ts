/**
 * Reads the headers of an answer: the version of the file, and the part that the answer holds. Source: RFC 9110, 8.8
 * and 14.4.
 */

import type { HttpResponse } from "../../http/http-exchange.js";
import { InvalidDataError } from "../../model/errors.js";
import type { FileStamp } from "../source.js";

/**
 * Properties that tell versions of a file apart; null where the server does not send one, or a browser may not see it.
 */
export interface FileVersion {
  readonly size: number | null;
  readonly etag: string | null;
  readonly modified: string | null;
}

export function versionOf(answer: HttpResponse, size: number | null): FileVersion {
  // A weak ETag is sufficient: it changes with the content, too.
  const etag = answer.header("etag")?.replace(/^W\//, "") ?? null;
  return { size, etag, modified: answer.header("last-modified") };
}

/** The facts of a file that tell its versions apart, as a server sends them. */
export function stampOf({ etag, modified }: Omit<FileVersion, "size">, size: number): FileStamp {
  const time = modified === null ? Number.NaN : Date.parse(modified);
  return { size, modified: Number.isNaN(time) ? null : time, etag };
}

/**
 * Describes the difference between two versions; null where there is none. The header If-Range would tell no more, and
 * makes browsers ask the server for permission first (CORS).
 */
export function change(before: FileVersion, now: FileVersion): string | null {
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
  /** Bytes of the whole file; null where the server does not tell. */
  readonly total: number | null;
}

/**
 * The range of a part (status 206); null where there is no header, or a browser may not see it.
 * @throws {InvalidDataError} where the header makes no sense.
 */
export function contentRange(answer: HttpResponse): ContentRange | null {
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

/** The size that comes with a refused range (status 416); null where the server does not tell it. */
export function unsatisfiedTotal(answer: HttpResponse): number | null {
  const found = /^bytes \*\/(\d+)$/i.exec(answer.header("content-range") ?? "");
  return found === null ? null : Number(found[1]);
}
