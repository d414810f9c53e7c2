/** The context of reading a MATLAB file: limits, the object store, and the scope of a value. */

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
   * Returns the name of a class by its number.
   * @throws {InvalidDataError} for a number without a class.
   */
  className(id: number): string;
  /**
   * Returns the properties of an object; a property that it does not store has the default of its class. A deleted
   * handle has no properties.
   * @param ancestors the objects that are being read. A handle may refer to one of these objects again; such a
   * reference gets no properties.
   * @throws {InvalidDataError} for a number without an object.
   */
  properties(id: number, ancestors: readonly string[], cx: MatlabContext): Promise<ReadonlyMap<string, Value>>;
}

export interface ValueScope {
  /** The ids of the nodes that hold the value, outermost first. */
  readonly ancestors: readonly string[];
  /** Whether the value is part of an object. Objects inside objects are not marked as objects. */
  readonly inObject: boolean;
}

export const TOP_SCOPE: ValueScope = { ancestors: [], inObject: false };

/** Deepest nesting of values; real structs are less deep. */
const MAX_DEPTH = 100;

/**
 * Maximum number of repeated visits. Several references may lead to one cell: thirty cells with two references each
 * have 2^30 paths.
 */
const MAX_REPEATED = 10_000;

/** Maximum characters that are held in memory, for values that need not be read again. */
const HELD_CHARACTERS = 2 ** 25;

/** Limits the work on a file, whose values may refer to any other value. */
export class Limits {
  readonly #seen = new Set<string>();
  #repeated = 0;
  #characters = 0;

  /**
   * Counts a visit of a value.
   * @param id id of a value that contains other values; null for other values.
   * @throws {UnsupportedError} for a value that is nested too deep, and for too many repeated visits.
   */
  enter(id: string | null, { ancestors }: ValueScope): void {
    if (ancestors.length > MAX_DEPTH) throw new UnsupportedError(`nested more than ${MAX_DEPTH} deep`);
    if (id === null) return;
    if (this.#seen.has(id) && ++this.#repeated > MAX_REPEATED) {
      throw new UnsupportedError(`references lead to the same objects more than ${MAX_REPEATED} times`);
    }
    this.#seen.add(id);
  }

  /** Reserves memory for `characters` more characters. Returns false if they exceed the limit. */
  hold(characters: number): boolean {
    if (this.#characters + characters > HELD_CHARACTERS) return false;
    this.#characters += characters;
    return true;
  }
}
