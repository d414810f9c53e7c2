/** What the writers of all values share: the context, places of values, and references between them. */

import type {
  ArrayDescription,
  ArrayWriter,
  ContainerWriter,
  GroupWriter,
  WrittenAttributes,
} from "../../containers/tree/container-writer.js";
import { located } from "../../model/errors.js";
import { product } from "../../model/stored.js";
import type { WriterContext } from "../context.js";

/** Form of the file: MATLAB's own, or with the attributes from which hdf5storage restores Python's types. */
export type MatProfile = "MATLAB" | "hdf5storage";

export interface MatlabWriterContext extends WriterContext {
  readonly profile: MatProfile;
  readonly references: References;
}

export const REFERENCES = "#refs#";

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

export class References {
  readonly #container: MatContainer;
  #group: Promise<GroupWriter> | null = null;
  #count = 0;
  #canonicalEmpty: Promise<bigint> | null = null;

  constructor(container: MatContainer) {
    this.#container = container;
  }

  /** A new place there. @param element what errors call the value. */
  async place(element: string): Promise<ValuePlace> {
    this.#group ??= this.#container.root.group(REFERENCES);
    const parent = await this.#group;
    const name = nameOf(this.#count++);
    return { parent, name, element, h5path: `/${REFERENCES}/${name}` };
  }

  /** What refers to the value at a place, once something was begun there. */
  to({ parent, name }: ValuePlace): bigint {
    return this.#container.reference(parent.path === "" ? name : `${parent.path}/${name}`);
  }

  /** What refers to the one `[]` that many elements share; `write` puts it there. */
  canonicalEmpty(write: (place: ValuePlace) => Promise<void>): Promise<bigint> {
    this.#canonicalEmpty ??= this.place("[]").then(async (place) => {
      await write(place);
      return this.to(place);
    });
    return this.#canonicalEmpty;
  }
}

/** a … z, A … Z, aa, ab, … */
function nameOf(index: number): string {
  let name = "";
  for (let rest = index; rest >= 0; rest = Math.floor(rest / LETTERS.length) - 1) {
    name = LETTERS[rest % LETTERS.length] + name;
  }
  return name;
}

/** A container whose values can refer to its elements. */
export interface MatContainer extends ContainerWriter {
  reference(path: string): bigint;
}

export interface ValuePlace {
  readonly parent: GroupWriter;
  readonly name: string;
  /** What errors call the value. */
  readonly element: string;
  /** `H5PATH`: the path of the struct that holds it, of what is referred to its own; null for variables. */
  readonly h5path: string | null;
}

export function variablePlace(root: GroupWriter, name: string): ValuePlace {
  return { parent: root, name, element: name, h5path: null };
}

/** A field of a struct, which is a group. */
export function fieldPlace(group: GroupWriter, name: string, element: string): ValuePlace {
  return { parent: group, name, element: `${element}/${name}`, h5path: `/${group.path}` };
}

export function openArray(place: ValuePlace, description: ArrayDescription): Promise<ArrayWriter> {
  return located({ element: place.element }, () => place.parent.array(place.name, description));
}

export function openGroup(place: ValuePlace, attributes: WrittenAttributes): Promise<GroupWriter> {
  return located({ element: place.element }, () => place.parent.group(place.name, attributes));
}

export class ReferenceList {
  #values = new BigUint64Array(16);
  #count = 0;

  get length(): number {
    return this.#count;
  }

  add(reference: bigint): void {
    if (this.#count === this.#values.length) {
      const grown = new BigUint64Array(2 * this.#count);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.#count++] = reference;
  }

  /** @param size of the cell or struct array; the references are in column-major order. */
  async write(place: ValuePlace, size: readonly number[], attributes: WrittenAttributes): Promise<void> {
    if (product(size) !== this.#count) throw new TypeError(`${this.#count} references for size ${size.join(" x ")}`);
    const values = this.#values.subarray(0, this.#count);
    const [first = 1, ...rest] = [...size].reverse();
    const array = await openArray(place, {
      ...{ type: { kind: "reference" }, attributes, compressed: false },
      shape: size.length === 0 ? [] : [first, ...rest],
    });
    await located({ element: place.element }, async () => {
      await array.write({ kind: "fixed", values }, first);
      await array.close();
    });
  }
}
