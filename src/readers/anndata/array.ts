/** `array`, `string-array`, `string`, `numeric-scalar`, `bytes`, `rec-array`, `null`, and arrays without a tag. */

import { storageMetadata } from "../../arrow/written-type.js";
import type { StoredArray } from "../../containers/tree/container.js";
import { nullElement, arrayElement as tableOf } from "../array-element.js";
import type { ColumnElement, TableElement } from "../element.js";
import { encodingOf, textAttribute } from "./attributes.js";
import { encodingMetadata } from "./registry.js";

/** A stored array as a table of its own. */
export function arrayElement(array: StoredArray): TableElement {
  const encoding = encodingMetadata(array);
  if (isNull(array)) return nullElement(encoding);
  const kind = arrayKind(array);
  const shape = logicalShape(array, kind);
  // A scalar that is tagged so, and stored as an array of one.
  const dims = encoding.encoding !== undefined && shape.length !== array.shape?.length ? { dims: array.shape } : {};
  return tableOf(array, { kind, shape, ...encoding, ...dims });
}

/** A stored array as a column of a dataframe. */
export function arrayColumn(array: StoredArray): ColumnElement {
  const metadata = { kind: arrayKind(array), ...storageMetadata(array.type) };
  return { plan: { kind: "array", array }, metadata };
}

/** `null` elements have a null dataspace in HDF5 and a tag in Zarr. */
export function isNull(array: StoredArray): boolean {
  return array.shape === null || textAttribute(array, "encoding-type") === "null";
}

/**
 * The modern `encoding-type`. The data decides, not the tag: anndata 0.8.0 tagged text as `array`, and nothing was
 * tagged before.
 */
export function arrayKind(array: StoredArray): string {
  const { type } = encodingOf(array);
  if (array.type.kind === "record") return "rec-array";
  if (type === "string" || type === "numeric-scalar" || type === "bytes") return type;
  const text = array.type.kind === "text";
  const rank = array.shape?.length ?? 0;
  if (rank === 0 || isUnwrapped(array)) return text ? "string" : "numeric-scalar";
  return text ? "string-array" : "array";
}

/** anndata before 0.7 stored scalars as arrays of one; it takes only fixed-width text back as a scalar. */
function isUnwrapped(array: StoredArray): boolean {
  return (
    encodingOf(array).type === "" &&
    array.shape?.length === 1 &&
    array.shape[0] === 1 &&
    array.type.kind === "text" &&
    array.type.storage.form === "fixed" &&
    array.type.storage.encoding !== "utf-32"
  );
}

/** R writers store scalars as arrays of one; they are scalars where the tag says so. */
function logicalShape(array: StoredArray, kind: string): readonly number[] {
  const shape = array.shape ?? [];
  const scalar = kind === "string" || kind === "numeric-scalar" || kind === "bytes";
  return scalar && shape.length === 1 && shape[0] === 1 ? [] : shape;
}
