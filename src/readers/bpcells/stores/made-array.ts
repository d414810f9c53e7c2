/** Arrays that no container holds: what an R object says in another way. */

import { storedTexts } from "../../../arrow/text.js";
import type { StoredArray } from "../../../containers/tree/container.js";
import { bytesOf, type StoredType, viewOf } from "../../../model/stored.js";

const TEXT: StoredType = { kind: "text", storage: { form: "variable", encoding: "utf-8" } };

/** A list of texts. @param path what errors call it. */
export function textArray(texts: readonly string[], path: string): StoredArray {
  return {
    ...{ kind: "array", path, id: path, attributes: new Map(), type: TEXT, shape: [texts.length], chunks: null },
    read: async (start, end) => storedTexts(texts.slice(start, end)),
  };
}

/** The 32-bit numbers of an array as others of the same bits. */
export function sameBits(
  array: StoredArray,
  type:
    | { readonly kind: "int"; readonly bits: 32; readonly signed: false }
    | { readonly kind: "float"; readonly bits: 32 },
): StoredArray {
  const { kind, path, id, attributes, shape, chunks, readInto } = array;
  return {
    ...{ kind, path, id, attributes, shape, chunks, type },
    read: async (start, end, options) => {
      const read = await array.read(start, end, options);
      if (read.kind !== "fixed") throw new TypeError("values of no fixed size");
      return { kind: "fixed", values: viewOf(type, bytesOf(read.values)) };
    },
    ...(readInto === undefined ? {} : { readInto: readInto.bind(array) }),
  };
}
