/** `MATLAB_fields`: the names of a struct's fields in their order, each as a sequence of characters. */

import { storedTexts } from "../../arrow/text.js";
import type { SequenceValues, WrittenAttribute, WrittenType } from "../../containers/tree/container-writer.js";
import { located } from "../../model/errors.js";
import { isAscii } from "./attributes.js";
import type { MatlabWriterContext } from "./context.js";
import { openArray } from "./place.js";

/** Longer lists stand in a dataset of their own, to which the attribute refers. */
const MOST_CHARACTERS = 4096;

const NAME: WrittenType = {
  kind: "sequence",
  item: { kind: "text", storage: { form: "fixed", encoding: "ascii", width: 1, padding: "nullterm" } },
};

/**
 * The attribute; null for names that it has no form for: they are those of the group then.
 * @param element what errors call the struct.
 */
export async function fieldsAttribute(
  names: readonly string[],
  element: string,
  cx: MatlabWriterContext,
): Promise<WrittenAttribute | null> {
  if (!names.every(isAscii)) return null;
  const values = sequences(names);
  const characters = values.offsets[names.length];
  if (characters < MOST_CHARACTERS) return { type: NAME, shape: [names.length], values };
  const place = await cx.references.place(element);
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
