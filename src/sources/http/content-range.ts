/** What a server says of the part it sends. Source: RFC 9110, 14.4. */

import { InvalidDataError } from "../../model/errors.js";
import type { HttpResponse } from "./http-exchange.js";

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

/** The size that comes with a refused range (status 416); null where it is not said. */
export function unsatisfiedTotal(answer: HttpResponse): number | null {
  const found = /^bytes \*\/(\d+)$/i.exec(answer.header("content-range") ?? "");
  return found === null ? null : Number(found[1]);
}
