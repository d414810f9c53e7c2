/** Sends the requests of object stores that are about more than an object's bytes: lists, writes, removals. */

import { exchange, type HttpOptions, type HttpRequest, type HttpResponse } from "../../http/http-exchange.js";
import { retried } from "../../http/retry.js";
import { type AnnarrowError, InvalidDataError, NotFoundError, UnsupportedError } from "../../model/errors.js";

/** Attempts for one request. A busy service asks for patience ("503 Slow Down"). */
const ATTEMPTS = 8;

/** Most bytes of an answer: a page of a list has some 600 kB. */
const MOST_ANSWER = 1 << 26;

/** Most bytes of the description of an error. */
const MOST_PROBLEM = 1 << 16;

/** Options of requests to object stores, with the store's way to send them. */
export function storeHttp(given: HttpOptions, send: typeof fetch): HttpOptions {
  return { ...given, attempts: given.attempts ?? ATTEMPTS, fetch: send };
}

export interface StoreRequest extends HttpRequest {
  /** Name of the store, or of an object, in errors. */
  readonly source: string;
  readonly signal?: AbortSignal | undefined;
}

/** An answer that was read whole. */
export interface StoreAnswer {
  readonly status: number;
  readonly text: string;
  header(name: string): string | null;
}

/**
 * Sends a request, with its retries, and reads the answer.
 * @throws {InvalidDataError} where the service fails at every attempt.
 */
export function storeRequest(http: HttpOptions, { source, signal, ...request }: StoreRequest): Promise<StoreAnswer> {
  const { attempts = ATTEMPTS, timeout } = http;
  return retried({ attempts, timeout, signal, source }, (attempt) =>
    exchange({ ...request, cache: request.cache ?? "no-store" }, http, attempt, async (answer) => {
      const transient = answer.transient();
      if (transient !== null) throw transient;
      // The answer to HEAD tells the length of a body that does not come.
      const text = request.method === "HEAD" ? "" : await textOf(answer);
      return { status: answer.status, text, header: (name) => answer.header(name) };
    }),
  );
}

async function textOf(answer: HttpResponse): Promise<string> {
  return new TextDecoder().decode(await answer.bytes(MOST_ANSWER));
}

/** The error for a status that is no success. @param reason the service's own words. */
export function refusedError(status: number, reason: string, source: string): AnnarrowError {
  const problem = `the service answered ${status}${reason === "" ? "" : `: ${reason}`}`;
  if (status === 404 || status === 410) return new NotFoundError(problem, { source });
  return status === 401 || status === 403
    ? new UnsupportedError(problem, { source })
    : new InvalidDataError(problem, { source });
}

/** The beginning of an answer that describes an error, and that nobody else reads. */
export async function problemText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let text = "";
  while (text.length < MOST_PROBLEM) {
    const part = await reader?.read();
    if (part === undefined || part.done) return text;
    text += decoder.decode(part.value, { stream: true });
  }
  await reader?.cancel();
  return text.slice(0, MOST_PROBLEM);
}
