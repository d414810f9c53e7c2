/** Messages between the server of a page and its thread of statements. */

import type { OpenOptions } from "../../api/open.js";
import type { PlainError } from "../../jobs/workers/messages.js";
import type { EngineOptions } from "../../query/open-engine.node.js";
import type { AnswerFormat } from "../encoded-rows.js";

/** The part of the options of `open` that a message can hold. */
export type PlainOpenOptions = Omit<OpenOptions, "signal">;

/** One statement. A thread gets it when the one before is over. */
export interface ViewStatement {
  /** Name of the input, which statements may put before the names of tables. */
  readonly name: string;
  /** What `open` is given. */
  readonly path: string;
  readonly options: PlainOpenOptions;
  readonly engine: EngineOptions;
  readonly sql: string;
  readonly format: AnswerFormat;
}

export type ToViewStatement =
  | { readonly kind: "statement"; readonly statement: ViewStatement }
  /** The last piece of the answer was sent on. */
  | { readonly kind: "more" }
  /** The answer is no longer wanted. */
  | { readonly kind: "cancel" };

export type FromViewStatement =
  /** The statement has begun. Native DuckDB ends a cancelled one itself, and the process if its thread is ended. */
  | { readonly kind: "begun"; readonly isNative: boolean }
  | { readonly kind: "piece"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "end" }
  | { readonly kind: "failed"; readonly error: PlainError };
