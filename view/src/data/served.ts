/** Asks the server of `annarrow view`. The token stands behind the `#` of the address, which browsers send to nobody. */

import type { ViewError, ViewRequest } from "annarrow/view";
import { type RecordBatch, RecordBatchReader } from "apache-arrow";
import { AnswerError, type Asking, type Connection } from "./connection.js";

const OFFLINE = "The server does not answer. Is `annarrow view` still running?";

export class ServedConnection implements Connection {
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  async json<T>(request: ViewRequest, asking: Asking = {}): Promise<T> {
    return (await this.#ask(request, asking)).json();
  }

  async *batches(request: ViewRequest, asking: Asking = {}): AsyncIterable<RecordBatch> {
    const response = await this.#ask(request, asking);
    if (response.body === null) return;
    try {
      const reader = await RecordBatchReader.from(counted(response.body, asking));
      yield* reader;
    } catch (error) {
      if (asking.signal?.aborted) throw error;
      throw (await this.#failureOf(response)) ?? error;
    }
  }

  /** Why an answer broke off, which its status could not tell any more; null where the server does not know. */
  async #failureOf({ headers }: Response): Promise<AnswerError | null> {
    const address = headers.get("x-annarrow-failure");
    if (address === null) return null;
    const response = await fetch(address, { headers: { authorization: `Bearer ${this.#token}` } }).catch(() => null);
    if (response === null) return new AnswerError("offline", OFFLINE);
    if (!response.ok) return null;
    const { error, message } = (await response.json()) as ViewError;
    return new AnswerError(error, message);
  }

  async save(request: ViewRequest & { call: "save" }, asking: Asking = {}): Promise<void> {
    // A link cannot send the token, so the server gives an address that is good for one download.
    const { path } = await this.json<{ path: string }>(request, asking);
    const link = document.createElement("a");
    link.href = path;
    link.download = "";
    link.click();
  }

  async #ask(request: ViewRequest, { signal }: Asking): Promise<Response> {
    const response = await fetch("ask", {
      method: "POST",
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
      body: JSON.stringify(request),
      ...(signal === undefined ? {} : { signal }),
    }).catch((cause: unknown) => {
      if (signal?.aborted) throw cause;
      throw new AnswerError("offline", OFFLINE);
    });
    if (response.ok) return response;
    const { error, message } = (await response.json()) as ViewError;
    throw new AnswerError(error, message);
  }
}

async function* counted(body: ReadableStream<Uint8Array>, { onBytes }: Asking): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      bytes += next.value.length;
      onBytes?.(bytes);
      yield next.value;
    }
  } finally {
    await reader.cancel();
  }
}
