/** Connection to the server of `annarrow view`. The token is after the `#` of the address, which is never sent. */

import type { FileRequest, ViewError, ViewRequest } from "annarrow/view";
import type { RecordBatch } from "apache-arrow";
import { AnswerError, type Asking, type Connection, type SaveAsking } from "./connection.js";

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
    // Loaded on demand: the page is visible before it needs the code that reads rows.
    const [response, { RecordBatchReader }] = await Promise.all([this.#ask(request, asking), import("./arrow.js")]);
    if (response.body === null) return;
    try {
      const reader = await RecordBatchReader.from(counted(response.body, asking));
      yield* reader;
    } catch (error) {
      if (asking.signal?.aborted) throw error;
      throw (await this.#failureOf(response)) ?? error;
    }
  }

  /** Returns the error of an answer that broke off after its status was sent; null if the server has none. */
  async #failureOf({ headers }: Response): Promise<AnswerError | null> {
    const address = headers.get("x-annarrow-failure");
    if (address === null) return null;
    const response = await fetch(address, { headers: { authorization: `Bearer ${this.#token}` } }).catch(() => null);
    if (response === null) return new AnswerError("offline", OFFLINE);
    if (!response.ok) return null;
    const { error, message } = (await response.json()) as ViewError;
    return new AnswerError(error, message);
  }

  async save(request: FileRequest, asking: SaveAsking = {}): Promise<void> {
    // A link cannot send the token, so the server returns a single-use address.
    const link = document.createElement("a");
    link.href = await savedPath(await this.#ask(request, asking), asking);
    link.download = "";
    link.click();
  }

  async #ask(request: ViewRequest, { signal }: Asking): Promise<Response> {
    const response = await fetch("ask", {
      method: "POST",
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
      body: JSON.stringify(request),
      signal,
    }).catch((cause: unknown) => {
      if (signal?.aborted) throw cause;
      throw new AnswerError("offline", OFFLINE);
    });
    if (response.ok) return response;
    const { error, message } = (await response.json()) as ViewError;
    throw new AnswerError(error, message);
  }
}

/** Returns the path of the created file: the last line of the answer. The other lines contain the progress. */
async function savedPath({ body }: Response, { onSaving }: SaveAsking): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of body === null ? [] : counted(body, {})) {
    const lines = (text + decoder.decode(piece, { stream: true })).split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) onSaving?.(JSON.parse(line));
  }
  const last: { readonly path: string } | ViewError = JSON.parse(text);
  if ("error" in last) throw new AnswerError(last.error, last.message);
  return last.path;
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
