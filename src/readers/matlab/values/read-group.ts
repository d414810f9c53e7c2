/** Groups: structs and what is stored like them, sparse matrices, enumerations. */

import type { Group, Node, StoredArray } from "../../../containers/tree/container.js";
import { InvalidDataError, isAnnarrowError } from "../../../model/errors.js";
import { childNames, openChild } from "../../context.js";
import { inOrder } from "../../in-order.js";
import { attributeMetadata, classOf } from "./attributes.js";
import type { MatlabContext, ValueScope } from "./context.js";
import { enumerationValue, isEnumeration } from "./enumeration-value.js";
import { inFieldOrder, listedFields } from "./fields.js";
import { ownDescription } from "./own-struct.js";
import { readMembers, readReferences } from "./read-value.js";
import { sparseValue } from "./sparse.js";
import type { StructValue, Value } from "./value.js";

export async function readGroup(group: Group, place: ValueScope, cx: MatlabContext): Promise<Value> {
  if (group.attributes.has("MATLAB_sparse")) return await sparseValue(group, cx);
  const keys = await childNames(group, cx);
  if (isEnumeration(keys)) return await enumerationValue(group, keys, place, cx);
  const listed = await listedFields(group, cx);
  const fields = inFieldOrder(keys, listed, group.path, cx);
  const name = classOf(group);
  if (listed === null && name !== null && keys.length > 1) {
    cx.warn(`${group.path}: no MATLAB_fields; the fields are in the order of their names`);
  }
  // Structs of one field have no list of them.
  const isListed = listed !== null;
  const own = ownDescription(group, fields);
  const metadata = {
    ...attributeMetadata(group),
    ...own.metadata,
    ...(isListed === fields.length > 1 ? {} : { fieldsListed: isListed }),
  };
  const array = name === null || fields.length === 0 ? null : await structArray(group, fields, place, cx);
  if (array !== null) {
    const { fieldMetadata, ...parts } = array;
    const more = Object.keys(fieldMetadata).length === 0 ? {} : { fieldMetadata };
    return { kind: "struct", class: name ?? "", metadata: { ...metadata, ...more }, fields, ...parts, node: group };
  }
  const values = await readMembers(group, fields, place, cx);
  const columns = values.map((value) => [value]);
  return { kind: "struct", class: name ?? "", size: [1, 1], metadata, fields: own.fields, columns };
}

interface StructArray extends Pick<StructValue, "size" | "columns"> {
  /** What the datasets of the fields say beside their references. */
  readonly fieldMetadata: Readonly<Record<string, unknown>>;
}

/** A struct array has a dataset of references for each field, which has no class of its own; null for another one. */
async function structArray(
  group: Group,
  fields: readonly string[],
  place: ValueScope,
  cx: MatlabContext,
): Promise<StructArray | null> {
  const first = await memberOrNull(group, fields[0], cx);
  if (first === null || !isBare(first)) return null;
  const members = await inOrder(fields, (name) => memberOrNull(group, name, cx));
  const datasets = members.filter((member): member is StoredArray => member !== null && isBare(member));
  if (datasets.length < fields.length) return null;
  const { shape } = first;
  for (const [i, dataset] of datasets.entries()) {
    if (String(dataset.shape) === String(shape)) continue;
    throw new InvalidDataError(
      `field ${fields[i]} of a struct array has shape ${dataset.shape?.join(" x ")}, ${fields[0]} has ${shape?.join(" x ")}`,
    );
  }
  const within = { ...place, within: [...place.within, group.id] };
  const columns: (readonly Value[])[] = [];
  for (const dataset of datasets) columns.push(await readReferences(dataset, within, cx));
  const said = datasets.map((dataset, i) => [fields[i], attributeMetadata(dataset)] as const);
  const fieldMetadata = Object.fromEntries(said.filter(([, one]) => Object.keys(one).length > 0));
  return { size: [...(shape ?? [])].reverse(), columns, fieldMetadata };
}

async function memberOrNull(group: Group, name: string, cx: MatlabContext): Promise<Node | null> {
  try {
    return await openChild(group, name, cx);
  } catch (error) {
    if (!isAnnarrowError(error)) throw error;
    // The failure stands where the field itself is read.
    return null;
  }
}

function isBare(node: Node): node is StoredArray {
  return node.kind === "array" && node.type.kind === "reference" && !node.attributes.has("MATLAB_class");
}
