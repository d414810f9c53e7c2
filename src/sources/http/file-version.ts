/** Whether two answers came from the same version of a file. */

import type { HttpResponse } from "./http-exchange.js";

/** What tells versions apart; null is what the server does not say, or a browser may not see. */
export interface FileVersion {
  readonly size: number | null;
  readonly etag: string | null;
  readonly modified: string | null;
}

export function versionOf(answer: HttpResponse, size: number | null): FileVersion {
  // A weak ETag is as good here: it changes with the content, too.
  const etag = answer.header("etag")?.replace(/^W\//, "") ?? null;
  return { size, etag, modified: answer.header("last-modified") };
}

/**
 * What changed between two versions, in words; null where nothing did.
 *
 * The header If-Range would tell no more, and makes browsers ask the server for leave first (CORS).
 */
export function change(before: FileVersion, now: FileVersion): string | null {
  const differs = (key: keyof FileVersion) => before[key] !== null && now[key] !== null && before[key] !== now[key];
  if (differs("size")) return `it had ${before.size} bytes, now ${now.size}`;
  if (differs("etag")) return `its ETag was ${before.etag}, now ${now.etag}`;
  const comparable = before.etag !== null && now.etag !== null;
  if (!comparable && differs("modified")) return `it was last modified ${before.modified}, now ${now.modified}`;
  return null;
}
