/** Connection to the worker of a page without server. */

import type { FileRequest, GivenInput, ViewRequest } from "annarrow/view";
import { type RecordBatch, RecordBatchReader } from "apache-arrow";
import type { FromWorker, ToWorker } from "../worker/messages.js";
import { AnswerError, type Asking, type Connection, type SaveAsking } from "./connection.js";
import { downloadBlob, GrowingBlob } from "./downloads.js";

type Question =
  | { readonly kind: "add"; readonly given: GivenInput }
  | { readonly kind: "ask"; readonly request: ViewRequest };

export class LocalConnection implements Connection {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (message: FromWorker) => void>();
  #questions = 0;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => this.#waiting.get(data.id)?.(data));
    worker.addEventListener("error", (event) => {
      const message = `The worker of the page has failed: ${event.message || "it could not be loaded"}`;
      for (const [id, answer] of this.#waiting) answer({ kind: "failed", id, error: { error: "internal", message } });
    });
  }

  /** Registers an input. @returns its name. */
  readonly add = async (given: GivenInput): Promise<string> => String(await this.#value({ kind: "add", given }, {}));

  async json<T>(request: ViewRequest, asking: Asking = {}): Promise<T> {
    // The only unchecked cast: the worker answers each request with the type that the contract defines.
    return (await this.#value({ kind: "ask", request }, asking)) as T;
  }

  async *batches(request: ViewRequest, asking: Asking = {}): AsyncIterable<RecordBatch> {
    const reader = await RecordBatchReader.from(this.#bytes(request, asking));
    yield* reader;
  }

  async save(request: FileRequest, asking: SaveAsking = {}): Promise<void> {
    let name = "";
    let type = "";
    const content = new GrowingBlob();
    for await (const message of this.#messages({ kind: "ask", request }, asking)) {
      if (message.kind === "file") ({ name, type } = message);
      else if (message.kind === "chunk") {
        content.add(message.bytes);
        asking.onSaving?.({ element: null, share: null, bytes: content.size });
      }
    }
    downloadBlob(content.blob(type), name);
  }

  async #value(question: Question, asking: Asking): Promise<unknown> {
    for await (const message of this.#messages(question, asking)) {
      if (message.kind === "json") return message.value;
    }
    throw new AnswerError("internal", "The worker of the page has given no answer.");
  }

  async *#bytes(request: ViewRequest, asking: Asking): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const message of this.#messages({ kind: "ask", request }, asking)) {
      if (message.kind !== "chunk") continue;
      bytes += message.bytes.length;
      asking.onBytes?.(bytes);
      yield message.bytes;
    }
  }

  /** Yields the messages that answer a question. Stopping early or aborting cancels the work in the worker. */
  async *#messages(question: Question, { signal }: Asking): AsyncGenerator<FromWorker> {
    signal?.throwIfAborted();
    const id = this.#questions++;
    const post = (message: ToWorker): void => this.#worker.postMessage(message);
    const arrived: FromWorker[] = [];
    let wake = (): void => undefined;
    this.#waiting.set(id, (message) => {
      arrived.push(message);
      wake();
    });
    const stop = () => wake();
    signal?.addEventListener("abort", stop);
    let isOver = false;
    post({ ...question, id });
    try {
      for (;;) {
        signal?.throwIfAborted();
        const message = arrived.shift();
        if (message === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        isOver = message.kind !== "chunk" && message.kind !== "file";
        if (message.kind === "failed") throw new AnswerError(message.error.error, message.error.message);
        if (message.kind === "end") return;
        yield message;
        if (message.kind === "chunk") post({ kind: "more", id });
      }
    } finally {
      this.#waiting.delete(id);
      signal?.removeEventListener("abort", stop);
      if (!isOver) post({ kind: "stop", id });
    }
  }
}
