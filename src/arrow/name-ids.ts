/** Assigns numbers to the names in columns, in the order of a dictionary or of first appearance. */

import { findOutOfRangeIndex } from "../kernels/sparse/indices.js";
import { NameTable } from "../kernels/text/name-table.js";
import { isBitSet } from "../kernels/values/bitmap.js";
import { InvalidInputError } from "../model/errors.js";
import type { VariableValues } from "../model/stored.js";
import type { Column, DictionaryColumn } from "./column.js";
import { toVariableValues } from "./text.js";
import { type ArrowType, describeArrowType } from "./type.js";

export interface NameIds {
  /**
   * Returns the number of every name in `column`, reusing the column's memory if possible.
   * @throws {InvalidInputError} for a null, and for an index outside the dictionary.
   */
  ids(column: Column): Uint32Array;
  readonly count: number;
  /** The names so far, ordered by number, in parts. */
  names(): readonly VariableValues[];
}

/**
 * Numbers the names in columns of `type`, which is text or a dictionary of text. The entries of the first dictionary
 * keep their order, including unused and repeated ones. New names from later dictionaries follow them.
 * @throws {InvalidInputError} for other types.
 */
export function nameIds(type: ArrowType): NameIds {
  if (type.id === "Utf8") return new TextNames();
  if (type.id === "Dictionary" && type.value.id === "Utf8") return new DictionaryNames();
  throw new InvalidInputError(`is ${describeArrowType(type)}, names are text`);
}

class TextNames implements NameIds {
  readonly #table = new NameTable();

  get count(): number {
    return this.#table.count;
  }

  ids(column: Column): Uint32Array {
    if (column.layout !== "variable") throw new TypeError("a column of text is expected");
    checkNoNulls(column);
    const { offsets, bytes, length } = column;
    const ids = new Uint32Array(length);
    // Neighbouring names are often equal.
    let last = -1;
    for (let i = 0; i < length; i++) {
      const [from, to] = [offsets[i], offsets[i + 1]];
      if (last < 0 || !this.#table.is(last, bytes, from, to)) last = this.#table.numberOf(bytes, from, to);
      ids[i] = last;
    }
    return ids;
  }

  names(): readonly VariableValues[] {
    return [this.#table.values()];
  }
}

/** Number of a null entry. */
const NONE = 2 ** 32 - 1;

class DictionaryNames implements NameIds {
  readonly #parts: VariableValues[] = [];
  /** The numbers of each dictionary's entries; null if each entry's number is its position. */
  readonly #known = new WeakMap<Column, Uint32Array | null>();
  /** The numbers of the names so far, indexed by the number of each text. Created when a second dictionary arrives. */
  #texts: { readonly seen: NameTable; readonly numbers: number[] } | null = null;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  ids(column: Column): Uint32Array {
    if (column.layout !== "dictionary") throw new TypeError("a column with a dictionary is expected");
    checkNoNulls(column);
    const indices = indicesOf(column);
    const { length } = column.dictionary;
    const wrong = findOutOfRangeIndex(indices, length);
    if (wrong >= 0) {
      throw new InvalidInputError(`has the index ${column.indices[wrong]} at ${wrong}, its dictionary ${length} names`);
    }
    const numbers = this.#numbers(column.dictionary);
    if (numbers === null) return indices;
    const ids = new Uint32Array(indices.length);
    for (let i = 0; i < ids.length; i++) {
      ids[i] = numbers[indices[i]];
      if (ids[i] === NONE) throw new InvalidInputError(`has a name at ${i} that is null in its dictionary`);
    }
    return ids;
  }

  names(): readonly VariableValues[] {
    return this.#parts;
  }

  #numbers(dictionary: Column): Uint32Array | null {
    const known = this.#known.get(dictionary);
    if (known !== undefined) return known;
    if (dictionary.layout !== "variable") throw new TypeError("a dictionary of text is expected");
    const hasNulls = dictionary.validity !== null && dictionary.validity.nullCount > 0;
    const numbers = this.#parts.length === 0 && !hasNulls ? this.#first(dictionary) : this.#next(dictionary);
    this.#known.set(dictionary, numbers);
    return numbers;
  }

  #first(dictionary: Extract<Column, { layout: "variable" }>): null {
    this.#parts.push(toVariableValues(dictionary));
    this.#count = dictionary.length;
    return null;
  }

  #next(dictionary: Extract<Column, { layout: "variable" }>): Uint32Array {
    this.#texts ??= this.#indexed();
    const { seen, numbers } = this.#texts;
    const { validity, length } = dictionary;
    const { offsets, bytes } = toVariableValues(dictionary);
    const own = new Uint32Array(length).fill(NONE);
    const added = new NameTable();
    for (let i = 0; i < length; i++) {
      if (validity !== null && !isBitSet(validity.bitmap, i)) continue;
      const [from, to] = [offsets[i], offsets[i + 1]];
      const place = seen.numberOf(bytes, from, to);
      if (place === numbers.length) {
        numbers.push(this.#count++);
        added.numberOf(bytes, from, to);
      }
      own[i] = numbers[place];
    }
    this.#parts.push(added.values());
    return own;
  }

  #indexed() {
    const seen = new NameTable();
    const numbers: number[] = [];
    let number = 0;
    for (const { offsets, bytes } of this.#parts) {
      for (let i = 0; i < offsets.length - 1; i++, number++) {
        const place = seen.numberOf(bytes, offsets[i], offsets[i + 1]);
        if (place === numbers.length) numbers.push(number);
      }
    }
    return { seen, numbers };
  }
}

/** Returns indices as unsigned numbers. A negative index becomes a number larger than any dictionary. */
function indicesOf({ indices, length }: DictionaryColumn): Uint32Array {
  const values = indices.subarray(0, length);
  if (values instanceof Uint32Array) return values;
  if (values instanceof Int32Array) return new Uint32Array(values.buffer, values.byteOffset, values.length);
  const wide = new Uint32Array(length);
  for (let i = 0; i < length; i++) wide[i] = Number(values[i]);
  return wide;
}

/**
 * Checks that no value is null.
 * @throws {InvalidInputError} if a value is null.
 */
export function checkNoNulls({ validity, length }: Column): void {
  if (validity === null || validity.nullCount === 0) return;
  throw new InvalidInputError(`has ${validity.nullCount} nulls in ${length} rows`);
}
