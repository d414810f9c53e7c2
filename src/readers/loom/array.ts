/**
 * Presents stored arrays of a Loom file as tables, and as columns of `row_attrs` and `col_attrs`. Files before 3.0.0
 * store text as fixed-width ASCII, with XML character references for all other characters.
 */

import { toStorageMetadata } from "../../arrow/storage-metadata.js";
import type { ArrowField } from "../../arrow/type.js";
import type { Node, StoredArray } from "../../containers/tree/container.js";
import { getColumnType } from "../../jobs/rows/columns.js";
import { decodeReferences } from "../../kernels/text/character-references.js";
import type { StoredType, StoredValues } from "../../model/stored.js";
import { createArrayTable, createNullTable, hasNullableRows, type TableElement } from "../element.js";
import type { ReaderContext } from "../reader.js";

/** Makes the table for an array. @param origin "root" for a global attribute that is stored on the root. */
export function createLoomArrayElement(stored: StoredArray, cx: LoomContext, origin?: "root"): TableElement {
  const own = { ...(origin === undefined ? {} : { origin }), ...getLastModified(stored) };
  if (stored.shape === null) return createNullTable(own);
  const array = createDecodedTextArray(stored, cx);
  const { type, shape } = stored;
  return createArrayTable(array, { kind: arrayKind(array), shape, ...getEntityMetadata(type, cx), ...own });
}

/** Makes a column. Its metadata contain the details that a writer needs. */
export function createLoomColumn(name: string, stored: StoredArray, cx: LoomContext): [ArrowField, StoredArray] {
  const array = createDecodedTextArray(stored, cx);
  const { type } = stored;
  const metadata = {
    kind: arrayKind(array),
    ...toStorageMetadata(type),
    ...getEntityMetadata(type, cx),
    ...getLastModified(stored),
  };
  return [{ name, type: getColumnType({ kind: "array", array }), nullable: hasNullableRows(array), metadata }, array];
}

function arrayKind({ type, shape }: StoredArray): string {
  if (type.kind === "record") return "rec-array";
  const text = type.kind === "text";
  if (shape?.length === 0) return text ? "string" : "numeric-scalar";
  return text ? "string-array" : "array";
}

export interface LoomContext extends ReaderContext {
  /**
   * Whether fixed-width ASCII text contains XML character references. This is the case before 3.0.0, or without a
   * version.
   */
  readonly escaped: boolean;
}

/** Returns the time stamp that loompy adds to every node that it changes. */
export function getLastModified({ attributes }: Pick<Node, "attributes">): { readonly last_modified?: string } {
  const value = attributes.get("last_modified");
  const text = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return typeof text === "string" ? { last_modified: text } : {};
}

/** Whether text of this type, or text in a record of this type, can contain character references. */
function mayHaveReferences(type: StoredType, { escaped }: LoomContext): boolean {
  return escaped && holdsFixedAscii(type);
}

/** Wraps an array so that character references are decoded, if the file can contain any. */
export function createDecodedTextArray(array: StoredArray, cx: LoomContext): StoredArray {
  if (!mayHaveReferences(array.type, cx)) return array;
  const { kind, path, id, attributes, type, shape, chunks } = array;
  return {
    ...{ kind, path, id, attributes, type, shape, chunks },
    read: async (start, end, options) => decoded(type, await array.read(start, end, options)),
  };
}

/** Returns metadata that make a writer encode character references again. */
export function getEntityMetadata(type: StoredType, cx: LoomContext): { readonly entityEscaped?: true } {
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
