/**
 * Reads `string` objects, whose texts are packed into a row of 64-bit words. Also reads single texts and numbers in
 * properties.
 */

import { createMemoryArray } from "../../../containers/picked/memory-array.js";
import type { ColumnPlan } from "../../../jobs/plan/plan.js";
import { toColumnMajorIndex } from "../../../kernels/dense/column-major.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { countElements, type StoredType, viewAsBytes } from "../../../model/stored.js";
import { decodeCodeUnits } from "./chars.js";
import { createMatlabTextArray, readArrayNumbers, readFixedValues } from "./memory-array.js";
import { toColumnMajorArray } from "./numeric.js";
import { getColumnShape, isText, type ObjectValue, type Value, type ValueColumn } from "./value.js";

/** Maximum number of words in an array of strings. Real arrays have fewer. */
const MAX_WORDS = 2 ** 26;

const MISSING = 0xffffffffffffffffn;
const BOOL: StoredType = { kind: "bool" };

interface Strings {
  readonly size: readonly number[];
  /** The texts in column-major order; null stands for `<missing>`. */
  readonly texts: readonly (string | null)[];
}

/**
 * Reads the texts of a string object: `[1, ndims, dims…, characters of each…, UTF-16 of all]`.
 * @throws {InvalidDataError} if the words are not strings.
 */
export async function readStrings(value: ObjectValue): Promise<Strings> {
  const any = value.objects[0]?.get("any");
  if (any?.kind !== "numeric") throw new InvalidDataError("a string object without its characters");
  const { values: words } = await readFixedValues(toColumnMajorArray(any), MAX_WORDS);
  if (words.length === 0) return { size: [0, 0], texts: [] };
  if (!(words instanceof BigUint64Array)) throw new InvalidDataError("the characters of a string object are no uint64");
  const rank = Number(words[1]);
  if (!(rank >= 0 && rank + 2 <= words.length)) throw new InvalidDataError(`strings of ${rank} dimensions`);
  const size = Array.from(words.subarray(2, 2 + rank), Number);
  const count = countElements(size);
  const first = 2 + rank + count;
  if (!(first <= words.length)) throw new InvalidDataError(`${count} strings in ${words.length} words`);
  const bytes = viewAsBytes(words.slice(first));
  const units = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
  const texts: (string | null)[] = [];
  let at = 0;
  for (const characters of words.subarray(2 + rank, first)) {
    if (characters === MISSING) {
      texts.push(null);
      continue;
    }
    const end = at + Number(characters);
    if (end > units.length) throw new InvalidDataError(`a string of ${characters} characters of ${units.length}`);
    const text = decodeCodeUnits(units.subarray(at, end));
    if (text === null) throw new UnsupportedError("a string object with halves of surrogate pairs");
    texts.push(text);
    at = end;
  }
  return { size, texts };
}

export async function createStringColumn(value: ObjectValue, inFrame: boolean): Promise<ValueColumn> {
  const { size, texts } = await readStrings(value);
  const shape = getColumnShape(size, inFrame);
  const rows = texts.map((_, i) => texts[toColumnMajorIndex(i, size)]);
  const kind = texts.length === 1 ? "string" : "string-array";
  return { ...textPlan("", rows, shape), rows: shape[0], size, kind, metadata: value.metadata };
}

/** Joins scalar strings into a column; null if any of them is not scalar. */
export async function joinStrings(path: string, items: readonly ObjectValue[]): Promise<ValueColumn | null> {
  const texts: (string | null)[] = [];
  for (const item of items) {
    const { size, texts: own } = await readStrings(item);
    if (size.length !== 2 || countElements(size) !== 1) return null;
    texts.push(own[0]);
  }
  const metadata = { class: "string" };
  const [rows, size] = [texts.length, [texts.length]];
  return { ...textPlan(path, texts, size), rows, size, kind: "string-array", metadata };
}

function textPlan(
  path: string,
  texts: readonly (string | null)[],
  shape: readonly number[],
): { readonly plan: ColumnPlan; readonly nullable: boolean } {
  const array = createMatlabTextArray(
    path,
    texts.map((text) => text ?? ""),
    shape,
  );
  if (!texts.includes(null)) return { plan: { kind: "array", array }, nullable: true };
  const missing = Uint8Array.from(texts, (text) => (text === null ? 1 : 0));
  const mask = createMemoryArray(`${path}/missing`, BOOL, shape, { kind: "fixed", values: missing });
  return { plan: { kind: "nullable", values: array, mask }, nullable: true };
}

/** Reads the strings of a string object or of a cell array of strings; returns null for any other value. */
export async function readStringTexts(value: Value | undefined): Promise<readonly string[] | null> {
  if (value?.kind === "object" && value.class === "string") {
    const { texts } = await readStrings(value);
    const known = texts.filter((text): text is string => text !== null);
    return known.length === texts.length ? known : null;
  }
  if (value?.kind !== "cell") return null;
  const texts: string[] = [];
  for (const item of value.items) {
    if (!isText(item) || item.texts === null) return null;
    texts.push(item.texts[0] ?? "");
  }
  return texts;
}

/** Reads the single text of a value; null for other values. */
export function getSingleText(value: Value | undefined): string | null {
  return value !== undefined && isText(value) && value.texts !== null ? (value.texts[0] ?? "") : null;
}

export async function isSingleTrue(value: Value | undefined): Promise<boolean> {
  if (value?.kind !== "numeric" || countElements(value.size) !== 1) return false;
  const [number] = await readArrayNumbers(toColumnMajorArray(value), 1);
  return number !== 0;
}

/** Reads the single number of a value; null for other values. */
export async function readSingleNumber(value: Value | undefined): Promise<number | null> {
  if (value?.kind !== "numeric" || countElements(value.size) !== 1) return null;
  const [number] = await readArrayNumbers(toColumnMajorArray(value), 2);
  return number;
}
