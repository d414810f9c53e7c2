/** The user's settings for the shown table: order, conditions, layout. Stored in the address. */

import type { Signal } from "@preact/signals";
import type { ViewRequest } from "annarrow/view";
import type { View } from "../state/view.js";
import { checkFilter, type Filter } from "./filters.js";

export type Layout = NonNullable<(ViewRequest & { call: "rows" })["layout"]>;

export interface TableState {
  /** Input and table to which the state applies. */
  readonly of: string;
  readonly filters: readonly Filter[];
  readonly sql: string;
  readonly sort: { readonly column: string; readonly descending: boolean } | null;
  /** Null for the default layout. */
  readonly layout: Layout | null;
}

export const LAYOUTS: readonly Layout[] = ["coordinate", "list", "dense", "columns"];

/** Signal of each view. Created only once, since the address is bound to it. */
const STATES = new WeakMap<View, Signal<TableState>>();

export function tableState(view: View): Signal<TableState> {
  const known = STATES.get(view);
  if (known !== undefined) return known;
  const state = view.address.signal<TableState>("rows", emptyState(""), checkState);
  STATES.set(view, state);
  return state;
}

export function emptyState(of: string): TableState {
  return { of, filters: [], sql: "", sort: null, layout: null };
}

function checkState(value: unknown): TableState | null {
  if (typeof value !== "object" || value === null) return null;
  const found: { of?: unknown; filters?: unknown; sql?: unknown; sort?: unknown; layout?: unknown } = value;
  if (typeof found.of !== "string" || typeof found.sql !== "string" || !Array.isArray(found.filters)) return null;
  const filters = found.filters.map(checkFilter).filter((filter) => filter !== null);
  const layout = LAYOUTS.find((one) => one === found.layout) ?? null;
  return { of: found.of, filters, sql: found.sql, sort: checkSort(found.sort), layout };
}

function checkSort(value: unknown): TableState["sort"] {
  if (typeof value !== "object" || value === null) return null;
  const { column, descending }: { column?: unknown; descending?: unknown } = value;
  return typeof column === "string" && typeof descending === "boolean" ? { column, descending } : null;
}
