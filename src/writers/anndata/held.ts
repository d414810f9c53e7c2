/** A column whose encoding depends on its values: it waits for a missing one, for its end, or until memory is full. */

import { type Column, columnBytes } from "../../arrow/column.js";
import type { ElementPlace } from "./array.js";
import type { AnnDataWriterContext } from "./context.js";
import type { ColumnSink } from "./sink.js";

/**
 * Opens the sink for what is held.
 * @param whole whether nothing comes after it.
 */
export type Decide = (held: readonly Column[], whole: boolean, place: ElementPlace) => Promise<ColumnSink>;

export class HeldSink implements ColumnSink {
  readonly #place: ElementPlace;
  readonly #cx: AnnDataWriterContext;
  readonly #decide: Decide;
  #held: Column[] = [];
  #sink: ColumnSink | null = null;

  constructor(place: ElementPlace, cx: AnnDataWriterContext, decide: Decide) {
    this.#place = place;
    this.#cx = cx;
    this.#decide = decide;
  }

  async write(column: Column): Promise<void> {
    if (this.#sink !== null) return this.#sink.write(column);
    this.#held.push(column);
    const bytes = columnBytes(column);
    if (this.#cx.held.take(bytes)) return;
    await this.#open(false);
  }

  async close(): Promise<void> {
    const sink = this.#sink ?? (await this.#open(true));
    await sink.close();
  }

  async #open(whole: boolean): Promise<ColumnSink> {
    const held = this.#held;
    const rows = whole ? held.reduce((sum, column) => sum + column.length, 0) : this.#place.rows;
    const sink = await this.#decide(held, whole, { ...this.#place, rows });
    this.#sink = sink;
    this.#held = [];
    for (const column of held) {
      await sink.write(column);
      this.#cx.held.give(columnBytes(column));
    }
    return sink;
  }
}
