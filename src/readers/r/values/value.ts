/** Validated access to R's values: classes, slots, names and dimensions. */

import { type RText, textAt, textLength } from "../../../containers/rds/model/text.js";
import {
  NA_INTEGER,
  R_NULL,
  type RAttributes,
  type RCharacter,
  type RList,
  type RS4,
  type RValue,
  unreadableError,
} from "../../../containers/rds/model/value.js";
import { InvalidDataError } from "../../../model/errors.js";

/** Attributes of a value, which are the slots of an S4 object. */
export function attributesOf(value: RValue): RAttributes {
  if (value.kind === "s4") return value.slots;
  return "attributes" in value ? value.attributes : new Map();
}

/** Returns the classes of a value, most specific first; empty for values without an attribute `class`. */
export function classesOf(value: RValue): readonly string[] {
  if (value.kind === "s4") return [value.className];
  const names = attributesOf(value).get("class");
  return names?.kind === "character" ? textsOf(names.text).map((name) => name ?? "NA") : [];
}

export function hasClass(value: RValue, name: string): boolean {
  return classesOf(value).includes(name);
}

/** Describes a value for messages. */
export function called(value: RValue): string {
  if (value.kind === "opaque") return value.what;
  if (value.kind === "unreadable") return value.problem;
  const [name] = classesOf(value);
  if (name !== undefined) return `an R object of the class ${name}`;
  return `an R value of the kind ${value.kind}`;
}

/** Returns the slot `name`; NULL if the object has no such slot, as in objects of older versions. */
export function slot(object: RValue, name: string): RValue {
  return attributesOf(object).get(name) ?? R_NULL;
}

export function hasSlots(object: RValue, ...names: readonly string[]): boolean {
  return object.kind === "s4" && names.every((name) => object.slots.has(name));
}

export function isS4(value: RValue): value is RS4 {
  return value.kind === "s4";
}

/** Returns the list in a value: the value itself, or the list in an S4 object. @throws {InvalidDataError} */
export function listOf(value: RValue, what: string): RList {
  if (value.kind === "list") return value;
  if (value.kind === "null") return { kind: "list", values: [], attributes: new Map() };
  if (value.kind === "s4") {
    // Bioconductor's SimpleList.
    const inner = value.slots.get("listData") ?? value.slots.get(".Data");
    if (inner?.kind === "list") return inner;
  }
  throw new InvalidDataError(`${what} is ${called(value)}, no list`);
}

/** Returns the elements of a list with unique names. The name of an unnamed element is its 1-based position. */
export function namedElements(list: RList): readonly (readonly [name: string, value: RValue])[] {
  const names = unique(namesOf(list, list.values.length) ?? list.values.map((_, i) => String(i + 1)));
  return list.values.map((value, i) => [names[i], value] as const);
}

/** The element of a list by its name; NULL where there is none. */
export function element(list: RList, name: string): RValue {
  const names = attributesOf(list).get("names");
  const at = names?.kind === "character" ? textsOf(names.text).indexOf(name) : -1;
  return list.values[at] ?? R_NULL;
}

/** Returns the names of a value; null if it has no names. Empty and missing names are replaced by positions. */
export function namesOf(value: RValue, length: number): readonly string[] | null {
  const names = attributesOf(value).get("names");
  if (names?.kind !== "character") return null;
  const texts = textsOf(names.text);
  return Array.from({ length }, (_, i) => texts[i] || String(i + 1));
}

/** Adds numbers to repeated names, as R's `make.unique` does: `a`, `a.1`. */
export function unique(names: readonly string[]): readonly string[] {
  const all = new Set(names);
  if (all.size === names.length) return names;
  const taken = new Set<string>();
  const next = new Map<string, number>();
  return names.map((name) => {
    let own = name;
    for (let i = next.get(name) ?? 1; taken.has(own); i++) {
      own = `${name}.${i}`;
      // An earlier name must not take the name of a later element.
      if (all.has(own)) own = name;
      next.set(name, i + 1);
    }
    taken.add(own);
    return own;
  });
}

/** Returns all strings of a text; null for missing strings. */
export function textsOf(text: RText): readonly (string | null)[] {
  return Array.from({ length: textLength(text) }, (_, i) => textAt(text, i));
}

/** The strings of a value; null where it is no text. */
export function stringsOf(value: RValue): readonly (string | null)[] | null {
  return value.kind === "character" ? textsOf(value.text) : null;
}

/**
 * Returns whole numbers, which R may store as integers or reals.
 * @throws {InvalidDataError} for other numbers, and for NA.
 */
export function wholeNumbers(value: RValue, what: string): Int32Array {
  if (value.kind === "integer" && !value.values.includes(NA_INTEGER)) return value.values;
  if (value.kind === "real") {
    const whole = Int32Array.from(value.values);
    if (whole.every((one, i) => one === value.values[i])) return whole;
  }
  throw new InvalidDataError(`${what} is ${called(value)}, no whole numbers`);
}

/** Returns the shape of a matrix from `dim` or from the slot `Dim`. @throws {InvalidDataError} */
export function shapeOf(value: RValue, name = "dim"): readonly [rows: number, columns: number] {
  const dims = wholeNumbers(slot(value, name), name);
  if (dims.length === 2 && dims.every((size) => size >= 0)) return [dims[0], dims[1]];
  throw new InvalidDataError(`the dimensions are ${dims.join(" x ")}, a matrix has two`);
}

/**
 * Returns the names of rows and columns; null for an axis without names.
 * @throws {InvalidDataError} for a wrong number of names.
 */
export function dimnamesOf(
  value: RValue,
  shape: readonly number[],
): readonly [rows: RCharacter | null, columns: RCharacter | null] {
  const names = slot(value, value.kind === "s4" ? "Dimnames" : "dimnames");
  if (names.kind !== "list") return [null, null];
  const [rows, columns] = [0, 1].map((axis) => {
    const one = names.values[axis];
    if (one?.kind === "unreadable") throw unreadableError(one);
    if (one?.kind !== "character") return null;
    if (textLength(one.text) !== shape[axis]) {
      throw new InvalidDataError(`${textLength(one.text)} names for ${shape[axis]} ${axis === 0 ? "rows" : "columns"}`);
    }
    return one;
  });
  return [rows, columns];
}

/** Returns what annarrow's writer recorded about the original form of a value; empty for other values. */
export function getOrigins(value: RValue): readonly string[] {
  return (stringsOf(slot(value, "annarrow")) ?? []).filter((one) => one !== null);
}
