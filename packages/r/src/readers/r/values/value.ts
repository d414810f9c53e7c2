/** Validated access to R values: classes, slots, names and dimensions. */

import { InvalidDataError } from "annarrow";
import { countTextStrings, decodeStringAt, type RText } from "../../../containers/rds/model/text.js";
import {
  createUnreadableError,
  NA_INTEGER,
  R_NULL,
  type RAttributes,
  type RCharacter,
  type RList,
  type RS4,
  type RValue,
} from "../../../containers/rds/model/value.js";

/** Returns the attributes of a value. For an S4 object, these are its slots. */
export function getRAttributes(value: RValue): RAttributes {
  if (value.kind === "s4") return value.slots;
  return "attributes" in value ? value.attributes : new Map();
}

/** Returns the classes of a value, most specific first; empty for values without an attribute `class`. */
export function getRClasses(value: RValue): readonly string[] {
  if (value.kind === "s4") return [value.className];
  const names = getRAttributes(value).get("class");
  return names?.kind === "character" ? listRTexts(names.text).map((name) => name ?? "NA") : [];
}

export function hasClass(value: RValue, name: string): boolean {
  return getRClasses(value).includes(name);
}

/** Describes a value for messages. */
export function describeRValue(value: RValue): string {
  if (value.kind === "opaque") return value.what;
  if (value.kind === "unreadable") return value.problem;
  const [name] = getRClasses(value);
  if (name !== undefined) return `an R object of the class ${name}`;
  return `an R value of the kind ${value.kind}`;
}

/** Returns the slot `name`; NULL if the object has no such slot, as in objects of older versions. */
export function getRSlot(object: RValue, name: string): RValue {
  return getRAttributes(object).get(name) ?? R_NULL;
}

export function hasSlots(object: RValue, ...names: readonly string[]): boolean {
  return object.kind === "s4" && names.every((name) => object.slots.has(name));
}

export function isS4(value: RValue): value is RS4 {
  return value.kind === "s4";
}

/** Returns the list in a value: the value itself, or the list that an S4 object contains. @throws {InvalidDataError} */
export function getRList(value: RValue, what: string): RList {
  if (value.kind === "list") return value;
  if (value.kind === "null") return { kind: "list", values: [], attributes: new Map() };
  if (value.kind === "s4") {
    // Bioconductor's SimpleList.
    const inner = value.slots.get("listData") ?? value.slots.get(".Data");
    if (inner?.kind === "list") return inner;
  }
  throw new InvalidDataError(`${what} is ${describeRValue(value)}, no list`);
}

/** Returns the elements of a list under unique names. An unnamed element is named by its 1-based position. */
export function listNamedElements(list: RList): readonly (readonly [name: string, value: RValue])[] {
  const names = makeUniqueNames(findRNames(list, list.values.length) ?? list.values.map((_, i) => String(i + 1)));
  return list.values.map((value, i) => [names[i], value] as const);
}

/** Returns a list element by name; NULL if there is none. */
export function getListElement(list: RList, name: string): RValue {
  const names = getRAttributes(list).get("names");
  const at = names?.kind === "character" ? listRTexts(names.text).indexOf(name) : -1;
  return list.values[at] ?? R_NULL;
}

/** Returns the names of a value; null if it has no names. Empty and missing names are replaced by positions. */
export function findRNames(value: RValue, length: number): readonly string[] | null {
  const names = getRAttributes(value).get("names");
  if (names?.kind !== "character") return null;
  const texts = listRTexts(names.text);
  return Array.from({ length }, (_, i) => texts[i] || String(i + 1));
}

/** Adds numbers to repeated names, as R's `make.unique` does: `a`, `a.1`. */
export function makeUniqueNames(names: readonly string[]): readonly string[] {
  const all = new Set(names);
  if (all.size === names.length) return names;
  const taken = new Set<string>();
  const next = new Map<string, number>();
  return names.map((name) => {
    let own = name;
    for (let i = next.get(name) ?? 1; taken.has(own); i++) {
      own = `${name}.${i}`;
      // A generated name must not take the name of a later element.
      if (all.has(own)) own = name;
      next.set(name, i + 1);
    }
    taken.add(own);
    return own;
  });
}

/** Returns all strings of a text; null for missing strings. */
export function listRTexts(text: RText): readonly (string | null)[] {
  return Array.from({ length: countTextStrings(text) }, (_, i) => decodeStringAt(text, i));
}

/** Returns the strings of a value; null if it is not text. */
export function findRStrings(value: RValue): readonly (string | null)[] | null {
  return value.kind === "character" ? listRTexts(value.text) : null;
}

/**
 * Returns whole numbers, which R may store as integers or reals.
 * @throws {InvalidDataError} for other numbers, and for NA.
 */
export function toWholeNumbers(value: RValue, what: string): Int32Array {
  if (value.kind === "integer" && !value.values.includes(NA_INTEGER)) return value.values;
  if (value.kind === "real") {
    const whole = Int32Array.from(value.values);
    if (whole.every((one, i) => one === value.values[i])) return whole;
  }
  throw new InvalidDataError(`${what} is ${describeRValue(value)}, no whole numbers`);
}

/** Returns the shape of a matrix from `dim` or the slot `Dim`. @throws {InvalidDataError} */
export function getRMatrixShape(value: RValue, name = "dim"): readonly [rows: number, columns: number] {
  const dims = toWholeNumbers(getRSlot(value, name), name);
  if (dims.length === 2 && dims.every((size) => size >= 0)) return [dims[0], dims[1]];
  throw new InvalidDataError(`the dimensions are ${dims.join(" x ")}, a matrix has two`);
}

/**
 * Returns the names of rows and columns; null for an axis without names.
 * @throws {InvalidDataError} for a wrong number of names.
 */
export function getRDimnames(
  value: RValue,
  shape: readonly number[],
): readonly [rows: RCharacter | null, columns: RCharacter | null] {
  const names = getRSlot(value, value.kind === "s4" ? "Dimnames" : "dimnames");
  if (names.kind !== "list") return [null, null];
  const [rows, columns] = [0, 1].map((axis) => {
    const one = names.values[axis];
    if (one?.kind === "unreadable") throw createUnreadableError(one);
    if (one?.kind !== "character") return null;
    if (countTextStrings(one.text) !== shape[axis]) {
      throw new InvalidDataError(
        `${countTextStrings(one.text)} names for ${shape[axis]} ${axis === 0 ? "rows" : "columns"}`,
      );
    }
    return one;
  });
  return [rows, columns];
}

/** Returns what annarrow's writer recorded about the original form of a value; empty for other values. */
export function getOrigins(value: RValue): readonly string[] {
  return (findRStrings(getRSlot(value, "annarrow")) ?? []).filter((one) => one !== null);
}
