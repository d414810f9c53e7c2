/** The memory of a sort: two blocks, between which entries are moved, and the places they are moved to. */

import { PLACE_BYTES } from "./bands.js";
import { EntryBlock, type EntryShape } from "./entry-block.js";

/** Of each entry's two orders in a segment: one shares the memory of the places, the other may be as large. */
const ORDER_BYTES = 4;

export class Workspace {
  readonly shape: EntryShape;
  /** The most entries that the budget allows. */
  readonly capacity: number;
  source: EntryBlock;
  #target: EntryBlock;
  #places: Uint32Array = new Uint32Array(0);

  constructor(shape: EntryShape, budgetBytes: number) {
    this.shape = shape;
    this.capacity = Math.max(1, Math.floor(budgetBytes / (2 * shape.bytes + PLACE_BYTES + ORDER_BYTES)));
    this.source = new EntryBlock(shape, 0);
    this.#target = new EntryBlock(shape, 0);
  }

  /** Makes room for `needed` entries in `source`, of which `count` are kept. */
  reserve(needed: number, count: number): void {
    if (this.source.capacity >= needed) return;
    const doubled = Math.min(this.capacity, Math.max(2 * this.source.capacity, 2 ** 16));
    this.source = this.source.grown(Math.max(needed, doubled), count);
  }

  /** A block for `count` entries; the same every time, so that only one caller at a time has something in it. */
  target(count: number): EntryBlock {
    if (this.#target.capacity < count) this.#target = new EntryBlock(this.shape, count);
    return this.#target;
  }

  /** Memory for a place per entry. */
  places(count: number): Uint32Array {
    if (this.#places.length < count) this.#places = new Uint32Array(count);
    return this.#places.subarray(0, count);
  }
}
