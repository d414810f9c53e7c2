/** Where the writers of awkward's nodes put their buffers, and what they check and write alike. */

import { RefusedError } from "../../model/errors.js";
import { allocate, type IntType, type StoredType, type StoredValues } from "../../model/stored.js";
import type { Column } from "../column.js";
import type { RaggedForm } from "./form.js";
import { type Hidden, missingRows } from "./hidden-rows.js";

/** Where nodes put what they write. */
export interface Sink {
  /** Whether the form follows from the type, so that a mask is left out where nothing is missing. */
  readonly auto: boolean;
  /** Announces a buffer, which is there also if nothing is written to it. */
  declare(name: string, type: StoredType, shape: readonly number[], empty: StoredValues): void;
  emit(piece: RaggedPiece): void;
  /** Says that nothing is missing in the node of this key. */
  unmask(key: string): void;
}

export interface NodeWriter {
  append(column: Column, hidden: Hidden): void;
  finish(): void;
}

/** A buffer of integers. */
export class IntBuffer {
  readonly #sink: Sink;
  readonly #name: string;
  readonly #type: IntType;
  readonly #top: number;

  constructor(sink: Sink, name: string, type: IntType) {
    this.#sink = sink;
    this.#name = name;
    this.#type = type;
    this.#top = type.bits === 64 ? Number.MAX_SAFE_INTEGER : 2 ** (type.signed ? type.bits - 1 : type.bits) - 1;
    sink.declare(name, type, [], { kind: "fixed", values: allocate(type, 0) });
  }

  /** @throws {InvalidInputError} for a number that the type does not hold. */
  write(rows: number, at: (i: number) => number): void {
    const values = allocate(this.#type, rows);
    const wide = values instanceof BigInt64Array || values instanceof BigUint64Array;
    for (let i = 0; i < rows; i++) {
      const value = at(i);
      if (value > this.#top) {
        const type = `${this.#type.signed ? "int" : "uint"}${this.#type.bits}`;
        throw new RefusedError(
          `${this.#name} would hold ${value}, more than its type ${type}; take form out of the metadata for 64 bits`,
        );
      }
      if (wide) values[i] = BigInt(value);
      else values[i] = value;
    }
    this.#sink.emit({ name: this.#name, type: this.#type, shape: [], values: { kind: "fixed", values }, rows });
  }
}

/** @throws {InvalidInputError} where a row is missing that nothing hides. */
export function checkPresent(key: string, column: Column, hidden: Hidden): void {
  if (column.layout === "union") return;
  const missing = missingRows(column);
  if (missing === null) return;
  const at = missing.findIndex((one, i) => one === 1 && hidden?.[i] !== 1);
  if (at < 0) return;
  throw new RefusedError(
    `${key}: value ${at} is missing, for which its form has no option; take form out of the metadata, or make the field nullable`,
  );
}

export function mismatch(form: RaggedForm, column: Column): TypeError {
  return new TypeError(`a column of type ${column.type.id} is given to ${form.key}, a ${form.class}`);
}

/** Rows to be appended to one buffer, which is an array of its own. */
export interface RaggedPiece {
  /** Such as `node0-offsets`. */
  readonly name: string;
  readonly type: StoredType;
  /** Of one row of the buffer; `[]` but for arrays of more dimensions. */
  readonly shape: readonly number[];
  readonly values: StoredValues;
  readonly rows: number;
}
