/** Requests for nested values. They are read in a loop, because values can nest deeper than the call stack allows. */

import type { Want } from "../input/item-input.js";
import type { RValue } from "../model/value.js";

/** A request for the next value, which is nested in the current one. */
export class InnerItem {
  /** Nesting depth of the value. */
  readonly depth: number;
  /** The name of the object's slot that contains the value; null for other values. */
  readonly slot: string | null;
  /** The flags of the value, if they were already read. */
  readonly flags: number | null;

  constructor(depth: number, slot: string | null = null, flags: number | null = null) {
    this.depth = depth;
    this.slot = slot;
    this.flags = flags;
  }
}

/** Reads a value, and yields requests for bytes and nested values. */
export type ItemReading<T> = Generator<Want | InnerItem, T, RValue>;
