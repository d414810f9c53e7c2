/** The Arrow type of a form: that of Awkward Array's `to_arrow` without extension arrays. */

import { storedArrowType } from "../stored.js";
import { type ArrowField, type ArrowType, BINARY, field, INT32, NULL, nested, UTF8 } from "../type.js";
import type { RaggedForm } from "./form.js";

/** The Arrow type of the form. Lists are List: no batch holds 2^31 entries. */
export function raggedType(form: RaggedForm): ArrowType {
  switch (form.class) {
    case "NumpyArray":
      return nested(storedArrowType(form.type), form.innerShape);
    case "EmptyArray":
      return NULL;
    case "ListOffsetArray":
    case "ListArray":
      return textType(form.text) ?? { id: "List", item: child("item", form.content) };
    case "RegularArray":
      if (form.text === "bytestring") return { id: "FixedSizeBinary", width: form.size };
      return textType(form.text) ?? { id: "FixedSizeList", size: form.size, item: child("item", form.content) };
    case "RecordArray":
      return { id: "Struct", fields: form.contents.map((content, i) => child(form.fields[i], content)) };
    case "IndexedArray":
    case "IndexedOptionArray":
      return form.categorical
        ? { id: "Dictionary", index: INT32, value: raggedType(form.content), ordered: false }
        : raggedType(form.content);
    case "ByteMaskedArray":
    case "BitMaskedArray":
    case "UnmaskedArray":
      return raggedType(form.content);
    case "UnionArray":
      return { id: "DenseUnion", fields: form.contents.map((content, i) => child(String(i), content)) };
    default:
      return form satisfies never;
  }
}

/** Nullable throughout: an option anywhere above hands its nulls down to records and unions. */
function child(name: string, form: RaggedForm): ArrowField {
  return field(name, raggedType(form));
}

function textType(text: "string" | "bytestring" | null): ArrowType | null {
  return text === null ? null : text === "string" ? UTF8 : BINARY;
}
