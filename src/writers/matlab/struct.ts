/** Structs: a group whose members are the fields; of arrays of them, lists of references. */

import { storedTexts } from "../../arrow/text.js";
import type { SequenceValues, WrittenAttribute, WrittenType } from "../../containers/tree/container-writer.js";
import { located } from "../../model/errors.js";
import { product } from "../../model/stored.js";
import { attributesOf, isAscii, pythonDict, type ValueAttributes, writeEmptyValue } from "./attributes.js";
import { openArray, openGroup, referredPlace, type ValueGroup, type ValuePlace } from "./context.js";
import { classOf, isFromMatlab, type MatlabMetadata } from "./metadata.js";

type Own = Pick<ValueAttributes, "annarrow">;

/** Begins a 1 x 1 struct or the group of a struct array. */
export async function openStruct(
  place: ValuePlace,
  fields: readonly string[],
  metadata: MatlabMetadata,
  own: Own = {},
): Promise<ValueGroup> {
  // What has no class is a group of a plain HDF5 file.
  const name = metadata.class === "" ? null : (classOf(metadata) ?? "struct");
  const value = await structAttributes(place, name, fields, metadata);
  return await openGroup(place, attributesOf(place, metadata, { ...value, ...own }));
}

/** A struct without elements, or without fields. */
export async function writeEmptyStruct(
  place: ValuePlace,
  size: readonly number[],
  fields: readonly string[],
  metadata: MatlabMetadata,
): Promise<void> {
  // Without members the list alone has the fields.
  const listed = { ...metadata, fieldsListed: fields.length > 0 };
  const value = await structAttributes(place, classOf(metadata) ?? "struct", fields, listed);
  if (metadata.class === "" || (product(size) === 1 && metadata.empty !== true && metadata.size !== undefined)) {
    // A group without members.
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
  // What was read has a list where it had one: as a rule, from two fields on.
  const isListed = metadata.fieldsListed ?? (isFromMatlab(metadata) ? fields.length > 1 : fields.length > 0);
  const attribute = isListed === true ? await fieldsAttribute(fields, place) : null;
  return { class: name, ...(attribute === null ? {} : { fields: attribute }), ...pythonDict(place.cx, fields) };
}

/** Longer lists stand in a dataset of their own, to which the attribute refers. */
const MOST_CHARACTERS = 4096;

const NAME: WrittenType = {
  kind: "sequence",
  item: { kind: "text", storage: { form: "fixed", encoding: "ascii", width: 1, padding: "nullterm" } },
};

/** The attribute of the struct at a place; null for names that it has no form for: the group's members tell them then. */
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
