/** Summary of a column for the table header: a histogram of numbers, or counts of categories. */

import type { ViewRequest, ViewTable } from "annarrow/view";
import type { CellValues } from "../data/cell-values.js";
import { valuesOf } from "../data/read-values.js";
import { binsFor, countCodes, countsIn, extentOf } from "../figure/histogram.js";
import type { OpenedInput, View } from "../state/view.js";
import { fixedListOf, type GridColumn } from "./column-kind.js";

export type ColumnSummary =
  | {
      readonly kind: "numbers";
      readonly least: number;
      readonly greatest: number;
      readonly counts: readonly number[];
      readonly missing: number;
      /** Number of sampled rows; null if all rows were read. */
      readonly sample: number | null;
    }
  | {
      readonly kind: "counts";
      /** Counts, the most frequent first. */
      readonly counts: readonly { readonly label: string; readonly count: number }[];
      readonly missing: number;
      readonly sample: number | null;
    };

/** Maximum number of rows for reading a whole column. */
const WHOLE = 2_000_000;
/**
 * Number and length of the row ranges sampled from longer tables. Reading a range costs about as much as reading a row.
 */
const RUNS = 48;
const RUN = 2048;
/** Number of bars in a column header. */
const BARS = 24;
/** Maximum list length for summaries: every item would be a column to read. */
const MOST_ITEMS = 64;

/** Reads column summaries of a table, two at a time, in the order of the requests. */
export class ColumnSummaries {
  readonly #view: View;
  readonly #opened: OpenedInput;
  readonly #table: ViewTable;
  readonly #layout: "coordinate" | "list" | "dense" | "columns" | null;
  readonly #rows: number;
  readonly #known = new Map<string, ColumnSummary>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(view: View, opened: OpenedInput, table: ViewTable, layout: ColumnSummaries["layout"], rows: number) {
    this.#view = view;
    this.#opened = opened;
    this.#table = table;
    this.#layout = layout;
    this.#rows = rows;
  }

  get layout() {
    return this.#layout;
  }

  known(column: GridColumn): ColumnSummary | null {
    return this.#known.get(column.key) ?? null;
  }

  has({ kind, field, item }: GridColumn): boolean {
    if (kind === "other" || kind === "time") return false;
    if (item === null) return true;
    const type = this.#table.columns.find(({ name }) => name === field)?.type ?? "";
    return (fixedListOf(type)?.length ?? Number.POSITIVE_INFINITY) <= MOST_ITEMS;
  }

  async read(column: GridColumn, signal: AbortSignal): Promise<ColumnSummary> {
    const known = this.#known.get(column.key);
    if (known !== undefined) return known;
    while (this.#running >= 2) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      signal.throwIfAborted();
      const summary = await this.#summary(column, signal);
      this.#known.set(column.key, summary);
      return summary;
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  async #summary(column: GridColumn, signal: AbortSignal): Promise<ColumnSummary> {
    const isWhole = this.#rows <= WHOLE;
    const sample = isWhole ? null : RUNS * RUN;
    const values = isWhole ? await this.#whole(column, signal) : await this.#sample(column, signal);
    if (values.kind === "numbers") {
      const extent = await extentOf(values.values, signal);
      const counts = await countsIn(values.values, binsFor(extent, BARS), null, signal);
      return { kind: "numbers", ...extent, counts, sample };
    }
    const { codes, categories } = values;
    const counts = await countCodes(codes, categories.length, null, signal);
    return {
      kind: "counts",
      counts: categories
        .map((label, index) => ({ label, count: counts[index] }))
        .sort((one, other) => other.count - one.count),
      missing: counts[categories.length],
      sample,
    };
  }

  #whole({ field, item }: GridColumn, signal: AbortSignal): Promise<CellValues> {
    const { name } = this.#table;
    // Plots and legends use the same columns, which are read once.
    if ((name === "obs" || name === "var") && item === null) return this.#opened.columns.values(name, field, signal);
    return this.#read(field, item, {}, this.#rows, signal);
  }

  #sample({ field, item }: GridColumn, signal: AbortSignal): Promise<CellValues> {
    const step = (this.#rows - RUN) / (RUNS - 1);
    const at = Array.from(
      { length: RUNS * RUN },
      (_, index) => Math.floor(Math.floor(index / RUN) * step) + (index % RUN),
    );
    return this.#read(field, item, { at }, at.length, signal);
  }

  #read(field: string, item: number | null, which: { at?: number[] }, rows: number, signal: AbortSignal) {
    const request: ViewRequest = {
      ...{ call: "rows", input: this.#opened.name, table: this.#table.name, columns: [field] },
      layout: this.#layout ?? undefined,
      ...which,
    };
    return valuesOf(this.#view.connection.batches(request, { signal }), rows, signal, item);
  }
}
