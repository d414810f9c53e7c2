/** One stored element as a table, before any Arrow object: its plan, and what becomes of its rows. */

import type { Column } from "../arrow/column.js";
import type { ArrowField } from "../arrow/type.js";
import type { BatchOptions, DataTable, Layout, TableMetadata } from "../dataset.js";
import { isCancellation, locateError } from "../errors.js";
import { inLayout, layoutsOf } from "../jobs/layout.js";
import { partsOf } from "../jobs/parts.js";
import type { TablePlan } from "../jobs/plan.js";
import type { Part, Product } from "../jobs/product.js";
import { checkedRows } from "../jobs/scan.js";
import { selectEntries } from "../jobs/select-entries.js";

export { DEFAULT_BATCH_BYTES } from "../jobs/scan.js";

export interface PartOptions {
  /** Table rows [start, end); all by default. */
  readonly rows?: readonly [start: number, end: number];
  /** Positions of the fields that are wanted, in this order; all by default. */
  readonly fields?: readonly number[];
  readonly signal?: AbortSignal;
}

export class StoredTable {
  readonly #plan: TablePlan;
  /** What errors call the file. */
  readonly #source: string;

  constructor(plan: TablePlan, source: string) {
    this.#plan = plan;
    this.#source = source;
  }

  get source(): string {
    return this.#source;
  }

  get name(): string {
    return this.#plan.name;
  }

  get rows(): number | null {
    return this.#plan.rows;
  }

  get metadata(): TableMetadata {
    return this.#plan.metadata;
  }

  get derived(): boolean {
    return this.#plan.derived;
  }

  get axis(): "row" | "col" | null {
    return this.#plan.axis;
  }

  get layouts(): readonly Layout[] {
    return layoutsOf(this.#plan);
  }

  get fields(): readonly ArrowField[] {
    return this.#plan.fields;
  }

  /** The schema's metadata: `annarrow`, and what other libraries look for. */
  get schemaMetadata(): ReadonlyMap<string, string> {
    return new Map([["annarrow", JSON.stringify(this.#plan.metadata)], ...this.#plan.schemaMetadata]);
  }

  /** @throws {InvalidInputError} where the element has no such layout. */
  async layout(layout: Layout): Promise<StoredTable> {
    return new StoredTable(await inLayout(this.#plan, layout), this.#source);
  }

  /**
   * The entries of a sparse matrix at some positions.
   * @throws {InvalidInputError} where the table is no coordinate table of a sparse matrix, or has no such position.
   */
  select(where: NonNullable<BatchOptions["where"]>): StoredTable {
    return new StoredTable(selectEntries(this.#plan, where), this.#source);
  }

  /** The rows as what `product` asks for, part by part. Errors say source and element. */
  async *parts(product: Product, options: PartOptions = {}): AsyncGenerator<Part> {
    const { rows, signal, fields } = options;
    const { plan, text, fields: all, name } = this.#plan;
    const selected = fields ?? all.map((_, i) => i);
    try {
      signal?.throwIfAborted();
      const task = { rows: plan, fields: all, selected, text, product };
      yield* partsOf(task, checkedRows(this.#plan, rows), signal ? { signal } : {});
    } catch (error) {
      // A cancellation keeps its own reason, whatever was interrupted by it.
      if (signal?.aborted === true && !isCancellation(error)) throw signal.reason;
      throw locateError(error, { source: this.#source, element: name });
    }
  }

  /** The columns of the table, or some of them, without rows; their dictionaries are whole. */
  async noRows(options: Omit<PartOptions, "rows"> = {}): Promise<readonly Column[]> {
    for await (const part of this.parts({ kind: "batches", batchBytes: 1 }, { ...options, rows: [0, 0] })) {
      if (part.kind === "batches") return part.batches[0].columns;
    }
    throw new TypeError("a scan gives at least one batch");
  }

  /** The same as the user holds it; loads apache-arrow. */
  async dataTable(): Promise<DataTable> {
    const { PlannedTable } = await import("./planned-table.js");
    return new PlannedTable(this);
  }
}
