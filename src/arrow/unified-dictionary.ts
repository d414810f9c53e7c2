/** The categories of a column whose batches may each bring their own dictionary. */

import { bitAt } from "../kernels/values/bitmap.js";
import type { Column } from "./column.js";
import { identityOf } from "./json.js";
import { takeColumn } from "./take.js";

/** Code of every entry of a dictionary; null where each entry's code is its place. */
export type Codes = Int32Array | null;

/** Categories in the order in which they are first seen. An entry that is null is none; one that stands twice is one. */
export class UnifiedDictionary {
  readonly #codes = new Map<string, number>();
  readonly #parts: Column[] = [];
  readonly #known = new WeakMap<Column, { readonly codes: Codes }>();
  #length = 0;

  /** All categories, as columns that follow each other. */
  get parts(): readonly Column[] {
    return this.#parts;
  }

  /** Number of categories. */
  get length(): number {
    return this.#length;
  }

  /** The codes of the entries of `dictionary`; what is new in it is added. */
  codes(dictionary: Column): Codes {
    const known = this.#known.get(dictionary);
    if (known !== undefined) return known.codes;
    const codes = new Int32Array(dictionary.length);
    const added: number[] = [];
    let same = true;
    const bitmap = dictionary.layout === "null" ? null : (dictionary.validity?.bitmap ?? null);
    for (let i = 0; i < dictionary.length; i++) {
      codes[i] = -1;
      if (dictionary.layout !== "null" && (bitmap === null || bitAt(bitmap, i))) {
        const key = identityOf(dictionary, i);
        let code = this.#codes.get(key);
        if (code === undefined) {
          code = this.#length++;
          this.#codes.set(key, code);
          added.push(i);
        }
        codes[i] = code;
      }
      same &&= codes[i] === i;
    }
    if (added.length === dictionary.length || this.#parts.length === 0) {
      // The first stays as it is, however long it is, so that a column without categories has their type.
      const whole = added.length === dictionary.length;
      this.#parts.push(whole ? dictionary : takeColumn(dictionary, Int32Array.from(added)));
    } else if (added.length > 0) {
      this.#parts.push(takeColumn(dictionary, Int32Array.from(added)));
    }
    const entry = { codes: same ? null : codes };
    this.#known.set(dictionary, entry);
    return entry.codes;
  }
}
