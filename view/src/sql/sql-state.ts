/** The statement in the editor, which the address keeps, the statements that were run, and the latest answer of an input. */

import { type Signal, signal } from "@preact/signals";
import { isText } from "../address/address.js";
import type { OpenedInput, View } from "../state/view.js";
import type { StatementRun } from "./run.js";

export interface SqlState {
  readonly text: Signal<string>;
  /** Latest first. */
  readonly history: Signal<readonly string[]>;
  readonly shown: Signal<"table" | "chart">;
}

/** Statements that are kept. */
const KEPT = 50;

const STATES = new WeakMap<View, SqlState>();

/** The state of a view: made once, since the address follows it. */
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

/** The latest run about an input. Its answer goes with the input. */
export function latestRun(opened: OpenedInput): Signal<StatementRun | null> {
  const run = RUNS.get(opened) ?? signal<StatementRun | null>(null);
  RUNS.set(opened, run);
  return run;
}

export function remember({ history }: SqlState, sql: string): void {
  history.value = [sql, ...history.value.filter((one) => one !== sql)].slice(0, KEPT);
}

/** A statement whose rows are cells, as a condition on `obs`. */
export function conditionOf(sql: string): string {
  // A semicolon ends a statement, but no condition; a line break ends a comment.
  return `"row" in (select "row" from (${sql.trim().replace(/;\s*(?:--[^\n;']*\s*)*$/, "")}\n))`;
}
