/** What the reading of every element of a MATLAB file needs to know. */

import { UnsupportedError } from "../../../model/errors.js";
import type { ReaderContext } from "../../reader.js";
import type { Value } from "./value.js";

export interface MatlabContext extends ReaderContext {
  readonly limits: Limits;
  /** `#subsystem#/MCOS`; null where the file has none, or it cannot be read. */
  readonly store: ObjectStore | null;
}

/** The classes and objects of a file, by the numbers that its values refer to them with. */
export interface ObjectStore {
  /** The names of classes, properties and members of enumerations; a reference counts from 1. */
  readonly names: readonly string[];
  /** @throws {InvalidDataError} for a number without a class. */
  className(id: number): string;
  /**
   * The properties of an object; a property that it does not store has the default of its class. A deleted handle has
   * none.
   * @param ancestors the objects that are being read: a handle may refer to one of them again, and has no properties then.
   * @throws {InvalidDataError} for a number without an object.
   */
  properties(id: number, ancestors: readonly string[], cx: MatlabContext): Promise<ReadonlyMap<string, Value>>;
}

/** Where a value stands: what it lies in. */
export interface ValueScope {
  /** The ids of the nodes that hold it, outermost first. */
  readonly ancestors: readonly string[];
  /** Whether it belongs to an object: objects in it are not marked as such. */
  readonly inObject: boolean;
}

export const TOP_SCOPE: ValueScope = { ancestors: [], inObject: false };

/** Deeper than any real struct. */
const MAX_DEPTH = 100;

/** References can lead to a cell by several ways, and thirty cells make 2^30 ways to the last. */
const MAX_REPEATED = 10_000;

/** Characters that are held, so that they need not be read again. */
const HELD_CHARACTERS = 2 ** 25;

/** How much is read of a file in which everything may refer to everything. */
export class Limits {
  readonly #seen = new Set<string>();
  #repeated = 0;
  #characters = 0;

  /**
   * @param id of what holds other values; null for what holds none.
   * @throws {UnsupportedError} where it is too deep, or such things were visited too often.
   */
  enter(id: string | null, { ancestors }: ValueScope): void {
    if (ancestors.length > MAX_DEPTH) throw new UnsupportedError(`nested more than ${MAX_DEPTH} deep`);
    if (id === null) return;
    if (this.#seen.has(id) && ++this.#repeated > MAX_REPEATED) {
      throw new UnsupportedError(`references lead to the same objects more than ${MAX_REPEATED} times`);
    }
    this.#seen.add(id);
  }

  /** Whether so many characters may be held. */
  hold(characters: number): boolean {
    if (this.#characters + characters > HELD_CHARACTERS) return false;
    this.#characters += characters;
    return true;
  }
}
