/** Describes selection steps in words. */

import { coordinateOf } from "../data/coordinate-name.js";
import type { SelectionStep, StepMode } from "./selection-steps.js";

const MODES: Readonly<Record<StepMode, string>> = { within: "Keep", add: "Add", remove: "Remove" };

/** Describes a step as a sentence without final punctuation. */
export function stepWords(step: SelectionStep): string {
  if (step.by === "invert") return "Invert";
  const mode = MODES[step.mode];
  switch (step.by) {
    case "lasso":
      return `${mode} lasso on ${step.table.replace(/^obsm\//, "")} (${step.columns.map(axisLabel).join(", ")})`;
    case "values": {
      const values = step.values.map((value) => value ?? "missing");
      const some = values.length > 4 ? [...values.slice(0, 3), `${values.length - 3} more`] : values;
      return `${mode} ${step.column}: ${some.join(", ")}`;
    }
    case "range":
      return `${mode} ${step.column} from ${shortNumber(step.range[0])} to ${shortNumber(step.range[1])}`;
    case "filter":
      return `${mode} ${step.filter}`;
    default:
      return step satisfies never;
  }
}

/** Returns a short label of a coordinate: `1` for the first of `value[0]`, `value[1]`. */
export function axisLabel(name: string): string {
  const { column, at } = coordinateOf(name);
  if (at === null) return column;
  return column === "value" ? String(at + 1) : `${column} ${at + 1}`;
}

/** Formats a number with at most four significant digits. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return "";
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.001 || size >= 1e7)) return value.toExponential(2);
  return Number(value.toPrecision(4)).toLocaleString("en", { maximumFractionDigits: 6 });
}
