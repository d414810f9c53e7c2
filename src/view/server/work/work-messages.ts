/** Messages between the server of a page and a process that works for it. */

import type { CompanionOptions, CompanionResult } from "../../../api/companion.node.js";
import type { OpenOptions } from "../../../api/open.js";
import type { PlainError } from "../../../jobs/workers/messages.js";
import type { Progress } from "../../../model/dataset.js";
import type { EngineOptions } from "../../../query/open-engine.node.js";
import type { AnswerFormat } from "../../encoded-rows.js";
import type { SaveRequest, ViewSaving } from "../../view-request.js";
import type { SavedFile } from "./written-part.node.js";

/** The part of the options of `open` that a message can hold. */
export type PlainOpenOptions = Omit<OpenOptions, "signal">;

/** The input of a task. */
export interface TaskInput {
  /** Name of the input, which statements may put before the names of tables. */
  readonly name: string;
  /** What `open` is given. */
  readonly path: string;
  readonly options: PlainOpenOptions;
}

/** A statement, whose answer is sent in pieces. */
export interface AnswerTask extends TaskInput {
  readonly kind: "statement";
  readonly engine: EngineOptions;
  readonly sql: string;
  readonly format: AnswerFormat;
}

/** A part that is written to a file. */
export interface SaveTask extends TaskInput {
  readonly kind: "save";
  readonly request: SaveRequest;
  /** The file that is written. */
  readonly to: string;
}

/** A copy by genes. */
export interface CompanionTask {
  readonly kind: "companion";
  /** What `open` is given. */
  readonly path: string;
  readonly options: Omit<CompanionOptions, "signal" | "onProgress">;
}

/** What a process does. It gets a task when the one before is over. */
export type WorkTask = AnswerTask | SaveTask | CompanionTask;

export type ToWork =
  | { readonly kind: "task"; readonly task: WorkTask }
  /** The last piece of the answer was sent on. */
  | { readonly kind: "more" }
  /** The result is no longer wanted. */
  | { readonly kind: "cancel" };

export type FromWork =
  | { readonly kind: "piece"; readonly bytes: Uint8Array }
  | { readonly kind: "saving"; readonly saving: ViewSaving }
  | { readonly kind: "saved"; readonly file: SavedFile }
  | { readonly kind: "copying"; readonly progress: Progress }
  | { readonly kind: "copied"; readonly result: CompanionResult }
  /** The task is over. */
  | { readonly kind: "end" }
  | { readonly kind: "failed"; readonly error: PlainError };
