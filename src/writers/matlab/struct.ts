/** Writes structs as groups whose members are the fields. A field of a struct array is a list of references. */

import { encodeStoredTexts } from "../../arrow/text.js";
import type { WrittenAttribute } from "../../containers/tree/container-writer.js";
import { runWithLocation } from "../../model/errors.js";
import { countElements, type SequenceValues, type StoredType } from "../../model/stored.js";
import {
  createMatlabAttributes,
  createPythonDict,
  isAscii,
  type ValueAttributes,
  writeEmptyValue,
} from "./attributes.js";
import {
  createReferencedDestination,
  openArray,
  openGroup,
  type ValueDestination,
  type ValueGroup,
} from "./context.js";
import { findMetadataClass, isFromMatlab, type MatlabMetadata } from "./metadata.js";

type Own = Pick<ValueAttributes, "annarrow">;

/** Creates a 1 x 1 struct, or the group of a struct array. */
export async function openStruct(
  place: ValueDestination,
  fields: readonly string[],
  metadata: MatlabMetadata,
  own: Own = {},
): Promise<ValueGroup> {
  // A struct without a class is a group in a generic HDF5 file.
  const name = metadata.class === "" ? null : (findMetadataClass(metadata) ?? "struct");
  const value = await structAttributes(place, name, fields, metadata);
  return await openGroup(place, createMatlabAttributes(place, metadata, { ...value, ...own }));
}

/** Writes a struct that has no elements or no fields. */
export async function writeEmptyStruct(
  place: ValueDestination,
  size: readonly number[],
  fields: readonly string[],
  metadata: MatlabMetadata,
): Promise<void> {
  // A group without members names its fields only in the list.
  const listed = { ...metadata, fieldsListed: fields.length > 0 };
  const value = await structAttributes(place, findMetadataClass(metadata) ?? "struct", fields, listed);
  if (metadata.class === "" || (countElements(size) === 1 && metadata.empty !== true && metadata.size !== undefined)) {
    // A struct without fields is a group without members.
    const name = metadata.class === "" ? null : value.class;
    await openGroup(place, createMatlabAttributes(place, metadata, { ...value, class: name }));
    return;
  }
  await writeEmptyValue(place, size, metadata, value);
}

async function structAttributes(
  place: ValueDestination,
  name: string | null,
  fields: readonly string[],
  metadata: MatlabMetadata,
): Promise<ValueAttributes> {
  if (name === null) return { class: null };
  // A struct that was read from a file has a field list if it had one in the file, which is usual for two or more
  // fields.
  const isListed = metadata.fieldsListed ?? (isFromMatlab(metadata) ? fields.length > 1 : fields.length > 0);
  const attribute = isListed === true ? await createFieldsAttribute(fields, place) : null;
  return { class: name, fields: attribute ?? undefined, ...createPythonDict(place.cx, fields) };
}

/**
 * Maximum number of characters in a list that the attribute contains. For a longer list, the attribute references a
 * dataset.
 */
const MAX_CHARACTERS = 4096;

const NAME: StoredType = {
  kind: "sequence",
  item: { kind: "text", storage: { form: "fixed", encoding: "ascii", width: 1, padding: "nullterm" } },
};

/**
 * Returns the attribute that lists a struct's fields; null if it cannot contain their names. In that case, the group's
 * members define the fields.
 */
export async function createFieldsAttribute(
  names: readonly string[],
  { cx, element }: ValueDestination,
): Promise<WrittenAttribute | null> {
  if (!names.every(isAscii)) return null;
  const values = sequences(names);
  const characters = values.offsets[names.length];
  if (characters < MAX_CHARACTERS) return { type: NAME, shape: [names.length], values };
  const place = await createReferencedDestination(cx, element);
  const array = await openArray(place, { type: NAME, shape: [names.length], compressed: false });
  await runWithLocation({ element }, async () => {
    await array.write(values, names.length);
    await array.close();
  });
  const reference = BigUint64Array.of(cx.references.to(place));
  return { type: { kind: "reference" }, shape: [], values: { kind: "fixed", values: reference } };
}

function sequences(names: readonly string[]): SequenceValues {
  const offsets = new Int32Array(names.length + 1);
  for (const [i, name] of names.entries()) offsets[i + 1] = offsets[i] + name.length;
  return { kind: "sequence", offsets, values: encodeStoredTexts([...names.join("")]) };
}
