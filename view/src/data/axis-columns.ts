/** Columns of the tables along the axes, as `obs` and `obsm/X_umap`, whole and read once: what plots and legends need. */

import type { ViewDescription, ViewRequest } from "annarrow/view";
import { type RecordBatch, Vector } from "apache-arrow";
import type { Connection } from "./connection.js";

export class AxisColumns {
  readonly #connection: Connection;
  readonly #input: string;
  readonly #description: ViewDescription;
  readonly #read = new Map<string, Promise<Vector>>();

  constructor(connection: Connection, description: ViewDescription, input: string) {
    this.#connection = connection;
    this.#description = description;
    this.#input = input;
  }

  /** A column of a table, as one vector. Failed and cancelled reads are forgotten. */
  column(table: string, column: string, signal?: AbortSignal): Promise<Vector> {
    const key = JSON.stringify([table, column]);
    const known = this.#read.get(key);
    if (known !== undefined) return known;
    const reading = this.#readColumn(table, column, signal);
    this.#read.set(key, reading);
    reading.catch(() => this.#read.delete(key));
    return reading;
  }

  /** The names of the rows of a table along an axis; null where they have only positions. */
  async names(table: "obs" | "var", signal?: AbortSignal): Promise<Vector | null> {
    const index = this.#description.tables.find(({ name }) => name === table)?.index ?? null;
    return index === null ? null : this.column(table, index, signal);
  }

  async #readColumn(table: string, column: string, signal?: AbortSignal): Promise<Vector> {
    const batches: RecordBatch[] = [];
    const request: ViewRequest = { call: "rows", input: this.#input, table, columns: [column] };
    for await (const batch of this.#connection.batches(request, signal === undefined ? {} : { signal })) {
      batches.push(batch);
    }
    return new Vector(batches.flatMap((batch) => batch.getChildAt(0)?.data ?? []));
  }
}
