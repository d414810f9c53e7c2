/** Stored arrays of a Loom file, as tables of their own and as columns of `row_attrs` and `col_attrs`. */

import type { ArrowField } from "../../arrow/type.js";
import { storageMetadata } from "../../arrow/written-type.js";
import type { Node, StoredArray } from "../../containers/tree/container.js";
import { columnType } from "../../jobs/rows/columns.js";
import { decodeReferences } from "../../kernels/text/character-references.js";
import type { StoredType, StoredValues } from "../../model/stored.js";
import { arrayMayBeNull, arrayTable, nullTable, type TableElement } from "../element.js";
import type { ReaderContext } from "../reader.js";

/** @param origin where a global stands that is no child of `/attrs`. */
export function arrayElement(stored: StoredArray, cx: LoomContext, origin?: "root"): TableElement {
  const own = { ...(origin === undefined ? {} : { origin }), ...lastModified(stored) };
  if (stored.shape === null) return nullTable(own);
  const array = decodedText(stored, cx);
  const { type, shape } = stored;
  return arrayTable(array, { kind: arrayKind(array), shape, ...referenceMetadata(type, cx), ...own });
}

/** A column with what is needed to write it back. */
export function arrayField(name: string, stored: StoredArray, cx: LoomContext): [ArrowField, StoredArray] {
  const array = decodedText(stored, cx);
  const { type } = stored;
  const metadata = {
    kind: arrayKind(array),
    ...storageMetadata(type),
    ...referenceMetadata(type, cx),
    ...lastModified(stored),
  };
  return [{ name, type: columnType({ kind: "array", array }), nullable: arrayMayBeNull(array), metadata }, array];
}

function arrayKind({ type, shape }: StoredArray): string {
  if (type.kind === "record") return "rec-array";
  const text = type.kind === "text";
  if (shape?.length === 0) return text ? "string" : "numeric-scalar";
  return text ? "string-array" : "array";
}

export interface LoomContext extends ReaderContext {
  /** Whether fixed ASCII text holds XML character references: in files before 3.0.0, or without a version. */
  readonly escaped: boolean;
}

/** The time stamp that loompy puts on every node that it changes. */
export function lastModified({ attributes }: Pick<Node, "attributes">): { readonly last_modified?: string } {
  const value = attributes.get("last_modified");
  const text = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return typeof text === "string" ? { last_modified: text } : {};
}

/** Whether text of this type, or in this record, is written with references in old files. */
function mayHaveReferences(type: StoredType, { escaped }: LoomContext): boolean {
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
