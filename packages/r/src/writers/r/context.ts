/** What the writers of R objects share: the document, and small R values. */

import type { WriterContext } from "annarrow/core/writers";
import { encodeStrings } from "../../containers/rds/model/text.js";
import {
  NO_ATTRIBUTES,
  type RAttributes,
  type RCharacter,
  type RInteger,
  type RList,
  type RValue,
} from "../../containers/rds/model/value.js";
import type { RdsDocument } from "../../containers/rds/write/document.js";

export interface RWriterContext extends WriterContext {
  readonly document: RdsDocument;
}

/** An R value, and the number of rows of its table. */
export interface WrittenValue {
  readonly value: RValue;
  readonly rows: number;
}

export function createCharacterVector(
  strings: readonly (string | null)[],
  attributes: RAttributes = NO_ATTRIBUTES,
): RCharacter {
  return { kind: "character", text: encodeStrings(strings), attributes };
}

export function createIntegerVector(...values: readonly number[]): RInteger {
  return { kind: "integer", values: Int32Array.from(values), attributes: NO_ATTRIBUTES };
}

/** A list without names. */
export function createRList(values: readonly RValue[], attributes: RAttributes = NO_ATTRIBUTES): RList {
  return { kind: "list", values, attributes };
}

/** Creates a named list. An empty list has no names, like R's `list()`. */
export function createNamedList(elements: ReadonlyMap<string, RValue>): RList {
  if (elements.size === 0) return createRList([]);
  return createRList([...elements.values()], new Map([["names", createCharacterVector([...elements.keys()])]]));
}

export function createClassAttribute(...names: readonly string[]): [string, RValue] {
  return ["class", createCharacterVector(names)];
}

export function createS4Object(
  className: string,
  packageName: string,
  slots: Readonly<Record<string, RValue>>,
): RValue {
  return { kind: "s4", className, package: packageName, slots: new Map(Object.entries(slots)) };
}

export function createPackageVersion(...numbers: readonly number[]): RValue {
  return createRList(
    [createIntegerVector(...numbers)],
    new Map([createClassAttribute("package_version", "numeric_version")]),
  );
}

/**
 * Attaches a note about the original form to a value, so that the reader can restore it. R ignores unknown attributes,
 * and drops them when a value is replaced.
 */
export function withOrigin(value: RList | RInteger, ...origin: readonly string[]): RValue {
  return { ...value, attributes: new Map([...value.attributes, ["annarrow", createCharacterVector(origin)]]) };
}
