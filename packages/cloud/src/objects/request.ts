/** Sends requests to object stores, other than reading an object: lists, writes, deletions. */

import type { HttpOptions } from "annarrow";
import { type AnnarrowError, InvalidDataError, NotFoundError, UnsupportedError } from "annarrow";
import { type HttpRequest, type HttpResponse, runWithRetry, sendHttpRequest } from "annarrow/core/io";

/** Maximum number of attempts for one request. A busy service may ask clients to retry later ("503 Slow Down"). */
const ATTEMPTS = 8;

/** Maximum size of a response in bytes. A page of a list has about 600 kB. */
const MAX_ANSWER = 1 << 26;

/** Maximum size of an error description in bytes. */
const MAX_PROBLEM = 1 << 16;

/** Returns the options for requests to object stores, which the store's `send` sends. */
export function storeHttp(given: HttpOptions, send: typeof fetch): HttpOptions {
  return { ...given, attempts: given.attempts ?? ATTEMPTS, fetch: send };
}

export interface StoreRequest extends HttpRequest {
  /** Name of the store or of an object, for errors. */
  readonly source: string;
  readonly signal?: AbortSignal | undefined;
}

/** A response that was read completely. */
export interface StoreAnswer {
  readonly status: number;
  readonly text: string;
  header(name: string): string | null;
}

/**
 * Sends a request, with retries, and reads the response.
 * @throws {InvalidDataError} if the service fails at every attempt.
 */
export function storeRequest(http: HttpOptions, { source, signal, ...request }: StoreRequest): Promise<StoreAnswer> {
  const { attempts = ATTEMPTS, timeout } = http;
  return runWithRetry({ attempts, timeout, signal, source }, (attempt) =>
    sendHttpRequest({ ...request, cache: request.cache ?? "no-store" }, http, attempt, async (answer) => {
      const transient = answer.transient();
      if (transient !== null) throw transient;
      // The response to HEAD states the length of a body that is not sent.
      const text = request.method === "HEAD" ? "" : await textOf(answer);
      return { status: answer.status, text, header: (name) => answer.header(name) };
    }),
  );
}

async function textOf(answer: HttpResponse): Promise<string> {
  return new TextDecoder().decode(await answer.bytes(MAX_ANSWER));
}

/** Creates the error for an unsuccessful status. @param reason the service's own words. */
export function createStatusError(status: number, reason: string, source: string): AnnarrowError {
  const problem = `the service answered ${status}${reason === "" ? "" : `: ${reason}`}`;
  if (status === 404 || status === 410) return new NotFoundError(problem, { source });
  return status === 401 || status === 403
    ? new UnsupportedError(problem, { source })
    : new InvalidDataError(problem, { source });
}

/** Returns the beginning of the text of an error response. The response must not be read elsewhere. */
export async function readProblemText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let text = "";
  while (text.length < MAX_PROBLEM) {
    const part = await reader?.read();
    if (part === undefined || part.done) return text;
    text += decoder.decode(part.value, { stream: true });
  }
  await reader?.cancel();
  return text.slice(0, MAX_PROBLEM);
}
