/** Messages between a page's server and a worker process. */

import type { OpenOptions, Progress } from "annarrow";
import type { SerializableError } from "annarrow/core/jobs";
import type { CompanionOptions, CompanionResult } from "annarrow/node/api";
import type { EngineOptions } from "annarrow/node/query";
import type { AnswerFormat } from "../../encoded-rows.js";
import type { SaveRequest, ViewSaving } from "../../view-request.js";
import type { SavedFile } from "./written-part.node.js";

/** The serializable options of `open`. */
export type SerializableOpenOptions = Omit<OpenOptions, "signal">;

export interface TaskInput {
  /** Name of the input. Statements may use it as a prefix for table names. */
  readonly name: string;
  /** Argument of `open`. */
  readonly path: string;
  readonly options: SerializableOpenOptions;
}

/** A statement. Its answer is sent in parts. */
export interface AnswerTask extends TaskInput {
  readonly kind: "statement";
  readonly engine: EngineOptions;
  readonly sql: string;
  readonly format: AnswerFormat;
}

export interface SaveTask extends TaskInput {
  readonly kind: "save";
  readonly request: SaveRequest;
  readonly to: string;
}

export interface GeneIndexTask {
  readonly kind: "companion";
  /** Argument of `open`. */
  readonly path: string;
  readonly options: Omit<CompanionOptions, "signal" | "onProgress">;
}

/** Task for a process. A process runs one task at a time. */
export type WorkTask = AnswerTask | SaveTask | GeneIndexTask;

export type ToWork =
  | { readonly kind: "task"; readonly task: WorkTask }
  /** The previous part of the answer has been forwarded. */
  | { readonly kind: "more" }
  /** The result is no longer wanted. */
  | { readonly kind: "cancel" };

export type FromWork =
  | { readonly kind: "piece"; readonly bytes: Uint8Array }
  | { readonly kind: "saving"; readonly saving: ViewSaving }
  | { readonly kind: "saved"; readonly file: SavedFile }
  | { readonly kind: "copying"; readonly progress: Progress }
  | { readonly kind: "copied"; readonly result: CompanionResult }
  | { readonly kind: "end" }
  | { readonly kind: "failed"; readonly error: SerializableError };
