/** Joins groups of fragments into batches, in the order in which they are found. */

import type { Column } from "../../arrow/column.js";
import { CELL, CHR, createUint32Column, nameColumn } from "../../arrow/fragments.js";
import type { Batch } from "../rows/task.js";

/** Values of one field in separate memory: signed for name codes, unsigned for positions. */
export type FieldValues = Int32Array | Uint32Array;

/** The values of some fragments: one array per selected field, in field order. */
export interface FragmentGroup {
  readonly length: number;
  readonly values: readonly FieldValues[];
}

export interface Names {
  readonly chr: Column;
  readonly cell: Column;
}

/** Collects groups of at most `most` fragments each, and joins them into batches of at most `most` fragments. */
export class FragmentCollector {
  readonly #fields: readonly number[];
  readonly #names: Names;
  readonly #most: number;
  #held: FragmentGroup[] = [];
  #length = 0;
  #some = false;

  constructor(fields: readonly number[], names: Names, most: number) {
    this.#fields = fields;
    this.#names = names;
    this.#most = most;
  }

  /** Adds a group of fragments. If the pending batch has no room for the group, yields that batch first. */
  *add(piece: FragmentGroup): Generator<Batch> {
    if (piece.length === 0) return;
    if (this.#length + piece.length > this.#most) yield this.#batch();
    this.#held.push(piece);
    this.#length += piece.length;
  }

  /** Yields the last batch, which is empty if there were no fragments. */
  *rest(): Generator<Batch> {
    if (this.#length > 0 || !this.#some) yield this.#batch();
  }

  #batch(): Batch {
    const held = this.#held;
    const length = this.#length;
    this.#held = [];
    this.#length = 0;
    this.#some = true;
    return { length, columns: this.#fields.map((field, i) => this.#column(field, joined(held, i, field, length))) };
  }

  #column(field: number, values: FieldValues): Column {
    if (values instanceof Uint32Array) return createUint32Column(values);
    return nameColumn(values, field === CHR ? this.#names.chr : this.#names.cell);
  }
}

function joined(pieces: readonly FragmentGroup[], at: number, field: number, length: number): FieldValues {
  if (pieces.length === 1) return pieces[0].values[at];
  const all = field === CHR || field === CELL ? new Int32Array(length) : new Uint32Array(length);
  let to = 0;
  for (const piece of pieces) {
    all.set(piece.values[at], to);
    to += piece.length;
  }
  return all;
}

export function pickFieldValues(values: FieldValues, at: Uint32Array): FieldValues {
  const out = values instanceof Int32Array ? new Int32Array(at.length) : new Uint32Array(at.length);
  for (let i = 0; i < at.length; i++) out[i] = values[at[i]];
  return out;
}

/** Replaces cells by their new indices, in place. */
export function renumberCells(cells: FieldValues, ids: Int32Array | null): FieldValues {
  if (ids !== null) for (let i = 0; i < cells.length; i++) cells[i] = ids[cells[i]];
  return cells;
}
