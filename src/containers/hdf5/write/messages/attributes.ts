/** The attributes of an object that is being written. */

import { InvalidInputError, UnsupportedError } from "../../../../model/errors.js";
import type { WrittenAttribute } from "../../../tree/container-writer.js";
import type { GlobalHeapWriter } from "../space/global-heap.js";
import { type EncodedAttribute, encodeAttribute } from "./attribute-message.js";

/** In the order in which they came. */
export class Attributes {
  readonly #heap: GlobalHeapWriter;
  readonly #encoded = new Map<string, EncodedAttribute>();

  constructor(heap: GlobalHeapWriter, attributes: ReadonlyMap<string, WrittenAttribute> = new Map()) {
    this.#heap = heap;
    for (const [name, attribute] of attributes) this.add(name, attribute);
  }

  /** @throws {InvalidInputError} where there is one of that name. Else as `encodeAttribute`. */
  add(name: string, attribute: WrittenAttribute): void {
    if (this.#encoded.has(name)) throw new InvalidInputError(`attribute ${JSON.stringify(name)} is there already`);
    this.#encoded.set(
      name,
      located(name, () => encodeAttribute(name, attribute, this.#heap)),
    );
  }

  get encoded(): readonly EncodedAttribute[] {
    return [...this.#encoded.values()];
  }
}

/** Says in the error which attribute it is. */
function located<T>(name: string, action: () => T): T {
  const what = `attribute ${JSON.stringify(name)}`;
  try {
    return action();
  } catch (error) {
    if (error instanceof InvalidInputError) throw new InvalidInputError(`${what}: ${error.problem}`);
    if (error instanceof UnsupportedError) throw new UnsupportedError(`${what}: ${error.problem}`);
    if (error instanceof TypeError) throw new TypeError(`${what}: ${error.message}`);
    throw error;
  }
}
