/** What the target of a conversion cannot hold: one error that names all of it, or a warning for each. */

import { InvalidInputError } from "../../model/errors.js";

/** So many elements are named in one message. */
const NAMED = 6;

export class Losses {
  readonly #target: string;
  readonly #lost = new Map<string, string>();
  readonly #notes: string[] = [];

  /** @param target what messages call the format that is written. */
  constructor(target: string) {
    this.#target = target;
  }

  /** Notes an element that is not written, or of which `part` is not. */
  add(element: string, part = ""): void {
    this.#lost.set(element, part);
  }

  /** Notes what is written, but not as one might think: a warning in any case. */
  note(element: string, text: string): void {
    this.#notes.push(`${element}: ${text}`);
  }

  /**
   * @param lossy whether the caller allows it.
   * @param origin what the source calls an element of the view.
   * @returns one warning for each element.
   * @throws {InvalidInputError} where it is not allowed.
   */
  settle(lossy: boolean, origin: (name: string) => string = (name) => name): readonly string[] {
    const all = [...this.#lost].map(([element, part]) => [origin(element), part] as const);
    const [first, ...others] = all;
    if (first === undefined) return this.#notes;
    const noPlace = (part: string) => `${this.#target} has no place for ${part === "" ? "it" : part}`;
    if (lossy) return [...this.#notes, ...all.map(([element, part]) => `left out: ${element}: ${noPlace(part)}`)];
    const rest = others.length === 0 ? "" : `, nor for ${shown(others.map(([name]) => name))}`;
    const [element, part] = first;
    throw new InvalidInputError(
      `${noPlace(part)}${rest}; choose what is written (--table), or allow losses (--lossy)`,
      { element },
    );
  }
}

/** Notes an element that is not written; what lies below `uns` is one. */
export function lose(losses: Losses, name: string): void {
  losses.add(name.startsWith("uns/") ? "uns" : name);
}

/** Names for a message. */
export function shown(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const more = names.length > NAMED ? `, and ${names.length - NAMED} more` : "";
  return `${names.slice(0, NAMED).join(", ")}${more}`;
}
