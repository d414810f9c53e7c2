/** State of the tab `matrix`, stored in the address. */

import type { Signal } from "@preact/signals";
import type { View } from "../state/view.js";

export const FORMS = ["dots", "heat"] as const;
export const ORDERS = ["stored", "name", "size"] as const;

export interface MatrixState {
  /** Name of the matrix; empty for the first. */
  readonly matrix: string;
  /** Positions of the genes; null for genes selected by the page. */
  readonly genes: readonly number[] | null;
  /** Column of `obs` by which cells are grouped; null for a default column, empty for a single group. */
  readonly by: string | null;
  readonly form: (typeof FORMS)[number];
  readonly order: (typeof ORDERS)[number];
  /** Whether the values of each gene are scaled to [0, 1]. */
  readonly isScaled: boolean;
  /** Whether only selected cells are included. */
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

/** Maximum number of genes in a figure. */
export const MOST_GENES = 200;

const STATES = new WeakMap<View, Signal<MatrixState>>();

/** Returns the state of a view. Created only once, since the address is bound to it. */
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
