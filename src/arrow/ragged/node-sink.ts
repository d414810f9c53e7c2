/** Common parts of the writers for awkward's nodes: the sink for their buffers, and checks. */

import { isBitSet } from "../../kernels/values/bitmap.js";
import { UnsupportedElementError } from "../../model/errors.js";
import { allocate, type IntType, type StoredType, type StoredValues } from "../../model/stored.js";
import type { Column, ListColumn } from "../column.js";
import type { RaggedForm } from "./form.js";

export interface Sink {
  /** True if the form is derived from the type. Such a form omits the mask if no value is null. */
  readonly auto: boolean;
  /** Announces a buffer, which is written even if it stays empty. */
  declare(name: string, type: StoredType, shape: readonly number[], empty: StoredValues): void;
  emit(piece: RaggedBufferRows): void;
  /** Records that no value is null in the node `key`. */
  unmask(key: string): void;
}

export interface NodeWriter {
  append(column: Column, hidden: Hidden): void;
  finish(): void;
}

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

  /**
   * Writes `rows` numbers.
   * @throws {InvalidInputError} for a number that the type cannot hold.
   */
  write(rows: number, at: (i: number) => number): void {
    const values = allocate(this.#type, rows);
    const wide = values instanceof BigInt64Array || values instanceof BigUint64Array;
    for (let i = 0; i < rows; i++) {
      const value = at(i);
      if (value > this.#top) {
        const type = `${this.#type.signed ? "int" : "uint"}${this.#type.bits}`;
        throw new UnsupportedElementError(
          `${this.#name} would hold ${value}, more than its type ${type}; take form out of the metadata for 64 bits`,
        );
      }
      if (wide) values[i] = BigInt(value);
      else values[i] = value;
    }
    this.#sink.emit({ name: this.#name, type: this.#type, shape: [], values: { kind: "fixed", values }, rows });
  }
}

/**
 * Checks that every row that is not hidden has a value.
 * @throws {InvalidInputError} if such a row has no value.
 */
export function checkPresent(key: string, column: Column, hidden: Hidden): void {
  if (column.layout === "union") return;
  const missing = findMissingRows(column);
  if (missing === null) return;
  const at = missing.findIndex((one, i) => one === 1 && hidden?.[i] !== 1);
  if (at < 0) return;
  throw new UnsupportedElementError(
    `${key}: value ${at} is missing, for which its form has no option; take form out of the metadata, or make the field nullable`,
  );
}

export function createFormMismatchError(form: RaggedForm, column: Column): TypeError {
  return new TypeError(`a column of type ${column.type.id} is given to ${form.key}, a ${form.class}`);
}

/** Rows to append to one buffer, which is a separate array. */
export interface RaggedBufferRows {
  /** Name of the buffer, such as `node0-offsets`. */
  readonly name: string;
  readonly type: StoredType;
  /** Shape of one row of the buffer; `[]` unless the array has more dimensions. */
  readonly shape: readonly number[];
  readonly values: StoredValues;
  readonly rows: number;
}

/** 1 for each row below a null, whose value is meaningless; null if there is no such row. */
export type Hidden = Uint8Array | null;

/**
 * Returns an array with 1 for each null; null if no row is null. A union row is null if its row in the child is null.
 */
export function findMissingRows(column: Column): Uint8Array | null {
  if (column.layout === "null") return column.length === 0 ? null : new Uint8Array(column.length).fill(1);
  if (column.layout === "union") {
    const kinds = column.children.map(findMissingRows);
    if (kinds.every((kind) => kind === null)) return null;
    const { typeIds, offsets } = column;
    return someOf(Uint8Array.from({ length: column.length }, (_, i) => kinds[typeIds[i]]?.[offsets[i]] ?? 0));
  }
  if (column.validity === null || column.validity.nullCount === 0) return null;
  const { bitmap } = column.validity;
  return someOf(Uint8Array.from({ length: column.length }, (_, i) => (isBitSet(bitmap, i) ? 0 : 1)));
}

/** Returns the rows that are hidden in `a` or `b`. */
export function mergeHiddenRows(a: Hidden, b: Hidden): Hidden {
  if (a === null || b === null) return a ?? b;
  return a.map((one, i) => one | b[i]);
}

/** Marks the items of hidden rows, in lists of `size` items each. */
export function computeHiddenItems(hidden: Hidden, size: number): Hidden {
  if (hidden === null) return null;
  const out = new Uint8Array(hidden.length * size);
  for (let i = 0; i < hidden.length; i++) if (hidden[i] === 1) out.fill(1, i * size, (i + 1) * size);
  return someOf(out);
}

/** Marks the items of hidden rows within the content of lists, which begins with the first list. */
export function computeHiddenListItems(hidden: Hidden, { offsets, length }: ListColumn): Hidden {
  if (hidden === null) return null;
  const out = new Uint8Array(offsets[length] - offsets[0]);
  for (let i = 0; i < length; i++) {
    if (hidden[i] === 1) out.fill(1, offsets[i] - offsets[0], offsets[i + 1] - offsets[0]);
  }
  return someOf(out);
}

function someOf(rows: Uint8Array): Hidden {
  return rows.includes(1) ? rows : null;
}
