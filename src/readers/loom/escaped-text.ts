/** Text of old files: ASCII of fixed width, in which other characters are XML character references. */

import type { StoredArray } from "../../containers/tree/container.js";
import { decodeReferences } from "../../kernels/text/character-references.js";
import type { StoredType, StoredValues } from "../../model/stored.js";
import type { LoomContext } from "./context.js";

/** Whether text of this type, or in this record, is written with references in old files. */
export function mayHaveReferences(type: StoredType, { escaped }: LoomContext): boolean {
  return escaped && holdsFixedAscii(type);
}

/** The array with its references decoded, where its file has any. */
export function decodedText(array: StoredArray, cx: LoomContext): StoredArray {
  if (!mayHaveReferences(array.type, cx)) return array;
  const { kind, path, id, attributes, type, shape, chunks } = array;
  return {
    ...{ kind, path, id, attributes, type, shape, chunks },
    read: async (start, end, options) => decoded(type, await array.read(start, end, options)),
  };
}

/** What is to be remembered of such an array, so that it is written back as it was. */
export function referenceMetadata(type: StoredType, cx: LoomContext): { readonly entityEscaped?: true } {
  return mayHaveReferences(type, cx) ? { entityEscaped: true } : {};
}

function holdsFixedAscii(type: StoredType): boolean {
  if (type.kind === "record") return type.fields.some((field) => holdsFixedAscii(field.type));
  return type.kind === "text" && type.storage.form === "fixed" && type.storage.encoding === "ascii";
}

function decoded(type: StoredType, values: StoredValues): StoredValues {
  if (!holdsFixedAscii(type)) return values;
  if (values.kind === "variable") return decodeReferences(values);
  if (values.kind !== "record" || type.kind !== "record") return values;
  return { ...values, fields: values.fields.map((field, i) => decoded(type.fields[i].type, field)) };
}
