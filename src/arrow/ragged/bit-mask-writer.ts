/** The mask of a BitMaskedArray, whose batches do not end where its bytes do. */

import { PageBuffer } from "../../kernels/parquet/page-buffer.js";
import type { StoredType } from "../../model/stored.js";
import type { RaggedForm } from "./form.js";
import type { Hidden } from "./hidden-rows.js";
import type { Sink } from "./node-sink.js";

const BYTE: StoredType = { kind: "int", bits: 8, signed: false };

/** Bytes of a mask that are made at once for rows that came before the first missing one. */
const BLOCK = 2 ** 20;

export class BitMaskWriter {
  readonly #form: Extract<RaggedForm, { class: "BitMaskedArray" }>;
  readonly #sink: Sink;
  readonly #name: string;
  /** Rows before the first missing one, for which nothing has been written yet; null once something has. */
  #waiting: number | null;
  #byte = 0;
  #used = 0;

  constructor(form: Extract<RaggedForm, { class: "BitMaskedArray" }>, sink: Sink) {
    this.#form = form;
    this.#sink = sink;
    this.#name = `${form.key}-mask`;
    this.#waiting = sink.auto ? 0 : null;
    if (!sink.auto) this.#declare();
  }

  append(missing: Hidden, rows: number): void {
    if (this.#waiting !== null) {
      if (missing === null) {
        this.#waiting += rows;
        return;
      }
      this.#declare();
      let before = this.#waiting;
      this.#waiting = null;
      for (; before > 8 * BLOCK; before -= 8 * BLOCK) this.#write(null, 8 * BLOCK);
      this.#write(null, before);
    }
    this.#write(missing, rows);
  }

  finish(): void {
    if (this.#waiting !== null) this.#sink.unmask(this.#form.key);
    else if (this.#used > 0) this.#emit(Uint8Array.of(this.#byte));
  }

  #write(missing: Hidden, rows: number): void {
    const { validWhen, lsbOrder } = this.#form;
    const out = new PageBuffer((rows >> 3) + 1);
    for (let i = 0; i < rows; i++) {
      const bit = (missing?.[i] !== 1) === validWhen ? 1 : 0;
      this.#byte |= bit << (lsbOrder ? this.#used : 7 - this.#used);
      if (++this.#used < 8) continue;
      out.byte(this.#byte);
      this.#byte = 0;
      this.#used = 0;
    }
    this.#emit(out.written());
  }

  #emit(values: Uint8Array): void {
    const piece = { name: this.#name, type: BYTE, shape: [], values: { kind: "fixed", values } as const };
    this.#sink.emit({ ...piece, rows: values.length });
  }

  #declare(): void {
    this.#sink.declare(this.#name, BYTE, [], { kind: "fixed", values: new Uint8Array(0) });
  }
}
