/** Whole columns of the tables along the axes, such as `obs` and `var`, read once for plots and legends. */

import type { ViewDescription, ViewRequest } from "annarrow/view";
import type { RecordBatch, Vector } from "apache-arrow";
import type { CellValues } from "./cell-values.js";
import type { Connection } from "./connection.js";
import { coordinateOf } from "./coordinate-name.js";
import { SharedReads } from "./shared-reads.js";

export class AxisColumns {
  readonly #connection: Connection;
  readonly #input: string;
  readonly #description: ViewDescription;
  readonly #reads = new SharedReads();

  constructor(connection: Connection, description: ViewDescription, input: string) {
    this.#connection = connection;
    this.#description = description;
    this.#input = input;
  }

  /** Returns a column of a table as a single vector. Failed and cancelled reads are not cached. */
  column(table: string, column: string, signal?: AbortSignal): Promise<Vector> {
    return this.#reads.get(["column", table, column], signal, async (asked) => {
      const batches: RecordBatch[] = [];
      for await (const batch of this.#batches(table, column, asked)) batches.push(batch);
      const { Vector } = await import("./arrow.js");
      return new Vector(batches.flatMap((batch) => batch.getChildAt(0)?.data ?? []));
    });
  }

  values(table: string, column: string, signal?: AbortSignal): Promise<CellValues> {
    return this.#reads.get(["values", table, column], signal, (asked) => this.#values(table, column, asked));
  }

  /**
   * Returns one coordinate of each cell: a numeric column, or one item of a list column, such as `value[1]` of
   * `obsm/X_umap`. Missing values are NaN.
   */
  coordinate(table: string, name: string, signal?: AbortSignal): Promise<Float32Array | Float64Array> {
    const { column, at } = coordinateOf(name);
    return this.#reads.get(["coordinate", table, name], signal, async (asked) => {
      const found = await this.#values(table, column, asked, at);
      if (found.kind !== "numbers") throw new TypeError(`${table}: the column ${column} has no numbers`);
      return found.values;
    });
  }

  /** The names of the rows of a table along an axis; null where they have only positions. */
  async names(table: "obs" | "var" | "raw/var", signal?: AbortSignal): Promise<Vector | null> {
    const index = this.#description.tables.find(({ name }) => name === table)?.index ?? null;
    return index === null ? null : this.column(table, index, signal);
  }

  async #values(table: string, column: string, signal: AbortSignal, at: number | null = null): Promise<CellValues> {
    const { valuesOf } = await import("./read-values.js");
    return valuesOf(this.#batches(table, column, signal), this.#rows(table), signal, at);
  }

  #rows(table: string): number {
    return this.#description.tables.find(({ name }) => name === table)?.rows ?? 0;
  }

  #batches(table: string, column: string, signal: AbortSignal): AsyncIterable<RecordBatch> {
    const request: ViewRequest = { call: "rows", input: this.#input, table, columns: [column] };
    return this.#connection.batches(request, { signal });
  }
}
