/**
 * Collects elements that the target of a conversion cannot store, and reports them: as one error that names them all,
 * or as one warning per element.
 */

import { InvalidInputError } from "../../../model/errors.js";

/** Maximum number of elements named in a message. */
const NAMED = 6;

/** Default name of the option that selects elements, for messages. */
export const CHOOSER = "--table";

export class UnsupportedElements {
  readonly #target: string;
  readonly #chooser: string;
  readonly #lost = new Map<string, string>();
  readonly #notes: string[] = [];

  /**
   * @param target name of the written format in messages.
   * @param chooser the command or option that selects elements, for messages.
   */
  constructor(target: string, chooser = CHOOSER) {
    this.#target = target;
    this.#chooser = chooser;
  }

  /** Adds an element that is not written. With `part`, only this part of the element is omitted. */
  add(element: string, part = ""): void {
    this.#lost.set(element, part);
  }

  /** Adds an element of the view that is not written. All elements below `uns` count as one. */
  omit(name: string): void {
    this.add(name.startsWith("uns/") ? "uns" : name);
  }

  /** Adds a warning about an element that is written in an unexpected form, whether losses are allowed or not. */
  note(element: string, text: string): void {
    this.#notes.push(`${element}: ${text}`);
  }

  /**
   * Reports the lost elements.
   * @param lossy whether the caller allows losses.
   * @param origin returns the name in the source for an element of the view.
   * @returns one warning for each element.
   * @throws {InvalidInputError} if losses are not allowed; the message names all lost elements.
   */
  settle(lossy: boolean, origin: (name: string) => string = (name) => name): readonly string[] {
    const all = [...this.#lost].map(([element, part]) => [origin(element), part] as const);
    const [first, ...others] = all;
    if (first === undefined) return this.#notes;
    const noPlace = (part: string) => `${this.#target} has no place for ${part === "" ? "it" : part}`;
    if (lossy) return [...this.#notes, ...all.map(([element, part]) => `left out: ${element}: ${noPlace(part)}`)];
    const rest = others.length === 0 ? "" : `, nor for ${formatNameList(others.map(([name]) => name))}`;
    const [element, part] = first;
    throw new InvalidInputError(
      `${noPlace(part)}${rest}; choose what is written (${this.#chooser}), or allow losses (--lossy)`,
      { element },
    );
  }
}

/** Lists names for a message: the first names and the number of the remaining ones. */
export function formatNameList(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const more = names.length > NAMED ? `, and ${names.length - NAMED} more` : "";
  return `${names.slice(0, NAMED).join(", ")}${more}`;
}
