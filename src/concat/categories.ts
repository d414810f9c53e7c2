/** Unites the categories of a column across all datasets, in anndata's order. */

import { type Column, type DictionaryColumn, emptyNumbers } from "../arrow/column.js";
import { createTextColumn, decodeTextValues } from "../arrow/text.js";
import { type ArrowIndex, type ArrowType, describeArrowType, UTF8 } from "../arrow/type.js";
import { compareByCodePoint } from "../kernels/text/names.js";
import { computeValidity, isBitSet } from "../kernels/values/bitmap.js";
import { UnsupportedError } from "../model/errors.js";
import { allocateNumberArray, castNumbers, createNumbersColumn, getFlatNumbers, isBig } from "./cast-numbers.js";
import { FLOAT64, getCommonNumericType, isNumericType } from "./common-type.js";

type Category = string | number | bigint;

export interface DatasetCategories {
  readonly ordered: boolean;
  readonly dictionary: Column;
}

/** The categories of all datasets; `dictionary` is null if the column is converted to plain values. */
export interface UnitedCategories {
  readonly ordered: boolean;
  readonly value: ArrowType;
  readonly dictionary: Column | null;
  readonly codes: ReadonlyMap<Category, number>;
}

/**
 * Collects the categories of one column, dataset by dataset. Unordered categories are united: in the order of the first
 * dataset if it has all of them, otherwise in natural order. Ordered categories are preserved if they are equal in all
 * datasets. Otherwise their common order is unknown, and the column is converted to plain values.
 */
export class CategoryUnion {
  /** The type of the first dictionary, even if that dictionary is empty. */
  #type: ArrowType | null = null;
  /** The value types of non-empty dictionaries. If a column has no values, its categories may have any type. */
  readonly #types: ArrowType[] = [];
  readonly #all = new Set<Category>();
  /** The categories of the first dataset that has the column. */
  #own: readonly Category[] | null = null;
  /** The first set of categories that is not empty. */
  #first: readonly Category[] | null = null;
  #isEqual = true;
  #anyOrdered = false;
  #allOrdered = true;

  add({ ordered, dictionary }: DatasetCategories): void {
    const values = categoriesIn(dictionary);
    this.#anyOrdered ||= ordered;
    this.#own ??= values;
    this.#type ??= dictionary.type;
    if (values.length === 0) return;
    this.#types.push(dictionary.type);
    this.#allOrdered &&= ordered;
    this.#first ??= values;
    const first = this.#first;
    this.#isEqual &&= values.length === first.length && values.every((value, i) => value === first[i]);
    for (const value of values) this.#all.add(value);
  }

  /** @throws {UnsupportedError} for category types that cannot be united. */
  united(): UnitedCategories {
    const value = this.#types.length === 0 ? (this.#type ?? UTF8) : commonValueType(this.#types);
    if (!this.#anyOrdered) {
      const own = this.#own ?? [];
      return united(own.length === this.#all.size ? own : sorted([...this.#all]), value, false);
    }
    if (this.#first !== null && this.#isEqual && this.#allOrdered) return united(this.#first, value, true);
    return { ordered: false, value, dictionary: null, codes: new Map() };
  }
}

/** @throws {UnsupportedError} if the types have no common type. */
function commonValueType(types: readonly ArrowType[]): ArrowType {
  const [first] = types;
  if (types.every((type) => describeArrowType(type) === describeArrowType(first))) return first;
  const numbers = types.filter(isNumericType);
  if (numbers.length === types.length) return getCommonNumericType(numbers);
  const names = [...new Set(types.map(describeArrowType))].join(" and ");
  throw new UnsupportedError(`categories of the types ${names} are not united`);
}

/** Returns the categories as values, so that equal categories become the same map key. */
function categoriesIn(dictionary: Column): readonly Category[] {
  if (dictionary.length === 0) return [];
  if (dictionary.layout === "variable" && dictionary.type.id === "Utf8") {
    return decodeTextValues(dictionary).map((text) => text ?? "");
  }
  if (dictionary.layout === "primitive" && isNumericType(dictionary.type)) {
    const { type, length } = dictionary;
    const wide = type.id === "Float" && type.bits === 16 ? castNumbers(dictionary, FLOAT64, LOSSY) : dictionary;
    const numbers = getFlatNumbers(wide);
    return Array.from({ length }, (_, i) => toExactNumber(numbers[i]));
  }
  throw new UnsupportedError(`categories of type ${describeArrowType(dictionary.type)} are not united`);
}

const LOSSY = { lossy: true, element: "" };

/** Returns a number if the conversion is exact, so that integers of all widths compare equal. */
export function toExactNumber(value: number | bigint): number | bigint {
  if (typeof value === "number") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function sorted(values: readonly Category[]): readonly Category[] {
  const texts = values.filter((value) => typeof value === "string");
  if (texts.length === values.length) return sortNaturally(texts);
  return [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

function united(values: readonly Category[], value: ArrowType, ordered: boolean): UnitedCategories {
  const codes = new Map(values.map((category, code) => [category, code]));
  return { ordered, value, dictionary: dictionaryOf(values, value), codes };
}

function dictionaryOf(values: readonly Category[], type: ArrowType): Column {
  if (!isNumericType(type)) return createTextColumn(values.map(String));
  const numbers = allocateNumberArray(type, values.length);
  for (const [i, value] of values.entries()) {
    if (isBig(numbers)) numbers[i] = BigInt(value);
    else numbers[i] = Number(value);
  }
  return createNumbersColumn(numbers, type);
}

/** Returns the smallest index type for a number of categories, as pandas does. */
export function indexTypeFor(categories: number): ArrowIndex {
  const bits = categories < 2 ** 7 - 1 ? 8 : categories < 2 ** 15 - 1 ? 16 : 32;
  return { id: "Int", bits, signed: true };
}

/** Maps columns of one dataset to the codes of the united categories. */
export class Recoder {
  readonly #united: UnitedCategories;
  readonly #dictionary: Column;
  readonly #known = new WeakMap<Column, Int32Array>();

  constructor(united: UnitedCategories) {
    if (united.dictionary === null) throw new TypeError("no categories");
    this.#united = united;
    this.#dictionary = united.dictionary;
  }

  recoded(column: DictionaryColumn): DictionaryColumn {
    const { length, indices, validity } = column;
    const codes = this.#codes(column.dictionary);
    const bitmap = validity?.bitmap ?? null;
    const found = Int32Array.from({ length }, (_, i) =>
      bitmap !== null && !isBitSet(bitmap, i) ? -1 : codes[Number(indices[i])],
    );
    return this.column(found);
  }

  /** Returns the column with these codes; -1 becomes null. */
  column(codes: Int32Array): DictionaryColumn {
    const { value, ordered, dictionary } = this.#united;
    return createCodedColumn(codes, dictionary ?? this.#dictionary, value, ordered);
  }

  #codes(dictionary: Column): Int32Array {
    const known = this.#known.get(dictionary);
    if (known !== undefined) return known;
    const codes = Int32Array.from(categoriesIn(dictionary), (category) => this.#united.codes.get(category) ?? -1);
    this.#known.set(dictionary, codes);
    return codes;
  }
}

/** Makes a column of codes; -1 becomes null. */
export function createCodedColumn(
  codes: Int32Array,
  dictionary: Column,
  value: ArrowType,
  ordered: boolean,
): DictionaryColumn {
  const index = indexTypeFor(dictionary.length);
  const empty = emptyNumbers(index);
  const indices =
    empty instanceof Int8Array
      ? new Int8Array(codes.length)
      : empty instanceof Int16Array
        ? new Int16Array(codes.length)
        : new Int32Array(codes.length);
  for (let i = 0; i < codes.length; i++) indices[i] = Math.max(0, codes[i]);
  return {
    layout: "dictionary",
    type: { id: "Dictionary", index, value, ordered },
    length: codes.length,
    validity: computeValidity(codes.length, (i) => codes[i] >= 0),
    indices,
    dictionary,
  };
}

// Implements anndata's order of categories. anndata sorts them with the Python package natsort: `y9` precedes `y10`.

/**
 * Sorts texts in natural order: runs of digits are compared as numbers, all other characters by code point. Texts that
 * compare as equal (`a1`, `a01`) are then sorted by code point.
 */
function sortNaturally(texts: readonly string[]): readonly string[] {
  return texts
    .map((text) => ({ text, parts: naturalParts(text) }))
    .sort((a, b) => compareParts(a.parts, b.parts) || compareByCodePoint(a.text, b.text))
    .map(({ text }) => text);
}

/** Splits a text into pieces: text at even indices, and numbers at odd indices. */
function naturalParts(text: string): readonly string[] {
  const parts = text.normalize("NFD").split(/(\d+)/);
  if (parts.length > 1 && parts.at(-1) === "") parts.pop();
  return parts;
}

function compareParts(a: readonly string[], b: readonly string[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = i % 2 === 0 ? compareByCodePoint(a[i], b[i]) : compareDigits(a[i], b[i]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareDigits(a: string, b: string): number {
  const [x, y] = [a.replace(/^0+/, ""), b.replace(/^0+/, "")];
  return x.length - y.length || compareByCodePoint(x, y);
}
