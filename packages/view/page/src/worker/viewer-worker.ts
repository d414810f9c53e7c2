/** Worker of a page without server: opens inputs, and answers the page's requests. */

import { isAnnarrowError, type ViewError } from "annarrow/view";
import { wordsOf } from "../answers/in-words.js";
import { LocalViewer } from "./local-viewer.js";
import { CHUNKS_AHEAD, type FromWorker, type ToWorker } from "./messages.js";

interface Asked {
  readonly stop: AbortController;
  /** Chunks that may be sent. */
  ahead: number;
  wake: () => void;
}

const viewer = new LocalViewer();
const asked = new Map<number, Asked>();

addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  const question = asked.get(data.id);
  switch (data.kind) {
    case "add":
    case "ask":
      void answer(data);
      return;
    case "more":
      if (question !== undefined) question.ahead++;
      question?.wake();
      return;
    case "stop":
      question?.stop.abort();
      question?.wake();
      return;
    default:
      data satisfies never;
  }
});

const send = (message: FromWorker): void => postMessage(message);

async function answer(message: ToWorker & { kind: "add" | "ask" }): Promise<void> {
  const { id } = message;
  const question: Asked = { stop: new AbortController(), ahead: CHUNKS_AHEAD, wake: () => undefined };
  asked.set(id, question);
  try {
    if (message.kind === "add") send({ kind: "json", id, value: viewer.add(message.given) });
    else await reply(id, question, message);
  } catch (error) {
    // A cancelled request gets no more messages.
    if (!question.stop.signal.aborted) send({ kind: "failed", id, error: failureOf(error) });
  } finally {
    asked.delete(id);
  }
}

async function reply(id: number, question: Asked, { request }: ToWorker & { kind: "ask" }): Promise<void> {
  const { signal } = question.stop;
  const found = await viewer.answer(request, signal);
  if (found.kind === "json") return send({ kind: "json", id, value: found.value });
  if (found.kind === "file") send({ kind: "file", id, name: found.name, type: found.type });
  for await (const bytes of found.chunks) {
    signal.throwIfAborted();
    send({ kind: "chunk", id, bytes });
    question.ahead--;
    while (question.ahead <= 0) {
      await new Promise<void>((resolve) => {
        question.wake = resolve;
      });
      signal.throwIfAborted();
    }
  }
  send({ kind: "end", id });
}

function failureOf(error: unknown): ViewError {
  return { error: isAnnarrowError(error) ? error.tag : "internal", message: wordsOf(error) };
}
