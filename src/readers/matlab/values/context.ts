/** The context in which a MATLAB file is read: limits, the object store, and the scope of a value. */

import { UnsupportedError } from "../../../model/errors.js";
import type { ReaderContext } from "../../reader.js";
import type { Value } from "./value.js";

export interface MatlabContext extends ReaderContext {
  readonly limits: Limits;
  /** `#subsystem#/MCOS`; null if the file does not contain it, or if it cannot be read. */
  readonly store: ObjectStore | null;
}

/** The classes and objects in a file, under the numbers that values use to refer to them. */
export interface ObjectStore {
  /** The names of classes, properties and enumeration members. References to them count from 1. */
  readonly names: readonly string[];
  /**
   * Returns the name of the class with this number.
   * @throws {InvalidDataError} if no class has this number.
   */
  className(id: number): string;
  /**
   * Returns the properties of an object. A property that the object does not store has its class's default value. A
   * deleted handle has no properties.
   * @param ancestors the objects that are being read. A handle may refer back to one of these objects; such a reference
   * gets no properties.
   * @throws {InvalidDataError} if no object has this number.
   */
  properties(id: number, ancestors: readonly string[], cx: MatlabContext): Promise<ReadonlyMap<string, Value>>;
}

export interface ValueScope {
  /** The ids of the nodes that contain the value, outermost first. */
  readonly ancestors: readonly string[];
  /** Whether the value is part of an object. Objects inside other objects are not marked as objects. */
  readonly inObject: boolean;
}

export const TOP_SCOPE: ValueScope = { ancestors: [], inObject: false };

/** Maximum nesting depth of values. Real structs are less deep. */
const MAX_DEPTH = 100;

/**
 * Maximum number of repeated visits. Several references may lead to the same cell: if thirty cells have two references
 * each, there are 2^30 paths.
 */
const MAX_REPEATED = 10_000;

/** Maximum number of characters held in memory. Values that are held need not be read again. */
const HELD_CHARACTERS = 2 ** 25;

/** Limits the work that is done for a file, because its values can refer to any other value. */
export class Limits {
  readonly #seen = new Set<string>();
  #repeated = 0;
  #characters = 0;

  /**
   * Counts a visit of a value.
   * @param id id of a value that contains other values; null if it contains none.
   * @throws {UnsupportedError} if a value is nested too deeply, and if there are too many repeated visits.
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
