/** Attributes as JSON, for the metadata of tables and for a column of the contents table. */

import type { AttributeValue, Node, UnreadableAttribute } from "../../containers/tree/container.js";
import { GENERIC_MARK, GENERIC_MARK_VALUE } from "../../model/generic-mark.js";
import type { GenericContext } from "./arrays/context.js";

/** Maximum number of values per attribute in the metadata. Larger attributes are omitted with a warning. */
const MAX_VALUES = 2 ** 14;

/** A JSON value. Integers beyond 2^53 are decimal text, NaN and infinities are text, and bytes are base64. */
export type AttributeJson =
  | string
  | number
  | boolean
  | null
  | readonly AttributeJson[]
  | { readonly [key: string]: AttributeJson };

/**
 * Returns the attributes of a node; null if it has none. Attributes that cannot be read are omitted with a warning.
 * @param without names of attributes that are stored elsewhere in the metadata.
 */
export function toAttributesJson(
  { path, attributes }: Pick<Node, "path" | "attributes">,
  cx: GenericContext,
  without: ReadonlySet<string> = new Set(),
): Readonly<Record<string, AttributeJson>> | null {
  const entries: [string, AttributeJson][] = [];
  for (const [name, value] of attributes) {
    if (without.has(name) || (path === "" && name === GENERIC_MARK && value === GENERIC_MARK_VALUE)) continue;
    const problem = isUnreadable(value)
      ? value.reason
      : countOf(value) > MAX_VALUES
        ? `more than ${MAX_VALUES} values`
        : null;
    if (problem === null) entries.push([name, jsonOf(value, cx)]);
    else cx.warn(`${path === "" ? "the root" : path}: the attribute ${JSON.stringify(name)} is left out: ${problem}`);
  }
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/**
 * Returns the types of numeric attributes as numpy's type names, since JSON cannot express them. It omits int64, as
 * well as float64 with fractions, because these types follow from the values.
 */
export async function readAttributeDtypes(
  node: Pick<Node, "path" | "attributes" | "attributeTypes">,
  { options }: GenericContext,
): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const [name, type] of (await node.attributeTypes?.(options)) ?? []) {
    const text = type.kind === "float" ? `float${type.bits}` : `${type.signed ? "int" : "uint"}${type.bits}`;
    // JSON stores integers beyond 2^53 as texts.
    const value = node.attributes.get(name);
    // Floats without fractions look like integers in JSON.
    const isPlain = text === "float64" ? !isWhole(value) : text === "int64" && !hasBigint(value);
    if (!isPlain) found[name] = text;
  }
  return found;
}

function isWhole(value: AttributeValue | undefined): boolean {
  return Number.isSafeInteger(value) || (Array.isArray(value) && value.every((one: AttributeValue) => isWhole(one)));
}

function hasBigint(value: AttributeValue | undefined): boolean {
  return typeof value === "bigint" || (Array.isArray(value) && value.some((one: AttributeValue) => hasBigint(one)));
}

function jsonOf(value: AttributeValue, cx: GenericContext): AttributeJson {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "bigint":
      return String(value);
    default:
      break;
  }
  if (value === null) return null;
  if (value instanceof Uint8Array) return base64(value);
  if (Array.isArray(value)) return value.map((one: AttributeValue) => jsonOf(one, cx));
  if (isReference(value)) return cx.paths.of(value);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, jsonOf(one, cx)]));
}

function isReference(value: object): value is { readonly kind: "reference"; readonly bytes: Uint8Array } {
  return "kind" in value && value.kind === "reference" && "bytes" in value && value.bytes instanceof Uint8Array;
}

function isUnreadable(value: AttributeValue): value is UnreadableAttribute {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "unreadable";
}

/** Counts the scalar values. Counting stops as soon as the count exceeds the limit. */
function countOf(value: AttributeValue): number {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array || isReference(value)) return 1;
  let count = 0;
  for (const one of Array.isArray(value) ? value : Object.values(value)) {
    count += countOf(one);
    if (count > MAX_VALUES) break;
  }
  return count;
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
