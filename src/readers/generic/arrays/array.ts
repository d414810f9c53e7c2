/**
 * Makes the table for an array. Its rows run along the array's first dimension. It has one column `value`, or one
 * column for each field of a record.
 */

import { encodeStoredTexts } from "../../../arrow/text.js";
import type { StoredArray } from "../../../containers/tree/container.js";
import { type StoredType, type StoredValues, viewAsBytes } from "../../../model/stored.js";
import { createArrayTable, createNullTable, type TableElement } from "../../element.js";
import { createCfElement } from "./cf-element.js";
import type { GenericContext } from "./context.js";

/** @throws {UnsupportedError} for values without an Arrow type. */
export function createGenericArrayElement(stored: StoredArray, cx: GenericContext): TableElement {
  const decoded = cx.plain?.cf === true ? createCfElement(stored, cx) : null;
  if (decoded !== null) return decoded;
  const array = withPaths(stored, cx);
  const { shape } = array;
  const references = getReferenceKind(stored.type);
  return shape === null
    ? createNullTable({})
    : createArrayTable(array, { kind: kindOf(array), shape, ...(references === null ? {} : { references }) });
}

function kindOf({ type, shape }: StoredArray): string {
  if (type.kind === "record") return "rec-array";
  const isText = type.kind === "text";
  if (shape?.length === 0) return isText ? "string" : "numeric-scalar";
  return isText ? "string-array" : "array";
}

// Represents references as the paths of the objects to which they point.

const PATH: StoredType = { kind: "text", storage: { form: "variable", encoding: "utf-8" } };

/** Replaces references by paths. Returns arrays without references unchanged. */
function withPaths(array: StoredArray, { paths }: GenericContext): StoredArray {
  if (!hasReferences(array.type)) return array;
  const { kind, path, id, attributes, shape, chunks } = array;
  const { type } = array;
  const pathOf = (value: bigint) => paths.of({ kind: "reference", bytes: viewAsBytes(BigUint64Array.of(value)) });
  return {
    ...{ kind, path, id, attributes, shape, chunks, type: pathType(type) },
    read: async (start, end, options) => pathValues(type, await array.read(start, end, options), pathOf),
  };
}

function hasReferences(type: StoredType): boolean {
  switch (type.kind) {
    case "reference":
      return true;
    case "sequence":
      return hasReferences(type.item);
    case "record":
      return type.fields.some((field) => hasReferences(field.type));
    default:
      return false;
  }
}

/**
 * Returns the information that a writer needs to convert paths back to references: `object` for an array of references,
 * `region` for region references; null for other arrays.
 */
function getReferenceKind(type: StoredType): "object" | "region" | null {
  if (type.kind === "reference") return "object";
  return type.kind === "record" && type.fields[0]?.type.kind === "reference" && type.fields[1]?.name === "selection"
    ? "region"
    : null;
}

function pathType(type: StoredType): StoredType {
  switch (type.kind) {
    case "reference":
      return PATH;
    case "sequence":
      return { ...type, item: pathType(type.item) };
    case "record":
      return { ...type, fields: type.fields.map((field) => ({ ...field, type: pathType(field.type) })) };
    default:
      return type;
  }
}

function pathValues(type: StoredType, values: StoredValues, pathOf: (reference: bigint) => string): StoredValues {
  if (type.kind === "reference" && values.kind === "fixed") {
    const texts: string[] = [];
    for (const reference of values.values) texts.push(pathOf(BigInt(reference)));
    return encodeStoredTexts(texts);
  }
  if (type.kind === "sequence" && values.kind === "sequence") {
    return { ...values, values: pathValues(type.item, values.values, pathOf) };
  }
  if (type.kind === "record" && values.kind === "record") {
    return { ...values, fields: values.fields.map((field, i) => pathValues(type.fields[i].type, field, pathOf)) };
  }
  return values;
}
