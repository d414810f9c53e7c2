/** Arrays of members of an enumeration: a group that names the class and its members. */

import type { Group } from "../../../containers/container.js";
import { isAnnarrowError } from "../../../errors.js";
import { attributeMetadata, classOf } from "../attributes.js";
import type { MatlabContext, Place } from "../context.js";
import { numbersOf } from "../memory-array.js";
import { storedOrder } from "../numeric.js";
import { readMembers } from "../read-value.js";
import type { EnumerationValue, Value } from "../value.js";

const TAG = "EnumerationInstanceTag";

export function isEnumeration(keys: readonly string[]): boolean {
  return keys.includes(TAG);
}

export async function enumerationValue(
  group: Group,
  keys: readonly string[],
  place: Place,
  cx: MatlabContext,
): Promise<EnumerationValue> {
  const names = keys.filter((key) => key !== TAG);
  const values = await readMembers(group, names, { ...place, inside: true }, cx);
  const parts = new Map(names.map((name, i) => [name, values[i]]));
  const indices = parts.get("ValueIndices");
  const name = (await enumerationClass(parts.get("ClassName"), cx)) ?? classOf(group) ?? "";
  const members = await memberNames(parts.get("ValueNames"), cx);
  return {
    kind: "enumeration",
    names: members,
    class: name,
    size: indices?.size ?? [1, 1],
    metadata: attributeMetadata(group),
    parts,
  };
}

/** More members than any real enumeration has. */
const MAX_MEMBERS = 2 ** 20;

/** The names are numbers of those in the store. */
async function memberNames(value: Value | undefined, cx: MatlabContext): Promise<readonly string[] | null> {
  if (value?.kind !== "numeric" || value.type.kind !== "int" || cx.store === null) return null;
  const { names } = cx.store.metadata;
  const members = (await numbersOf(storedOrder(value), MAX_MEMBERS)).map((index) => names[index - 1]);
  const isKnown = (name: string | undefined): name is string => name !== undefined;
  return members.every(isKnown) && new Set(members).size === members.length ? members : null;
}

/** The class by its number in the store; null where that does not have it. */
async function enumerationClass(value: Value | undefined, cx: MatlabContext): Promise<string | null> {
  if (value?.kind !== "numeric" || cx.store === null) return null;
  try {
    const [id] = await numbersOf(storedOrder(value), 1);
    return cx.store.className(id);
  } catch (error) {
    if (isAnnarrowError(error)) return null;
    throw error;
  }
}
