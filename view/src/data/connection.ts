/** How the page asks: a server over HTTP, or the worker of a page without a server. */

import type { FileRequest, GivenInput, ViewRequest, ViewSaving } from "annarrow/view";
import type { RecordBatch } from "apache-arrow";

export interface Asking {
  readonly signal?: AbortSignal;
  /** Called with the bytes that have arrived. */
  readonly onBytes?: (bytes: number) => void;
}

export interface SaveAsking {
  readonly signal?: AbortSignal;
  /** Called now and then with how far the file is made. */
  readonly onSaving?: (saving: ViewSaving) => void;
}

export interface Connection {
  /** The answer of a call that is answered by JSON. */
  json<T>(request: ViewRequest, asking?: Asking): Promise<T>;
  /** The batches of a call that is answered by a stream, as they arrive. All share one schema; there may be none. */
  batches(request: ViewRequest, asking?: Asking): AsyncIterable<RecordBatch>;
  /** Hands a file to the browser's downloads. Resolves when the download has begun (a server) or is whole (a worker). */
  save(request: FileRequest, asking?: SaveAsking): Promise<void>;
  /** Makes a file of the page's reader known, and returns its name; absent where a server decides what is shown. */
  readonly add?: (given: GivenInput) => Promise<string>;
}

/** An error that the other side reports, in words for the reader of the page. */
export class AnswerError extends Error {
  /** Tag of the error. */
  readonly tag: string;
  constructor(tag: string, message: string) {
    super(message);
    this.tag = tag;
  }
}
