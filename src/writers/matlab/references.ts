/** `#refs#`: what the elements of cells and struct arrays refer to. */

import type { ContainerWriter, GroupWriter } from "../../containers/tree/container-writer.js";
import type { ValuePlace } from "./place.js";

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
