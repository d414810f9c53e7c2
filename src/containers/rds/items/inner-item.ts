/** Requests for values within a value, which are read by a loop, since values nest deeper than a stack. */

import type { Want } from "../input/item-input.js";
import type { RValue } from "../model/value.js";

/** A request for the next value, which is within the one that is read. */
export class InnerItem {
  /** The number of values around it. */
  readonly depth: number;
  /** The name under which an object has the value; null for other values. */
  readonly slot: string | null;
  /** The flags of the value, where they were read already. */
  readonly flags: number | null;

  constructor(depth: number, slot: string | null = null, flags: number | null = null) {
    this.depth = depth;
    this.slot = slot;
    this.flags = flags;
  }
}

/** The reading of a value, which asks for bytes and for values within. */
export type ItemReading<T> = Generator<Want | InnerItem, T, RValue>;
