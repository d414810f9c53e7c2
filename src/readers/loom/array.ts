/** Stored arrays of a Loom file, as tables of their own and as columns of `row_attrs` and `col_attrs`. */

import type { ArrowField } from "../../arrow/type.js";
import { storageMetadata } from "../../arrow/written-type.js";
import type { StoredArray } from "../../containers/tree/container.js";
import { columnType } from "../../jobs/rows/columns.js";
import { arrayMayBeNull, nullElement, arrayElement as tableOf } from "../array-element.js";
import type { TableElement } from "../element.js";
import { type LoomContext, lastModified } from "./context.js";
import { decodedText, referenceMetadata } from "./escaped-text.js";

/** @param origin where a global stands that is no child of `/attrs`. */
export function arrayElement(stored: StoredArray, cx: LoomContext, origin?: "root"): TableElement {
  const own = { ...(origin === undefined ? {} : { origin }), ...lastModified(stored) };
  if (stored.shape === null) return nullElement(own);
  const array = decodedText(stored, cx);
  const { type, shape } = stored;
  return tableOf(array, { kind: arrayKind(array), shape, ...referenceMetadata(type, cx), ...own });
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
