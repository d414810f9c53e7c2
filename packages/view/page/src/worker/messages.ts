/** Messages between the page and its worker. Messages of a question share its number. */

import type { GivenInput, ViewError, ViewRequest } from "annarrow/view";

export type ToWorker =
  | { readonly kind: "add"; readonly id: number; readonly given: GivenInput }
  | { readonly kind: "ask"; readonly id: number; readonly request: ViewRequest }
  /** A chunk has been consumed; another may be sent. */
  | { readonly kind: "more"; readonly id: number }
  | { readonly kind: "stop"; readonly id: number };

export type FromWorker =
  | { readonly kind: "json"; readonly id: number; readonly value: unknown }
  /** A file, whose bytes follow. */
  | { readonly kind: "file"; readonly id: number; readonly name: string; readonly type: string }
  | { readonly kind: "chunk"; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: "end"; readonly id: number }
  | { readonly kind: "failed"; readonly id: number; readonly error: ViewError };

/** Maximum number of chunks sent ahead, so that the worker does not outrun a page that is drawing. */
export const CHUNKS_AHEAD = 4;
