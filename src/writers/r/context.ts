/** Shared by the writers of R objects: the document, and small values of R. */

import { textOf } from "../../containers/rds/model/text.js";
import {
  NO_ATTRIBUTES,
  type RAttributes,
  type RCharacter,
  type RInteger,
  type RList,
  type RValue,
} from "../../containers/rds/model/value.js";
import type { RdsDocument } from "../../containers/rds/write/document.js";
import type { WriterContext } from "../context.js";

export interface RWriterContext extends WriterContext {
  readonly document: RdsDocument;
}

/** A value in R, and the number of its table's rows. */
export interface WrittenValue {
  readonly value: RValue;
  readonly rows: number;
}

/** A character vector. */
export function characters(strings: readonly (string | null)[], attributes: RAttributes = NO_ATTRIBUTES): RCharacter {
  return { kind: "character", text: textOf(strings), attributes };
}

/** An integer vector. */
export function integers(...values: readonly number[]): RInteger {
  return { kind: "integer", values: Int32Array.from(values), attributes: NO_ATTRIBUTES };
}

/** A list without names. */
export function listOf(values: readonly RValue[], attributes: RAttributes = NO_ATTRIBUTES): RList {
  return { kind: "list", values, attributes };
}

/** A list with the names of its elements. An empty one has no names, as R's `list()`. */
export function namedList(elements: ReadonlyMap<string, RValue>): RList {
  if (elements.size === 0) return listOf([]);
  return listOf([...elements.values()], new Map([["names", characters([...elements.keys()])]]));
}

/** The class attribute of an S3 object. */
export function classAttribute(...names: readonly string[]): [string, RValue] {
  return ["class", characters(names)];
}

/** An S4 object. */
export function s4(className: string, packageName: string, slots: Readonly<Record<string, RValue>>): RValue {
  return { kind: "s4", className, package: packageName, slots: new Map(Object.entries(slots)) };
}

/** The version of a package, as `packageVersion` has it. */
export function packageVersion(...numbers: readonly number[]): RValue {
  return listOf([integers(...numbers)], new Map([classAttribute("package_version", "numeric_version")]));
}

/**
 * A value with a note of what it was, by which it is read again as that: R passes over attributes that it does not know,
 * and drops them where a value is replaced.
 */
export function withOrigin(value: RList | RInteger, ...origin: readonly string[]): RValue {
  return { ...value, attributes: new Map([...value.attributes, ["annarrow", characters(origin)]]) };
}
