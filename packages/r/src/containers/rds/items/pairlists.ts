import { InvalidDataError } from "annarrow";
import { NULL_SLOT } from "../model/sexp-type.js";
import { countTextStrings, decodeStringAt } from "../model/text.js";
import {
  createUnreadableError,
  findOnlyString,
  NO_ATTRIBUTES,
  R_NULL,
  type RAttributes,
  type RS4,
  type RValue,
} from "../model/value.js";

/** Returns a value's attributes from the pairlist that contains them. */
export function getPairlistAttributes(value: RValue): RAttributes {
  if (value.kind === "null") return NO_ATTRIBUTES;
  if (value.kind === "unreadable") throw createUnreadableError(value);
  if (value.kind !== "pairlist" || value.tail !== undefined) {
    throw new InvalidDataError(`attributes are ${value.kind}, not a pairlist`);
  }
  const attributes = new Map<string, RValue>();
  for (const { tag, value: attribute } of value.items) {
    if (tag === null) throw new InvalidDataError("an attribute without a name");
    if (attributes.has(tag)) throw new InvalidDataError(`attribute "${tag}" occurs twice`);
    attributes.set(tag, isNullSlot(attribute) ? R_NULL : attribute);
  }
  return attributes;
}

/** Returns the attributes of a value that has a meaning only in R; empty if they are nested too deeply. */
export function getShallowAttributes(value: RValue): RAttributes {
  return value.kind === "unreadable" ? NO_ATTRIBUTES : getPairlistAttributes(value);
}

function isNullSlot(value: RValue): boolean {
  return value.kind === "symbol" && value.name === NULL_SLOT;
}

/** Attributes that change the interpretation of a value. */
const ESSENTIAL = ["names", "dim", "dimnames", "levels", "class"];

/**
 * Adds attributes to a vector.
 * @throws {InvalidDataError} {UnsupportedError} if an essential attribute cannot be read.
 */
export function withAttributes(value: RValue, attributes: RAttributes, isS4: boolean): RValue {
  for (const name of ESSENTIAL) {
    const attribute = attributes.get(name);
    if (attribute?.kind === "unreadable") throw createUnreadableError(attribute);
  }
  switch (value.kind) {
    case "logical":
    case "integer":
    case "real":
    case "spilled":
    case "complex":
    case "character":
    case "raw":
    case "list":
      return { ...value, attributes, ...(isS4 ? { isS4 } : {}) };
    case "unreadable":
      return value;
    case "null":
    case "pairlist":
    case "language":
    case "symbol":
    case "s4":
    case "environment":
    case "named":
    case "namespace":
    case "package":
    case "external pointer":
    case "opaque":
      throw new InvalidDataError(`${value.kind} where a vector belongs`);
    default:
      return value satisfies never;
  }
}

/** Creates an S4 object from its attributes, which contain its class and slots. @throws {InvalidDataError} */
export function createS4Value(attributes: RAttributes): RS4 {
  const type = attributes.get("class");
  if (type === undefined) return { kind: "s4", className: "S4", package: null, slots: attributes };
  const className = type.kind === "character" && countTextStrings(type.text) > 0 ? decodeStringAt(type.text, 0) : null;
  if (type.kind !== "character" || className === null)
    throw new InvalidDataError("an S4 object whose class is no text");
  const from = type.attributes.get("package");
  const slots = new Map(attributes);
  slots.delete("class");
  return { kind: "s4", className, package: from === undefined ? null : findOnlyString(from), slots };
}

/**
 * Yields the names and values in an environment, from its frame or from the chains of its hash table. Chains that are
 * nested too deeply are left out, because no reader looks that deep.
 */
export function* listBindings(frame: RValue, table: RValue): Generator<[string, RValue]> {
  yield* chain(frame);
  if (table.kind === "null" || table.kind === "unreadable") return;
  if (table.kind !== "list") throw new InvalidDataError(`the hash table of an environment is ${table.kind}`);
  for (const bucket of table.values) yield* chain(bucket);
}

function* chain(value: RValue): Generator<[string, RValue]> {
  if (value.kind === "null" || value.kind === "unreadable") return;
  if (value.kind !== "pairlist" || value.tail !== undefined) {
    throw new InvalidDataError(`the frame of an environment is ${value.kind}, not a pairlist`);
  }
  for (const item of value.items) {
    if (item.tag === null) throw new InvalidDataError("an environment binds a value without a name");
    yield [item.tag, item.value];
  }
}
