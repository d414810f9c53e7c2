/** What the tab `matrix` shows; the address keeps it. */

import type { Signal } from "@preact/signals";
import type { View } from "../state/view.js";

export const FORMS = ["dots", "heat"] as const;
export const ORDERS = ["stored", "name", "size"] as const;

export interface MatrixState {
  /** Name of the matrix; empty for the first. */
  readonly matrix: string;
  /** Positions of genes; null for some that the page chooses. */
  readonly genes: readonly number[] | null;
  /** Column of `obs` by which cells are grouped; null for one that suits, empty for one group. */
  readonly by: string | null;
  readonly form: (typeof FORMS)[number];
  readonly order: (typeof ORDERS)[number];
  /** Whether each gene goes from 0 to 1. */
  readonly isScaled: boolean;
  /** Whether only selected cells count. */
  readonly isWithin: boolean;
}

const INITIAL: MatrixState = {
  matrix: "",
  genes: null,
  by: null,
  form: "dots",
  order: "stored",
  isScaled: true,
  isWithin: true,
};

/** Genes that one figure can show. */
export const MOST_GENES = 200;

const STATES = new WeakMap<View, Signal<MatrixState>>();

/** The state of a view: made once, since the address follows it. */
export function matrixState(view: View): Signal<MatrixState> {
  const known = STATES.get(view);
  if (known !== undefined) return known;
  const state = view.address.signal("matrix", INITIAL, checkState);
  STATES.set(view, state);
  return state;
}

function checkState(value: unknown): MatrixState | null {
  if (typeof value !== "object" || value === null) return null;
  const found: Partial<Record<keyof MatrixState, unknown>> = value;
  const isPosition = (one: unknown): one is number => typeof one === "number" && Number.isSafeInteger(one) && one >= 0;
  return {
    matrix: typeof found.matrix === "string" ? found.matrix : INITIAL.matrix,
    genes: Array.isArray(found.genes) ? found.genes.filter(isPosition).slice(0, MOST_GENES) : null,
    by: typeof found.by === "string" ? found.by : null,
    form: FORMS.find((form) => form === found.form) ?? INITIAL.form,
    order: ORDERS.find((order) => order === found.order) ?? INITIAL.order,
    isScaled: found.isScaled !== false,
    isWithin: found.isWithin !== false,
  };
}
