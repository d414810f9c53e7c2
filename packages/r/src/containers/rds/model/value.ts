/**
 * R's values as plain data. Atomic vectors are typed arrays with R's own bit patterns, so that no bits are lost in
 * vectors that represent other numbers (BPCells stores uint32 and float32 in integers).
 */

import { type AnnarrowError, InvalidDataError, isAnnarrowError, UnsupportedError } from "annarrow";
import { viewAsBytes } from "annarrow/core/model";
import { countTextStrings, decodeStringAt, type RText } from "./text.js";

export type RValue =
  | RNull
  | RLogical
  | RInteger
  | RReal
  | RSpilled
  | RComplex
  | RCharacter
  | RRaw
  | RList
  | RPairlist
  | RSymbol
  | RS4
  | REnvironment
  | RNamedValue
  | RPackage
  | RExternalPointer
  | ROpaque
  | RUnreadable;

export type RAttributes = ReadonlyMap<string, RValue>;

/** A value with attributes. An attribute that R has set to NULL, which is possible only for slots, is `R_NULL` here. */
interface Attributed {
  readonly attributes: RAttributes;
  /** Set if a vector or list is the data part of an S4 object. */
  readonly isS4?: true;
}

export interface RNull {
  readonly kind: "null";
}

/** Logicals, stored as 0, 1, or `NA_INTEGER`. */
export interface RLogical extends Attributed {
  readonly kind: "logical";
  readonly values: Int32Array;
}

export interface RInteger extends Attributed {
  readonly kind: "integer";
  readonly values: Int32Array;
}

/** Real numbers. NA is a NaN whose low word is 1954; only its bits distinguish it from other NaNs. */
export interface RReal extends Attributed {
  readonly kind: "real";
  readonly values: Float64Array;
}

/** A long vector in a slot. Its values are stored in a temporary file. */
export interface RSpilled extends Attributed {
  readonly kind: "spilled";
  readonly of: "integer" | "real";
  readonly length: number;
  /** Fills `target` with the bytes of the values, beginning with value `start`. */
  readonly readInto: (start: number, target: Uint8Array) => Promise<void>;
}

/** Complex numbers as alternating real and imaginary parts. */
export interface RComplex extends Attributed {
  readonly kind: "complex";
  readonly values: Float64Array;
}

export interface RCharacter extends Attributed {
  readonly kind: "character";
  readonly text: RText;
}

export interface RRaw extends Attributed {
  readonly kind: "raw";
  readonly values: Uint8Array;
}

export interface RList extends Attributed {
  readonly kind: "list";
  readonly values: readonly RValue[];
}

/** A chain of cells, or a call, which R also stores as a chain. `tail` follows the last cell, unless `tail` is NULL. */
export interface RPairlist extends Attributed {
  readonly kind: "pairlist" | "language";
  readonly items: readonly RPairlistItem[];
  readonly tail?: RValue;
}

export interface RPairlistItem {
  readonly tag: string | null;
  readonly value: RValue;
}

export interface RSymbol {
  readonly kind: "symbol";
  readonly name: string;
}

/**
 * An object without a data part. `slots` contains its attributes except the class, and `package` is the class's own
 * attribute. The prototype of a class has no class itself; R's `class()` returns "S4" for it.
 */
export interface RS4 {
  readonly kind: "s4";
  readonly className: string;
  readonly package: string | null;
  readonly slots: RAttributes;
}

/** An environment as a single object that may contain itself. Locks on individual bindings are lost. */
export interface REnvironment {
  readonly kind: "environment";
  readonly locked: boolean;
  readonly enclosure: RValue;
  readonly bindings: RAttributes;
  readonly attributes: RAttributes;
}

/** A value that exists exactly once in R. */
export interface RNamedValue {
  readonly kind: "named";
  readonly name:
    | "global environment"
    | "base environment"
    | "empty environment"
    | "base namespace"
    | "missing argument"
    | "unbound value";
}

/** An environment that R finds by name. The info of a namespace consists of its name and version. */
export interface RPackage {
  readonly kind: "namespace" | "package";
  readonly info: readonly string[];
}

/** An external pointer. R does not write addresses, so a pointer that was read refers to nothing. */
export interface RExternalPointer {
  readonly kind: "external pointer";
  readonly protectedValue: RValue;
  readonly tag: RValue;
  readonly attributes: RAttributes;
}

/** A skipped value that has no meaning outside of R, such as a function or byte code. `what` describes the value. */
export interface ROpaque {
  readonly kind: "opaque";
  readonly what: string;
}

/** A value that cannot be represented here. Values around it can still be read. */
export interface RUnreadable {
  readonly kind: "unreadable";
  readonly problem: string;
  /** True if the file is inconsistent, false if this library does not support the value. */
  readonly isInvalid: boolean;
}

export const R_NULL: RNull = { kind: "null" };

export const NO_ATTRIBUTES: RAttributes = new Map();

export { NA_INTEGER } from "annarrow/core/kernels";

/** The bits of R's NA of type real. */
export const NA_REAL_BITS = 0x7ff00000000007a2n;

/** Returns the string in a character vector of length 1; null for other values. */
export function findOnlyString(value: RValue): string | null {
  return value.kind === "character" && countTextStrings(value.text) === 1 ? decodeStringAt(value.text, 0) : null;
}

/** Creates the error for a value that cannot be read. */
export function createUnreadableError({ problem, isInvalid }: RUnreadable): AnnarrowError {
  return isInvalid ? new InvalidDataError(problem) : new UnsupportedError(problem);
}

/** Converts an error to an unreadable value. Errors that do not concern a value are thrown again. */
export function createUnreadableValue(error: unknown): RUnreadable {
  if (!isAnnarrowError(error, "InvalidDataError", "UnsupportedError")) throw error;
  return { kind: "unreadable", problem: error.problem, isInvalid: error.tag === "InvalidDataError" };
}

/**
 * Returns the result of `make`, or if it fails, an unreadable value with the reason. `make` reads no further bytes, so
 * the following values can be read even if this value is invalid.
 */
export function createValueOrUnreadable(make: () => RValue): RValue {
  try {
    return make();
  } catch (error) {
    return createUnreadableValue(error);
  }
}

/** Returns a copy of the values [start, end) in a spilled vector. */
export async function readSpilledValues(
  { of, readInto }: RSpilled,
  start: number,
  end: number,
): Promise<Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>> {
  const values = of === "integer" ? new Int32Array(end - start) : new Float64Array(end - start);
  await readInto(start, viewAsBytes(values));
  return values;
}

/** Reads a value's spilled vectors into memory: the vector itself, or the slots of an object. */
export async function readIntoMemory(value: RValue): Promise<RValue> {
  if (value.kind === "s4") {
    const slots = new Map<string, RValue>();
    for (const [name, one] of value.slots) slots.set(name, one.kind === "spilled" ? await readIntoMemory(one) : one);
    return { ...value, slots };
  }
  if (value.kind !== "spilled") return value;
  const { of, length, readInto, ...rest } = value;
  const values = await readSpilledValues(value, 0, length);
  return values instanceof Int32Array ? { ...rest, kind: "integer", values } : { ...rest, kind: "real", values };
}
