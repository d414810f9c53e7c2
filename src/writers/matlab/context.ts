/** Code shared by the writers of all values: the context, the locations of values, and references between values. */

import type {
  ArrayDescription,
  ArrayWriter,
  ContainerWriter,
  GroupWriter,
  WrittenAttributes,
} from "../../containers/tree/container-writer.js";
import { runWithLocation } from "../../model/errors.js";
import { countElements } from "../../model/stored.js";
import type { WriterContext } from "../context.js";

/** Form of the file: MATLAB's own, or one with the attributes from which hdf5storage restores Python types. */
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

  /** Makes a new name in the group of referenced values. */
  async next(): Promise<Pick<ValueDestination, "parent" | "name">> {
    this.#group ??= this.#container.root.group(REFERENCES);
    const parent = await this.#group;
    return { parent, name: nameOf(this.#count++) };
  }

  /** Returns the reference to a value whose dataset or group has already been created. */
  to({ parent, name }: ValueDestination): bigint {
    return this.#container.reference(parent.path === "" ? name : `${parent.path}/${name}`);
  }

  /** Returns the reference to the `[]` that many elements share. The first call uses `write` to write it. */
  canonicalEmpty(cx: MatlabWriterContext, write: (place: ValueDestination) => Promise<void>): Promise<bigint> {
    this.#canonicalEmpty ??= createReferencedDestination(cx, "[]").then(async (place) => {
      await write(place);
      return this.to(place);
    });
    return this.#canonicalEmpty;
  }
}

/** Names of referenced values, in MATLAB's order: a … z, A … Z, aa, ab, … */
function nameOf(index: number): string {
  let name = "";
  for (let rest = index; rest >= 0; rest = Math.floor(rest / LETTERS.length) - 1) {
    name = LETTERS[rest % LETTERS.length] + name;
  }
  return name;
}

/** A container whose values can refer to its own elements. */
export interface MatContainer extends ContainerWriter {
  reference(path: string): bigint;
}

export interface ValueDestination {
  readonly cx: MatlabWriterContext;
  readonly parent: GroupWriter;
  readonly name: string;
  /** Name of the value in errors. */
  readonly element: string;
  /**
   * Attribute `H5PATH`: the path of the struct that contains the value, or a referenced value's own path; null for
   * variables.
   */
  readonly h5path: string | null;
}

export function createVariableDestination(cx: MatlabWriterContext, root: GroupWriter, name: string): ValueDestination {
  return { cx, parent: root, name, element: name, h5path: null };
}

/** Returns a new location for a referenced value. @param element the value's name in error messages. */
export async function createReferencedDestination(cx: MatlabWriterContext, element: string): Promise<ValueDestination> {
  const { parent, name } = await cx.references.next();
  return { cx, parent, name, element, h5path: `/${REFERENCES}/${name}` };
}

/** A group that has been created for a struct. Its members are the struct's fields. */
export class ValueGroup {
  readonly place: ValueDestination;
  readonly group: GroupWriter;

  constructor(place: ValueDestination, group: GroupWriter) {
    this.place = place;
    this.group = group;
  }

  field(name: string): ValueDestination {
    const { place, group } = this;
    return { cx: place.cx, parent: group, name, element: `${place.element}/${name}`, h5path: `/${group.path}` };
  }

  addAttributes(attributes: WrittenAttributes): void {
    for (const [name, attribute] of attributes) this.group.attribute(name, attribute);
  }
}

export function openArray(place: ValueDestination, description: ArrayDescription): Promise<ArrayWriter> {
  return runWithLocation({ element: place.element }, () => place.parent.array(place.name, description));
}

export async function openGroup(place: ValueDestination, attributes: WrittenAttributes): Promise<ValueGroup> {
  const group = await runWithLocation({ element: place.element }, () => place.parent.group(place.name, attributes));
  return new ValueGroup(place, group);
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

  /** Writes the references in column-major order. @param size the size of the cell or struct array. */
  async write(place: ValueDestination, size: readonly number[], attributes: WrittenAttributes): Promise<void> {
    if (countElements(size) !== this.#count)
      throw new TypeError(`${this.#count} references for size ${size.join(" x ")}`);
    const values = this.#values.subarray(0, this.#count);
    const [first = 1, ...rest] = [...size].reverse();
    const array = await openArray(place, {
      ...{ type: { kind: "reference" }, attributes, compressed: false },
      shape: size.length === 0 ? [] : [first, ...rest],
    });
    await runWithLocation({ element: place.element }, async () => {
      await array.write({ kind: "fixed", values }, first);
      await array.close();
    });
  }
}
