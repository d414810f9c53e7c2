/**
 * The selected cells: a list of steps, which is stored in a link, and the resulting mask. Without steps, all cells are
 * selected.
 */

import { effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { ViewDescription } from "annarrow/view";
import type { Address } from "../address/address.js";
import { wordsOf } from "../answers/in-words.js";
import type { AxisColumns } from "../data/axis-columns.js";
import type { Connection } from "../data/connection.js";
import { evaluateSteps, type StepSource } from "./evaluate-steps.js";
import { checkGenes, checkSteps, type SelectionStep } from "./selection-steps.js";

export type { SelectionStep, StepMode } from "./selection-steps.js";

export interface SelectedInput {
  readonly name: string;
  readonly description: ViewDescription;
  readonly columns: AxisColumns;
}

export class CellSelection {
  readonly steps: Signal<readonly SelectionStep[]>;
  /** One byte per cell, 1 if selected; null if all are. Has the previous value during evaluation. */
  readonly mask: ReadonlySignal<Uint8Array | null>;
  /** Positions of the selected genes in order of selection; null for all. */
  readonly genes: Signal<readonly number[] | null>;
  readonly isEvaluating: ReadonlySignal<boolean>;
  /** Error of the evaluation. */
  readonly failure: ReadonlySignal<string | null>;

  readonly #mask = signal<Uint8Array | null>(null);
  readonly #isEvaluating = signal(false);
  readonly #failure = signal<string | null>(null);
  readonly #source: StepSource;
  #evaluated: readonly SelectionStep[] = [];
  #evaluation = new AbortController();

  constructor(connection: Connection, address: Address, input: SelectedInput) {
    this.steps = address.signal<readonly SelectionStep[]>("cells", [], checkSteps);
    this.genes = address.signal<readonly number[] | null>("genes", null, checkGenes);
    this.mask = this.#mask;
    this.isEvaluating = this.#isEvaluating;
    this.failure = this.#failure;
    this.#source = sourceOf(connection, input);
    effect(() => {
      void this.#evaluate(this.steps.value);
    });
  }

  /** Adds a step. Initially all cells are selected, so a first step with `add` becomes `within`. */
  add(step: SelectionStep): void {
    const isFirst = this.steps.value.length === 0 && step.by !== "invert" && step.mode === "add";
    this.steps.value = [...this.steps.value, isFirst ? { ...step, mode: "within" } : step];
  }

  undo(): void {
    this.steps.value = this.steps.value.slice(0, -1);
  }

  remove(at: number): void {
    this.steps.value = this.steps.value.filter((_, index) => index !== at);
  }

  replaceLast(step: SelectionStep): void {
    this.steps.value = [...this.steps.value.slice(0, -1), step];
  }

  clear(): void {
    this.steps.value = [];
  }

  async #evaluate(steps: readonly SelectionStep[]): Promise<void> {
    this.#evaluation.abort();
    this.#evaluation = new AbortController();
    const asked = this.#evaluation.signal;
    this.#failure.value = null;
    const isContinued = this.#evaluated.every((step, at) => step === steps[at]);
    const [before, further] = isContinued ? [this.#mask.peek(), steps.slice(this.#evaluated.length)] : [null, steps];
    this.#isEvaluating.value = further.length > 0;
    try {
      const mask = await evaluateSteps(further, this.#source, before, asked);
      if (asked.aborted) return;
      this.#evaluated = steps;
      this.#mask.value = mask;
      this.#isEvaluating.value = false;
    } catch (error) {
      if (asked.aborted) return;
      this.#isEvaluating.value = false;
      this.#failure.value = wordsOf(error);
    }
  }
}

function sourceOf(connection: Connection, { name, description, columns }: SelectedInput): StepSource {
  return {
    cells: description.shape?.[0] ?? 0,
    values: (column, asked) => columns.values("obs", column, asked),
    coordinate: (table, column, asked) => columns.coordinate(table, column, asked),
    async *positions(filter, asked) {
      const request = { call: "positions", input: name, table: "obs", filter } as const;
      for await (const batch of connection.batches(request, { signal: asked })) {
        for (const { values } of batch.getChildAt(0)?.data ?? []) yield values;
      }
    },
  };
}
