/** Writes structs as groups whose members are the fields. A field of a struct array is a list of references. */

import { storedTexts } from "../../arrow/text.js";
import type { WrittenAttribute } from "../../containers/tree/container-writer.js";
import { located } from "../../model/errors.js";
import { product, type SequenceValues, type StoredType } from "../../model/stored.js";
import { attributesOf, isAscii, pythonDict, type ValueAttributes, writeEmptyValue } from "./attributes.js";
import { openArray, openGroup, referredPlace, type ValueGroup, type ValuePlace } from "./context.js";
import { classOf, isFromMatlab, type MatlabMetadata } from "./metadata.js";

type Own = Pick<ValueAttributes, "annarrow">;

/** Creates a 1 x 1 struct, or the group of a struct array. */
export async function openStruct(
  place: ValuePlace,
  fields: readonly string[],
  metadata: MatlabMetadata,
  own: Own = {},
): Promise<ValueGroup> {
  // A struct without a class is a group of a generic HDF5 file.
  const name = metadata.class === "" ? null : (classOf(metadata) ?? "struct");
  const value = await structAttributes(place, name, fields, metadata);
  return await openGroup(place, attributesOf(place, metadata, { ...value, ...own }));
}

/** Writes a struct without elements, or without fields. */
export async function writeEmptyStruct(
  place: ValuePlace,
  size: readonly number[],
  fields: readonly string[],
  metadata: MatlabMetadata,
): Promise<void> {
  // A group without members has its fields only in the list.
  const listed = { ...metadata, fieldsListed: fields.length > 0 };
  const value = await structAttributes(place, classOf(metadata) ?? "struct", fields, listed);
  if (metadata.class === "" || (product(size) === 1 && metadata.empty !== true && metadata.size !== undefined)) {
    // A struct without fields is a group without members.
    const name = metadata.class === "" ? null : value.class;
    await openGroup(place, attributesOf(place, metadata, { ...value, class: name }));
    return;
  }
  await writeEmptyValue(place, size, metadata, value);
}

async function structAttributes(
  place: ValuePlace,
  name: string | null,
  fields: readonly string[],
  metadata: MatlabMetadata,
): Promise<ValueAttributes> {
  if (name === null) return { class: null };
  // A struct from a file has a field list if it had one in the file, which is usual from two fields on.
  const isListed = metadata.fieldsListed ?? (isFromMatlab(metadata) ? fields.length > 1 : fields.length > 0);
  const attribute = isListed === true ? await fieldsAttribute(fields, place) : null;
  return { class: name, fields: attribute ?? undefined, ...pythonDict(place.cx, fields) };
}

/** Maximum number of characters of a list in the attribute; for longer lists it references a dataset. */
const MOST_CHARACTERS = 4096;

const NAME: StoredType = {
  kind: "sequence",
  item: { kind: "text", storage: { form: "fixed", encoding: "ascii", width: 1, padding: "nullterm" } },
};

/**
 * Returns the attribute with the fields of a struct; null for names that it cannot hold. Then the group's members
 * define the fields.
 */
export async function fieldsAttribute(
  names: readonly string[],
  { cx, element }: ValuePlace,
): Promise<WrittenAttribute | null> {
  if (!names.every(isAscii)) return null;
  const values = sequences(names);
  const characters = values.offsets[names.length];
  if (characters < MOST_CHARACTERS) return { type: NAME, shape: [names.length], values };
  const place = await referredPlace(cx, element);
  const array = await openArray(place, { type: NAME, shape: [names.length], compressed: false });
  await located({ element }, async () => {
    await array.write(values, names.length);
    await array.close();
  });
  const reference = BigUint64Array.of(cx.references.to(place));
  return { type: { kind: "reference" }, shape: [], values: { kind: "fixed", values: reference } };
}

function sequences(names: readonly string[]): SequenceValues {
  const offsets = new Int32Array(names.length + 1);
  for (const [i, name] of names.entries()) offsets[i + 1] = offsets[i] + name.length;
  return { kind: "sequence", offsets, values: storedTexts([...names.join("")]) };
}
