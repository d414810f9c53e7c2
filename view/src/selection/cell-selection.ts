/**
 * The selected cells: a list of steps, which a link carries, and the mask that they give. All cells are selected where
 * there is no step.
 */

import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { ViewDescription } from "annarrow/view";
import type { AxisColumns } from "../data/axis-columns.js";
import type { Connection } from "../data/connection.js";
import type { Address } from "../state/address.js";

/** How the cells of a step join those that are selected before. */
export type StepMode = "within" | "add" | "remove";

export type SelectionStep =
  /** Cells inside a polygon: x0, y0, x1, y1, … in the coordinates of two columns of an embedding. */
  | {
      readonly by: "lasso";
      readonly mode: StepMode;
      readonly table: string;
      readonly columns: readonly [string, string];
      readonly polygon: readonly number[];
    }
  /** Cells with one of some values of a column of `obs`; null is the missing value. */
  | {
      readonly by: "values";
      readonly mode: StepMode;
      readonly column: string;
      readonly values: readonly (string | null)[];
    }
  /** Cells whose number in a column of `obs` lies in a range, its ends included. */
  | {
      readonly by: "range";
      readonly mode: StepMode;
      readonly column: string;
      readonly range: readonly [number, number];
    }
  /** Cells that meet a condition in SQL over the columns of `obs`. */
  | { readonly by: "filter"; readonly mode: StepMode; readonly filter: string }
  | { readonly by: "invert" };

export interface SelectedInput {
  readonly name: string;
  readonly description: ViewDescription;
  readonly columns: AxisColumns;
}

export class CellSelection {
  readonly steps: Signal<readonly SelectionStep[]>;
  /** One byte for each cell, 1 where it is selected; null where all are. */
  readonly mask: ReadonlySignal<Uint8Array | null>;
  /** Positions of the selected genes, in the order in which they were chosen; null for all. */
  readonly genes: Signal<readonly number[] | null>;

  constructor(_connection: Connection, address: Address, _input: SelectedInput) {
    this.steps = address.signal<readonly SelectionStep[]>("cells", [], () => null);
    this.genes = address.signal<readonly number[] | null>("genes", null, () => null);
    this.mask = signal(null);
  }

  /** Adds a step. */
  add(step: SelectionStep): void {
    this.steps.value = [...this.steps.value, step];
  }

  clear(): void {
    this.steps.value = [];
  }
}
