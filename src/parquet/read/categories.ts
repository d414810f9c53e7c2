/**
 * The one dictionary of a column for all row groups. A Parquet file has a dictionary for each, perhaps without the
 * values that it does not use, in the order of their first use.
 */

import { type Data, Vector } from "apache-arrow";
import { emptyData } from "../../arrow/apache/empty-data.js";
import { InvalidDataError } from "../../model/errors.js";
import { type Key, valueKeys } from "./value-keys.js";

export class Categories {
  readonly values: Vector;
  #codes: Map<Key, number> | undefined;
  /** Of dictionaries seen before, the codes of their values; null where these are the same. */
  readonly #known = new WeakMap<Vector, Int32Array | null>();

  /** @param parts at least one, in their order. */
  constructor(parts: readonly Data[]) {
    this.values = new Vector([...parts]);
  }

  /** The codes that the values of `dictionary` have here, -1 for null; null where they are the same. */
  codesOf(dictionary: Vector, column: string): Int32Array | null {
    const known = this.#known.get(dictionary);
    if (known !== undefined) return known;
    const codes = this.#isSame(dictionary) ? null : this.#lookUp(dictionary.data, column);
    this.#known.set(dictionary, codes);
    return codes;
  }

  /** The codes of the values of a plain column, -1 for null. */
  codesOfValues(data: Data, column: string): Int32Array {
    return this.#lookUp([data], column);
  }

  #lookUp(parts: readonly Data[], column: string): Int32Array {
    this.#codes ??= codeMap(this.values.data);
    const codes = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      const key = valueKeys(part);
      for (let i = 0; i < part.length; i++) {
        const code = part.getValid(i) ? this.#codes.get(key(i)) : -1;
        if (code === undefined) {
          throw new InvalidDataError(`${column} has a value that is none of its ${this.values.length} categories`);
        }
        codes[at++] = code;
      }
    }
    return codes;
  }

  #isSame({ data, length }: Vector): boolean {
    const [mine, other] = [this.values.data, data];
    if (length !== this.values.length || mine.length !== 1 || other.length !== 1) return false;
    if (mine[0].nullCount > 0 || other[0].nullCount > 0) return false;
    const [a, b] = [valueKeys(mine[0]), valueKeys(other[0])];
    for (let i = 0; i < length; i++) if (a(i) !== b(i)) return false;
    return true;
  }
}

/** Where a value stands twice, the first counts. */
function codeMap(parts: readonly Data[]): Map<Key, number> {
  const codes = new Map<Key, number>();
  let at = 0;
  for (const part of parts) {
    const key = valueKeys(part);
    for (let i = 0; i < part.length; i++, at++) {
      if (!part.getValid(i)) continue;
      const value = key(i);
      if (!codes.has(value)) codes.set(value, at);
    }
  }
  return codes;
}

/** The values of several dictionaries, each once, in the order in which they come. */
export class CollectedValues {
  readonly #seen = new Set<Key>();
  readonly #parts: Data[] = [];

  /** Adds what is new among `values`, which may be a dictionary's, or a plain column's. */
  add(values: Data): void {
    const key = valueKeys(values);
    const fresh: number[] = [];
    for (let i = 0; i < values.length; i++) {
      if (!values.getValid(i)) continue;
      const value = key(i);
      if (this.#seen.has(value)) continue;
      this.#seen.add(value);
      fresh.push(i);
    }
    // Runs of rows, without a copy: nearly always a dictionary is all new, or not at all.
    for (let from = 0; from < fresh.length; ) {
      let to = from + 1;
      while (to < fresh.length && fresh[to] === fresh[to - 1] + 1) to++;
      this.#parts.push(values.slice(fresh[from], to - from));
      from = to;
    }
  }

  categories(type: Data["type"]): Categories {
    return new Categories(this.#parts.length > 0 ? this.#parts : [emptyData(type)]);
  }
}
