/** Common functions of HTTP servers for their responses. */

import type { ServerResponse } from "node:http";

/**
 * Waits until the bytes are sent, or the client is gone; their memory can then be used again.
 * @param gone aborted where writing fails, which only happens if the client is gone.
 * @throws the reason of `signal`, which is aborted with `gone`.
 */
export async function sendBytes(
  response: ServerResponse,
  bytes: Uint8Array,
  gone: AbortController,
  signal: AbortSignal = gone.signal,
): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    response.write(bytes, (error) => {
      signal.removeEventListener("abort", leave);
      if (!error) return resolve();
      gone.abort();
      reject(signal.reason);
    });
  });
}

/**
 * Answers 304 if the client already has the content of `etag`.
 * @param known the header `if-none-match`.
 * @returns true if the response has ended.
 */
export function endIfKnown(response: ServerResponse, etag: string, known: string | undefined): boolean {
  response.setHeader("etag", etag);
  const tags = known?.split(",").map((tag) => tag.trim().replace(/^W\//, "")) ?? [];
  if (!tags.includes("*") && !tags.includes(etag)) return false;
  response.statusCode = 304;
  response.end();
  return true;
}
