/** Structs: a group whose members are the fields; of arrays of them, lists of references. */

import type { GroupWriter } from "../../containers/tree/container-writer.js";
import { product } from "../../model/stored.js";
import { attributesOf, type ValueAttributes } from "./attributes.js";
import type { MatlabWriterContext } from "./context.js";
import { writeEmpty } from "./empty.js";
import { fieldsAttribute } from "./fields.js";
import { openGroup, type ValuePlace } from "./place.js";
import { pythonDict } from "./python.js";
import { classOf, isOwn, type Metadata } from "./tree/metadata.js";

type Own = Pick<ValueAttributes, "annarrow">;

/** Begins a 1 x 1 struct or the group of a struct array. */
export async function openStruct(
  place: ValuePlace,
  fields: readonly string[],
  metadata: Metadata,
  cx: MatlabWriterContext,
  own: Own = {},
): Promise<GroupWriter> {
  // What has no class is a group of a plain HDF5 file.
  const name = metadata.class === "" ? null : (classOf(metadata) ?? "struct");
  const value = await structAttributes(place, name, fields, metadata, cx);
  return await openGroup(place, attributesOf(place, metadata, { ...value, ...own }));
}

/** A struct without elements, or without fields. */
export async function writeEmptyStruct(
  place: ValuePlace,
  size: readonly number[],
  fields: readonly string[],
  metadata: Metadata,
  cx: MatlabWriterContext,
): Promise<void> {
  // Without members the list alone has the fields.
  const listed = { ...metadata, fieldsListed: fields.length > 0 };
  const value = await structAttributes(place, classOf(metadata) ?? "struct", fields, listed, cx);
  if (metadata.class === "" || (product(size) === 1 && metadata.empty !== true && metadata.size !== undefined)) {
    // A group without members.
    const name = metadata.class === "" ? null : value.class;
    await openGroup(place, attributesOf(place, metadata, { ...value, class: name }));
    return;
  }
  await writeEmpty(place, size, metadata, value);
}

async function structAttributes(
  place: ValuePlace,
  name: string | null,
  fields: readonly string[],
  metadata: Metadata,
  cx: MatlabWriterContext,
): Promise<ValueAttributes> {
  if (name === null) return { class: null };
  // What was read has a list where it had one: as a rule, from two fields on.
  const isListed = metadata.fieldsListed ?? (isOwn(metadata) ? fields.length > 1 : fields.length > 0);
  const attribute = isListed === true ? await fieldsAttribute(fields, place.element, cx) : null;
  return { class: name, ...(attribute === null ? {} : { fields: attribute }), ...pythonDict(cx, fields) };
}
