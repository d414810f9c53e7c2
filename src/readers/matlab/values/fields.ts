/**
 * Reads the order of a struct's fields, which HDF5 sorts by name, and their names before annarrow changed them for
 * MATLAB.
 */

import type { AttributeValue, Group, Node } from "../../../containers/tree/container.js";
import { repeatedName } from "../../../kernels/text/names.js";
import { InvalidDataError } from "../../../model/errors.js";
import { isJsonObject, parseJsonObject } from "../../../model/json-object.js";
import { product } from "../../../model/stored.js";
import { textAttribute } from "./attributes.js";
import type { MatlabContext } from "./context.js";

/** Most fields of a struct; real structs have fewer. */
const MAX_FIELDS = 1_000_000;

/**
 * Reads the names in `MATLAB_fields`: in the attribute itself, or in a dataset that it refers to if they are long.
 * @returns null without this attribute.
 * @throws {InvalidDataError} if it does not hold distinct names.
 */
export async function listedFields(node: Node, cx: MatlabContext): Promise<readonly string[] | null> {
  const stored = node.attributes.get("MATLAB_fields");
  const value = Array.isArray(stored) && stored.length === 1 && isReference(stored[0]) ? stored[0] : stored;
  if (value === undefined || value === null) return null;
  const names = isReference(value) ? await referredNames(value, cx) : attributeNames(value);
  const twice = repeatedName(names);
  if (twice !== null) throw new InvalidDataError(`MATLAB_fields lists ${JSON.stringify(twice)} twice`);
  return names;
}

function isReference(value: AttributeValue | undefined): value is Extract<AttributeValue, { kind: "reference" }> {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "reference";
}

/** Reads a list of texts, each of which may be a list of characters. */
function attributeNames(value: AttributeValue): readonly string[] {
  if (typeof value === "object" && value !== null && "kind" in value && value.kind === "unreadable") {
    throw new InvalidDataError(`MATLAB_fields: ${String(value.reason)}`);
  }
  const list = Array.isArray(value) ? value : [value];
  return list.map((one: AttributeValue) => {
    const name = Array.isArray(one) ? one.join("") : one;
    if (typeof name === "string") return name;
    throw new InvalidDataError("MATLAB_fields holds something else than names");
  });
}

async function referredNames(
  reference: Extract<AttributeValue, { kind: "reference" }>,
  cx: MatlabContext,
): Promise<readonly string[]> {
  const node = await cx.concurrency.run(() => cx.container.dereference(reference));
  if (node.kind !== "array" || node.type.kind !== "text" || node.shape === null) {
    throw new InvalidDataError("MATLAB_fields refers to something else than names");
  }
  const count = product(node.shape);
  if (count > MAX_FIELDS) throw new InvalidDataError(`MATLAB_fields has ${count} names`);
  const values = await cx.concurrency.run(() => node.read(0, node.shape?.[0] ?? 1, cx.options));
  if (values.kind !== "variable") throw new TypeError("text has values of variable width");
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return Array.from({ length: count }, (_, i) =>
    decoder.decode(values.bytes.subarray(values.offsets[i], values.offsets[i + 1])),
  );
}

/** Orders `keys` as `listed`, other keys last; warns of listed names that are missing. */
export function orderedFields(
  keys: readonly string[],
  listed: readonly string[] | null,
  path: string,
  cx: MatlabContext,
): readonly string[] {
  if (listed === null) return keys;
  const there = new Set(keys);
  const missing = listed.filter((name) => !there.has(name));
  if (missing.length > 0) {
    cx.warn(`${path}: MATLAB_fields lists ${missing.slice(0, 8).join(", ")}, which the struct does not have`);
  }
  const named = new Set(listed);
  return [...listed.filter((name) => there.has(name)), ...keys.filter((key) => !named.has(key))];
}

interface AnnarrowDescription {
  /** The fields, with original names in place of changed ones. */
  readonly fields: readonly string[];
  /** `annarrow`: the JSON of a table; `names`: names in the file by original names; `mapping`: the kind of mapping. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

export function annarrowDescription(group: Group, fields: readonly string[]): AnnarrowDescription {
  const text = textAttribute(group, "annarrow");
  if (text === null) return { fields, metadata: {} };
  const json = parseJsonObject(text);
  // Reading the table warns of text that is not JSON.
  if (json === null || "fields" in json) return { fields, metadata: { annarrow: text } };
  const { names, mapping } = json;
  const renamed = isJsonObject(names) ? fields.map((field) => originalName(names[field]) ?? field) : fields;
  const isDistinct = new Set(renamed).size === renamed.length;
  const own = isDistinct ? renamed : fields;
  const stored = own.flatMap((name, i) => (name === fields[i] ? [] : [[name, fields[i]] as const]));
  return {
    fields: own,
    metadata: {
      ...(stored.length === 0 ? {} : { names: Object.fromEntries(stored) }),
      ...(mapping === "anndata" || mapping === "raw" ? { mapping } : {}),
    },
  };
}

/** A name that can be one part of a path; null for other values. */
function originalName(name: unknown): string | null {
  return typeof name === "string" && name !== "" && !name.includes("/") ? name : null;
}
