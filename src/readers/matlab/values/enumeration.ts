/** Arrays of enumeration members: their value, and their column. */

import type { Group, StoredArray } from "../../../containers/tree/container.js";
import { isAnnarrowError } from "../../../model/errors.js";
import { getAttributeMetadata, getMatlabClass } from "./attributes.js";
import type { MatlabContext } from "./context.js";
import { createMatlabTextArray, readArrayNumbers } from "./memory-array.js";
import { toColumnMajorArray, toNumericRows } from "./numeric.js";
import type { EnumerationValue, Value, ValueColumn } from "./value.js";

/** Makes a categorical column from the members; null if the value lacks the parts of an enumeration. */
export function createEnumerationColumn(value: EnumerationValue, inFrame: boolean): ValueColumn | null {
  const indices = value.parts.get("ValueIndices");
  const { names } = value;
  if (indices?.kind !== "numeric" || indices.type.kind !== "int" || names === null) return null;
  const array: StoredArray = toNumericRows(indices, inFrame);
  const codes = { kind: "array", array } as const;
  const categories = { kind: "array", array: createMatlabTextArray("ValueNames", names) } as const;
  return {
    plan: { kind: "categorical", codes, categories, ordered: false },
    nullable: true,
    rows: array.shape?.[0] ?? 1,
    size: indices.size,
    kind: "categorical",
    metadata: { ...value.metadata, enumeration: true },
  };
}

/** The group member that marks the group as an enumeration. It has no value of its own. */
export const ENUMERATION_TAG = "EnumerationInstanceTag";

/**
 * Reads an enumeration array.
 * @param parts the values of the group's other members, by name.
 */
export async function readEnumerationValue(
  group: Group,
  parts: ReadonlyMap<string, Value>,
  cx: MatlabContext,
): Promise<EnumerationValue> {
  const indices = parts.get("ValueIndices");
  const name = (await enumerationClass(parts.get("ClassName"), cx)) ?? getMatlabClass(group) ?? "";
  const builtin = await enumerationClass(parts.get("BuiltinClassName"), cx);
  const members = await memberNames(parts.get("ValueNames"), cx);
  const stored = await memberValues(parts.get("Values"), members, cx);
  return {
    kind: "enumeration",
    names: members,
    class: name,
    size: indices?.size ?? [1, 1],
    metadata: {
      ...getAttributeMetadata(group),
      ...(builtin === null ? {} : { builtinClass: builtin }),
      ...(stored === null ? {} : { values: stored }),
    },
    parts,
    node: group,
  };
}

/** Maximum number of members in an enumeration. Real enumerations have fewer. */
const MAX_MEMBERS = 2 ** 20;

/** Reads the member names, which are stored as numbers of names in the object store. */
async function memberNames(value: Value | undefined, cx: MatlabContext): Promise<readonly string[] | null> {
  if (value?.kind !== "numeric" || value.type.kind !== "int" || cx.store === null) return null;
  const { names } = cx.store;
  const members = (await readArrayNumbers(toColumnMajorArray(value), MAX_MEMBERS)).map((index) => names[index - 1]);
  const isKnown = (name: string | undefined): name is string => name !== undefined;
  return members.every(isKnown) && new Set(members).size === members.length ? members : null;
}

/** Maximum number of members whose values are added to the metadata. */
const MAX_VALUES = 4096;

/** Reads the properties of each member as JSON; null if the values are not objects. */
async function memberValues(
  value: Value | undefined,
  members: readonly string[] | null,
  cx: MatlabContext,
): Promise<readonly unknown[] | null> {
  if (value?.kind !== "cell" || value.items.length !== members?.length || value.items.length > MAX_VALUES) return null;
  const { toPropertiesJson } = await import("./json-column.js");
  const found: unknown[] = [];
  try {
    for (const item of value.items) {
      if (item.kind !== "object" || item.objects.length !== 1) return null;
      found.push(await toPropertiesJson(item.objects[0]));
    }
  } catch (error) {
    if (!isAnnarrowError(error)) throw error;
    cx.warn(`the values of the members ${members.slice(0, 8).join(", ")} cannot be read: ${error.problem}`);
    return null;
  }
  return found;
}

/** Reads the class with a number in the object store; null if the store does not contain the class. */
async function enumerationClass(value: Value | undefined, cx: MatlabContext): Promise<string | null> {
  if (value?.kind !== "numeric" || cx.store === null) return null;
  try {
    const [id] = await readArrayNumbers(toColumnMajorArray(value), 1);
    return cx.store.className(id);
  } catch (error) {
    if (isAnnarrowError(error)) return null;
    throw error;
  }
}
