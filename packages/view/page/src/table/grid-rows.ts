/** Sources of grid rows: blocks requested from the server or worker, or batches in memory. */

import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { ViewRequest } from "annarrow/view";
import { type RecordBatch, Vector } from "apache-arrow";
import type { Connection } from "../data/connection.js";
import type { GridColumn } from "./column-kind.js";
import { type BlockRequest, RowBlocks, type Sight } from "./row-blocks.js";

export type Block = ReadonlyMap<string, Vector>;

export interface GridRows {
  readonly columns: readonly GridColumn[];
  readonly rows: number;
  /** Changes when rows have arrived. */
  readonly version: ReadonlySignal<number>;
  /** Reports the visible rows and columns. */
  see(sight: Sight): void;
  at(row: number, group: number): { readonly block: Block; readonly offset: number } | null;
  /** Reads rows without caching them, for example for copying. */
  read(request: BlockRequest, signal: AbortSignal): Promise<Block>;
  /** Returns the table position of a row. */
  positionOf(row: number): number;
  readonly positions: number;
  failure(): unknown;
  retry(): void;
  close(): void;
}

export interface AskedRows {
  readonly connection: Connection;
  readonly input: string;
  readonly table: string;
  readonly layout: "coordinate" | "list" | "dense" | "columns" | null;
  readonly columns: readonly GridColumn[];
  readonly rows: number;
  /** Rows of the whole table. */
  readonly all: number;
  /** Positions of the rows in their order; null for all rows in stored order. */
  readonly positions: ArrayLike<number> | null;
}

/** Approximate number of values per block. */
const BLOCK_VALUES = 1 << 16;
/** Maximum number of cached blocks. */
const KEEP = 48;

/** Rows of an input's table, requested in blocks. */
export class ServedRows implements GridRows {
  readonly #asked: AskedRows;
  readonly #blocks: RowBlocks<Block>;
  readonly version: Signal<number> = signal(0);

  constructor(asked: AskedRows) {
    this.#asked = asked;
    const groups = (asked.columns.at(-1)?.group ?? 0) + 1;
    const size = 2 ** Math.round(Math.log2(BLOCK_VALUES / Math.max(asked.columns.length / groups, 1)));
    this.#blocks = new RowBlocks({
      ...{ rows: asked.rows, groups, keep: KEEP, atOnce: 4 },
      size: Math.min(Math.max(size, 16), 256),
      read: (request, signal) => this.read(request, signal),
      changed: () => {
        this.version.value++;
      },
    });
  }

  get columns(): readonly GridColumn[] {
    return this.#asked.columns;
  }

  get rows(): number {
    return this.#asked.rows;
  }

  get positions(): number {
    return this.#asked.all;
  }

  see(sight: Sight): void {
    this.#blocks.see(sight);
  }

  at(row: number, group: number) {
    return this.#blocks.at(row, group);
  }

  async read({ start, end, group }: BlockRequest, signal: AbortSignal): Promise<Block> {
    const { connection, input, table, layout, columns, positions } = this.#asked;
    const fields = [...new Set(columns.filter((column) => column.group === group).map(({ field }) => field))];
    const request: ViewRequest = {
      ...{ call: "rows", input, table, columns: fields },
      layout: layout ?? undefined,
      ...(positions === null
        ? { rows: [start, end] }
        : { at: Array.from({ length: end - start }, (_, index) => positions[start + index]) }),
    };
    const batches: RecordBatch[] = [];
    for await (const batch of connection.batches(request, { signal })) batches.push(batch);
    return blockOf(batches);
  }

  positionOf(row: number): number {
    return this.#asked.positions?.[row] ?? row;
  }

  failure(): unknown {
    return this.#blocks.failure();
  }

  retry(): void {
    this.#blocks.retry();
    this.version.value++;
  }

  close(): void {
    this.#blocks.close();
  }
}

/** Rows that are all in memory, to which more may be added. */
export class MemoryRows implements GridRows {
  readonly columns: readonly GridColumn[];
  readonly #batches: RecordBatch[] = [];
  readonly #blocks: Block[] = [];
  /** First row of each block. */
  readonly #starts: number[] = [];
  #rows = 0;
  readonly version: Signal<number> = signal(0);

  constructor(columns: readonly GridColumn[]) {
    // All rows are in memory, so they form one group.
    this.columns = columns.map((column) => ({ ...column, group: 0 }));
  }

  get rows(): number {
    return this.#rows;
  }

  get positions(): number {
    return this.#rows;
  }

  get batches(): readonly RecordBatch[] {
    return this.#batches;
  }

  add(batch: RecordBatch): void {
    if (batch.numRows === 0) return;
    this.#batches.push(batch);
    this.#blocks.push(blockOf([batch]));
    this.#starts.push(this.#rows);
    this.#rows += batch.numRows;
    this.version.value++;
  }

  see(): void {}

  at(row: number) {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle] <= row) low = middle + 1;
      else high = middle;
    }
    const block = this.#blocks[low - 1];
    return block === undefined || row >= this.#rows ? null : { block, offset: row - this.#starts[low - 1] };
  }

  async read({ start, end }: BlockRequest): Promise<Block> {
    const parts: RecordBatch[] = [];
    for (let index = 0; index < this.#batches.length; index++) {
      const from = Math.max(start - this.#starts[index], 0);
      const to = Math.min(end - this.#starts[index], this.#batches[index].numRows);
      if (from < to) parts.push(this.#batches[index].slice(from, to));
    }
    return blockOf(parts);
  }

  positionOf(row: number): number {
    return row;
  }

  failure(): unknown {
    return null;
  }

  retry(): void {}

  close(): void {}
}

/** Concatenates the columns of consecutive batches. */
export function blockOf(batches: readonly RecordBatch[]): Block {
  const fields = batches[0]?.schema.fields ?? [];
  return new Map(
    fields.map(({ name }, index) => [
      name,
      new Vector(batches.flatMap((batch) => batch.getChildAt(index)?.data ?? [])),
    ]),
  );
}
