/** Converts codes and categories to Dictionary columns, and back. */

import { computeValidity, isBitSet, type Validity } from "../kernels/values/bitmap.js";
import { InvalidDataError, UnsupportedElementError } from "../model/errors.js";
import { allocate, type FixedValues, getIntType, type IntArray, type IntType } from "../model/stored.js";
import type { Column, DictionaryColumn } from "./column.js";
import { computeValueIdentity, encodeJsonValue } from "./json.js";
import { takeColumn } from "./take.js";
import { type ArrowIndex, INT32 } from "./type.js";

/**
 * Returns the index type for codes of a stored type. 64-bit codes become Int32, because apache-arrow cannot look up a
 * value by a bigint.
 */
export function indexType({ bits, signed }: IntType): ArrowIndex {
  return bits === 64 ? INT32 : { id: "Int", bits, signed };
}

/**
 * Converts codes to dictionary indices; a code below `first` means a missing value.
 * @param first the code of the first category: 0, or 1 if 0 means missing.
 * @throws {InvalidDataError} for a code outside -1 … n - 1 (0 … n), with the position of the first such code.
 */
export function toCategoricalColumn(
  codes: IntArray,
  dictionary: Column,
  ordered: boolean,
  first: 0 | 1 = 0,
): DictionaryColumn {
  const index = indexType(getIntType(codes));
  const wide = codes instanceof BigInt64Array || codes instanceof BigUint64Array;
  // Codes are copied even if they are in range: two columns of a batch must never share a buffer.
  const indices = allocate({ kind: "int", bits: index.bits, signed: index.signed }, codes.length);
  const { validity, wrong } = wide
    ? narrow(codes, dictionary.length, indices, BigInt(first))
    : check(codes, dictionary.length, indices, first);
  if (wrong >= 0) {
    throw new InvalidDataError(
      `code ${codes[wrong]} at ${wrong} lies outside ${first - 1} … ${dictionary.length - 1 + first} (${dictionary.length} categories)`,
    );
  }
  return {
    layout: "dictionary",
    type: { id: "Dictionary", index, value: dictionary.type, ordered },
    length: codes.length,
    validity,
    indices,
    dictionary,
  };
}

interface Checked {
  readonly validity: Validity | null;
  readonly wrong: number;
}

function check(
  codes: Exclude<IntArray, BigInt64Array | BigUint64Array>,
  count: number,
  out: ReturnType<typeof allocate>,
  first: number,
): Checked {
  let nullCount = 0;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] - first;
    if (code >= count || code < -1) return { validity: null, wrong: i };
    if (code < 0) nullCount++;
    else out[i] = code;
  }
  return { validity: nullCount === 0 ? null : computeValidity(codes.length, (i) => codes[i] >= first), wrong: -1 };
}

function narrow(
  codes: BigInt64Array | BigUint64Array,
  count: number,
  out: ReturnType<typeof allocate>,
  first: bigint,
): Checked {
  const top = BigInt(count);
  let nullCount = 0;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] - first;
    if (code >= top || code < -1n) return { validity: null, wrong: i };
    if (code < 0n) nullCount++;
    else out[i] = Number(code);
  }
  return { validity: nullCount === 0 ? null : computeValidity(codes.length, (i) => codes[i] >= first), wrong: -1 };
}

/**
 * Converts a column's indices to codes for the categories that all batches share; -1 is a null.
 * @param categories receives the new entries of the column's dictionary.
 * @throws {InvalidInputError} for an index outside the dictionary, a code that `type` cannot hold, and a null if codes
 * are unsigned.
 */
export function toCategoricalCodes(
  column: DictionaryColumn,
  categories: UnifiedDictionary,
  type: IntType,
): FixedValues {
  const { indices, dictionary, length } = column;
  const codes = categories.codes(dictionary);
  const bitmap = column.validity?.bitmap ?? null;
  const values = allocate(type, length);
  const wide = values instanceof BigInt64Array || values instanceof BigUint64Array;
  const top = type.bits === 64 ? Number.MAX_SAFE_INTEGER : 2 ** (type.signed ? type.bits - 1 : type.bits) - 1;
  for (let i = 0; i < length; i++) {
    let code = -1;
    if (bitmap === null || isBitSet(bitmap, i)) {
      const index = Number(indices[i]);
      if (!(index >= 0 && index < dictionary.length)) {
        throw new UnsupportedElementError(`index ${index} at ${i} lies outside a dictionary of ${dictionary.length}`);
      }
      code = codes === null ? index : codes[index];
    }
    if (code > top || (code < 0 && !type.signed)) {
      const name = `${type.signed ? "int" : "uint"}${type.bits}`;
      throw new UnsupportedElementError(
        code < 0
          ? `row ${i} has no category, for which codes of type ${name} have no form; cast the indices to a signed type`
          : `${categories.length} categories are too many for codes of type ${name}; cast the indices to a wider type`,
      );
    }
    if (wide) values[i] = BigInt(code);
    else values[i] = code;
  }
  return { kind: "fixed", values };
}

/** The categories of a column without duplicates. */
export interface DistinctCategories {
  readonly dictionary: Column;
  /** The index of each stored category in `dictionary`; null if all categories are distinct. */
  readonly places: Int32Array | null;
}

/** Merges repeated categories into their first occurrence. */
export function mergeRepeatedCategories(stored: Column): DistinctCategories {
  const first = new Map<string, number>();
  const places = new Int32Array(stored.length);
  const kept: number[] = [];
  for (let i = 0; i < stored.length; i++) {
    const value = encodeJsonValue(stored, i);
    const place = first.get(value) ?? kept.length;
    if (place === kept.length) {
      first.set(value, place);
      kept.push(i);
    }
    places[i] = place;
  }
  if (kept.length === stored.length) return { dictionary: stored, places: null };
  return { dictionary: takeColumn(stored, Int32Array.from(kept)), places };
}

/** Maps a column of stored codes to distinct categories. */
export function withDistinct(column: DictionaryColumn, { dictionary, places }: DistinctCategories): DictionaryColumn {
  if (places === null) return column;
  const indices = column.indices.slice();
  if (indices instanceof BigInt64Array || indices instanceof BigUint64Array) throw new TypeError("indices of 64 bits");
  for (let i = 0; i < indices.length; i++) indices[i] = places[indices[i]];
  return { ...column, dictionary, indices };
}

/** The code of each dictionary entry; null if each entry's code is its position. */
export type Codes = Int32Array | null;

/** Collects categories in order of first appearance. Null entries are skipped, and repeated entries count once. */
export class UnifiedDictionary {
  readonly #codes = new Map<string, number>();
  readonly #parts: Column[] = [];
  readonly #known = new WeakMap<Column, { readonly codes: Codes }>();
  #length = 0;

  /** All categories, as consecutive columns. */
  get parts(): readonly Column[] {
    return this.#parts;
  }

  /** Number of categories. */
  get length(): number {
    return this.#length;
  }

  /** Returns the codes of the entries of `dictionary`, and adds new entries. */
  codes(dictionary: Column): Codes {
    const known = this.#known.get(dictionary);
    if (known !== undefined) return known.codes;
    const codes = new Int32Array(dictionary.length);
    const added: number[] = [];
    let same = true;
    const bitmap = dictionary.layout === "null" ? null : (dictionary.validity?.bitmap ?? null);
    for (let i = 0; i < dictionary.length; i++) {
      codes[i] = -1;
      if (dictionary.layout !== "null" && (bitmap === null || isBitSet(bitmap, i))) {
        const key = computeValueIdentity(dictionary, i);
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
      // The first dictionary is kept whole, even if it is empty, so that a column without categories has the right
      // type.
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
