/** The statement in the editor (stored in the address), the history of statements, and the latest answer per input. */

import { type Signal, signal } from "@preact/signals";
import { isText } from "../address/address.js";
import type { OpenedInput, View } from "../state/view.js";
import type { StatementRun } from "./run.js";

export interface SqlState {
  readonly text: Signal<string>;
  /** Statements that were run, latest first. */
  readonly history: Signal<readonly string[]>;
  readonly shown: Signal<"table" | "chart">;
}

/** Maximum number of statements in the history. */
const KEPT = 50;

const STATES = new WeakMap<View, SqlState>();

/** Returns the state of a view. Created only once, since the address is bound to it. */
export function sqlState(view: View): SqlState {
  const known = STATES.get(view);
  if (known !== undefined) return known;
  const state: SqlState = {
    text: view.address.signal("sql", "", isText),
    history: signal<readonly string[]>([]),
    shown: view.address.signal<"table" | "chart">("answer", "table", (value) => (value === "chart" ? "chart" : null)),
  };
  STATES.set(view, state);
  return state;
}

const RUNS = new WeakMap<OpenedInput, Signal<StatementRun | null>>();

/** Returns the latest run for an input. Its answer is dropped together with the input. */
export function latestRun(opened: OpenedInput): Signal<StatementRun | null> {
  const run = RUNS.get(opened) ?? signal<StatementRun | null>(null);
  RUNS.set(opened, run);
  return run;
}

export function remember({ history }: SqlState, sql: string): void {
  history.value = [sql, ...history.value.filter((one) => one !== sql)].slice(0, KEPT);
}

/** Converts a statement that selects cells to a condition on `obs`. */
export function conditionOf(sql: string): string {
  // A semicolon ends a statement but is not part of a condition; the line break ends a trailing comment.
  return `"row" in (select "row" from (${sql.trim().replace(/;\s*(?:--[^\n;']*\s*)*$/, "")}\n))`;
}
