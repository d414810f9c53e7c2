/** Runs a statement, and collects rows as they arrive, up to a limit. */

import { type Signal, signal } from "@preact/signals";
import type { RecordBatch } from "apache-arrow";
import { wordsOf } from "../answers/in-words.js";
import type { Connection } from "../data/connection.js";
import type { OpenedInput } from "../state/view.js";
import { gridColumns } from "../table/column-kind.js";
import { MemoryRows } from "../table/grid-rows.js";

/** Maximum number of rows, and of bytes, collected from an answer. */
export const MOST_ROWS = 1_000_000;
const MOST_BYTES = 2 ** 28;

export type RunState =
  | { readonly state: "running"; readonly bytes: number }
  | { readonly state: "done"; readonly isCut: boolean; readonly milliseconds: number }
  | { readonly state: "failed"; readonly message: string; readonly milliseconds: number }
  | { readonly state: "cancelled" };

export class StatementRun {
  readonly sql: string;
  readonly started = performance.now();
  readonly state: Signal<RunState> = signal<RunState>({ state: "running", bytes: 0 });
  /** Null until the columns are known. */
  readonly rows: Signal<MemoryRows | null> = signal<MemoryRows | null>(null);
  readonly #stop = new AbortController();

  constructor(connection: Connection, { name, ended }: OpenedInput, sql: string) {
    this.sql = sql;
    ended.addEventListener("abort", () => this.cancel(), { once: true, signal: this.#stop.signal });
    void this.#run(connection, name);
  }

  cancel(): void {
    if (this.state.value.state !== "running") return;
    this.#stop.abort();
    this.state.value = { state: "cancelled" };
  }

  async #run(connection: Connection, input: string): Promise<void> {
    const { signal: stop } = this.#stop;
    let bytes = 0;
    const onBytes = (count: number) => {
      bytes = count;
      if (!stop.aborted) this.state.value = { state: "running", bytes };
    };
    let isCut = false;
    try {
      for await (const batch of connection.batches({ call: "sql", input, sql: this.sql }, { signal: stop, onBytes })) {
        if (stop.aborted) return;
        const rows = this.rows.value ?? this.#begin(batch);
        const room = MOST_ROWS - rows.rows;
        rows.add(batch.numRows > room ? batch.slice(0, room) : batch);
        isCut = batch.numRows > room || bytes > MOST_BYTES;
        if (isCut) break;
      }
      if (isCut) this.#stop.abort();
      this.state.value = { state: "done", isCut, milliseconds: performance.now() - this.started };
    } catch (error) {
      if (stop.aborted) return;
      this.state.value = {
        ...{ state: "failed", message: wordsOf(error) },
        milliseconds: performance.now() - this.started,
      };
    } finally {
      // Otherwise the input would hold the answers of all statements that wait for its end.
      this.#stop.abort();
    }
  }

  #begin({ schema }: RecordBatch): MemoryRows {
    const rows = new MemoryRows(gridColumns(schema.fields.map(({ name, type }) => ({ name, type: String(type) }))));
    this.rows.value = rows;
    return rows;
  }
}
