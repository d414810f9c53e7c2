/** Response functions that HTTP servers have in common. */

import type { ServerResponse } from "node:http";

/**
 * Waits until the bytes are sent or the client has disconnected. Afterwards the memory of the bytes can be reused.
 * @param gone is aborted if writing fails, which happens only if the client has disconnected.
 * @throws the reason of `signal`, which is aborted together with `gone`.
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
 * Answers 304 if the client already has the content that `etag` identifies.
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
