/** The context of reading a MATLAB file: limits, the store of objects, and the scope of a value. */

import { UnsupportedError } from "../../../model/errors.js";
import type { ReaderContext } from "../../reader.js";
import type { Value } from "./value.js";

export interface MatlabContext extends ReaderContext {
  readonly limits: Limits;
  /** `#subsystem#/MCOS`; null if the file has none, or it cannot be read. */
  readonly store: ObjectStore | null;
}

/** The classes and objects of a file, by the numbers that its values refer to them with. */
export interface ObjectStore {
  /** The names of classes, properties and members of enumerations; a reference counts from 1. */
  readonly names: readonly string[];
  /**
   * The name of a class by its number.
   * @throws {InvalidDataError} for a number without a class.
   */
  className(id: number): string;
  /**
   * The properties of an object; a property that it does not store has the default of its class. A deleted handle has
   * none.
   * @param ancestors the objects that are being read. A handle may refer to one of these objects again; there it has no
   * properties.
   * @throws {InvalidDataError} for a number without an object.
   */
  properties(id: number, ancestors: readonly string[], cx: MatlabContext): Promise<ReadonlyMap<string, Value>>;
}

/** The nodes around a value. */
export interface ValueScope {
  /** The ids of the nodes that hold the value, outermost first. */
  readonly ancestors: readonly string[];
  /** Whether the value belongs to an object; objects inside objects have no mark of their own. */
  readonly inObject: boolean;
}

export const TOP_SCOPE: ValueScope = { ancestors: [], inObject: false };

/** Deepest nesting of values; real structs are less deep. */
const MAX_DEPTH = 100;

/**
 * Most values that are visited again. Several references may lead to one cell: thirty cells with two references each
 * have 2^30 paths.
 */
const MAX_REPEATED = 10_000;

/** The most characters in memory, for values that need not be read again. */
const HELD_CHARACTERS = 2 ** 25;

/** Limits the work on a file, in which any value may refer to any other. */
export class Limits {
  readonly #seen = new Set<string>();
  #repeated = 0;
  #characters = 0;

  /**
   * Counts a visit of a value.
   * @param id id of a value that holds other values; null for a value that holds none.
   * @throws {UnsupportedError} for a value that is too deep, and for too many repeated visits.
   */
  enter(id: string | null, { ancestors }: ValueScope): void {
    if (ancestors.length > MAX_DEPTH) throw new UnsupportedError(`nested more than ${MAX_DEPTH} deep`);
    if (id === null) return;
    if (this.#seen.has(id) && ++this.#repeated > MAX_REPEATED) {
      throw new UnsupportedError(`references lead to the same objects more than ${MAX_REPEATED} times`);
    }
    this.#seen.add(id);
  }

  /** Whether so many more characters may stay in memory; counts them if so. */
  hold(characters: number): boolean {
    if (this.#characters + characters > HELD_CHARACTERS) return false;
    this.#characters += characters;
    return true;
  }
}
