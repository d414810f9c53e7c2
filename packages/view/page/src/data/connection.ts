/** Connection of the page to a server over HTTP, or to the worker of a page without server. */

import type { FileRequest, GivenInput, ViewRequest, ViewSaving } from "annarrow/view";
import type { RecordBatch } from "apache-arrow";

export interface Asking {
  readonly signal?: AbortSignal;
  /** Called with the number of bytes received so far. */
  readonly onBytes?: (bytes: number) => void;
}

export interface SaveAsking {
  readonly signal?: AbortSignal;
  /** Called with the progress of the file, from time to time. */
  readonly onSaving?: (saving: ViewSaving) => void;
}

export interface Connection {
  /** Returns the answer of a call that returns JSON. */
  json<T>(request: ViewRequest, asking?: Asking): Promise<T>;
  /** Yields the batches of a streaming call as they arrive, possibly none. All share one schema. */
  batches(request: ViewRequest, asking?: Asking): AsyncIterable<RecordBatch>;
  /** Hands a file to the browser's downloads. Resolves when the download has begun (a server) or is whole (a worker). */
  save(request: FileRequest, asking?: SaveAsking): Promise<void>;
  /** Registers a file of the user, and returns its name; absent if a server determines the inputs. */
  readonly add?: (given: GivenInput) => Promise<string>;
}

/** An error reported by the server or worker, in words for the user. */
export class AnswerError extends Error {
  readonly tag: string;
  constructor(tag: string, message: string) {
    super(message);
    this.tag = tag;
  }
}
