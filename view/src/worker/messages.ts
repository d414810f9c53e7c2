/** Messages between the page and its worker. All that belong to one question have its number. */

import type { GivenInput, ViewError, ViewRequest } from "annarrow/view";

export type ToWorker =
  | { readonly kind: "add"; readonly id: number; readonly given: GivenInput }
  | { readonly kind: "ask"; readonly id: number; readonly request: ViewRequest }
  /** A chunk has been taken: another one may come. */
  | { readonly kind: "more"; readonly id: number }
  | { readonly kind: "stop"; readonly id: number };

export type FromWorker =
  | { readonly kind: "json"; readonly id: number; readonly value: unknown }
  /** A file, whose bytes follow. */
  | { readonly kind: "file"; readonly id: number; readonly name: string; readonly type: string }
  | { readonly kind: "chunk"; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: "end"; readonly id: number }
  | { readonly kind: "failed"; readonly id: number; readonly error: ViewError };

/** Chunks that are on their way at most, so that a worker is not ahead of a page that draws. */
export const CHUNKS_AHEAD = 4;
