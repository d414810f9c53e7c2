/** What the runner and its processes say to each other. */

/** Mutations [from, to) of one file. */
export interface Work {
  readonly seed: number;
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

export type Report =
  | { readonly kind: "ready" }
  | { readonly kind: "begins"; readonly number: number }
  | { readonly kind: "failed"; readonly number: number; readonly problem: string }
  | { readonly kind: "done"; readonly error: number; readonly same: number; readonly other: number };
