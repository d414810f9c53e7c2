/** Opens one-dimensional elements: columns of dataframes, categories, and separate tables. */

import { countContentRows } from "../../arrow/ragged/content-length.js";
import { parseForm } from "../../arrow/ragged/form.js";
import { toStorageMetadata } from "../../arrow/storage-metadata.js";
import type { AttributeValue, Group, Node, Reference, StoredArray } from "../../containers/tree/container.js";
import type { ColumnPlan } from "../../jobs/plan/plan.js";
import { InvalidDataError, isAnnarrowError, UnsupportedError } from "../../model/errors.js";
import { getFlagAttribute, getSizeAttribute, getTextAttribute } from "../attributes.js";
import { mapConcurrently, waitForBoth } from "../concurrency.js";
import { type ColumnElement, createArrayTable, createNullTable, type TableElement } from "../element.js";
import { enterGroup, listChildNames, openChild, openPath, type ReaderContext } from "../reader.js";
import { getEncodingMetadata, getKnownEncoding, getNodeEncoding } from "./encoding.js";

/**
 * Opens a node as a column.
 * @param frame the dataframe that contains the column; dataframe 0.1.0 stores categories beside it. Null for columns
 * outside dataframes.
 */
export async function openColumn(node: Node, cx: ReaderContext, frame: Group | null): Promise<ColumnElement> {
  const { type } = getKnownEncoding(node);
  if (node.kind === "array") {
    if (frame !== null && node.attributes.has("categories")) return linkedCategorical(node, cx, frame);
    if (isNull(node)) return { plan: { kind: "null" }, metadata: { kind: "null" } };
    return createArrayColumn(node);
  }
  switch (type) {
    case "categorical":
      return categorical(node, cx);
    case "nullable-integer":
    case "nullable-boolean":
    case "nullable-string-array":
      return nullable(node, type, cx);
    case "awkward-array":
      return awkward(node, cx);
    default:
      throw new UnsupportedError(
        type === "" ? "a group without encoding-type is no column" : `encoding ${type} is no column`,
        { element: node.path },
      );
  }
}

/**
 * Opens a categorical 0.2.0. Its categories may be any kind of column: anndata 0.11 to 0.12.7 wrote nullable strings.
 */
async function categorical(group: Group, above: ReaderContext): Promise<ColumnElement> {
  const cx = enterGroup(group, above);
  const [codes, categories] = await waitForBoth(
    openArray(group, "codes", cx),
    openChild(group, "categories", cx).then((node) => openColumn(node, cx, null)),
  );
  const ordered = getFlagAttribute(group, "ordered");
  const plan: ColumnPlan = {
    kind: "categorical",
    codes: { kind: "array", array: codes },
    categories: categories.plan,
    ordered,
  };
  return { plan, metadata: { kind: "categorical", ...codesMetadata(codes), categories: categories.metadata } };
}

/** Opens a categorical column of dataframe 0.1.0: codes, with an attribute that points to the categories. */
async function linkedCategorical(codes: StoredArray, cx: ReaderContext, frame: Group): Promise<ColumnElement> {
  const categories = await linkedCategories(codes, codes.attributes.get("categories"), cx, frame);
  const column = await openColumn(categories, cx, null);
  const plan: ColumnPlan = {
    kind: "categorical",
    codes: { kind: "array", array: codes },
    categories: column.plan,
    ordered: getFlagAttribute(categories, "ordered"),
  };
  return { plan, metadata: { kind: "categorical", ...codesMetadata(codes), categories: column.metadata } };
}

/**
 * Follows the attribute `categories`, which is an object reference in HDF5, and a path below the dataframe in Zarr.
 */
async function linkedCategories(
  codes: StoredArray,
  link: AttributeValue | undefined,
  cx: ReaderContext,
  frame: Group,
): Promise<StoredArray> {
  let node: Node;
  if (isReference(link)) {
    node = await cx.container.dereference(link);
  } else if (typeof link === "string") {
    if (link.split("/").some((part) => part === ".." || part === "." || part === "")) {
      throw new UnsupportedError(`attribute categories leads out of the dataframe: ${JSON.stringify(link)}`, {
        element: codes.path,
      });
    }
    node = await openPath(frame, link, cx);
  } else {
    throw new InvalidDataError("attribute categories is neither a reference nor a path", { element: codes.path });
  }
  if (node.kind === "array") return node;
  throw new InvalidDataError(`attribute categories leads to a group (${node.path || "/"})`, { element: codes.path });
}

function isReference(value: AttributeValue | undefined): value is Reference {
  return (
    typeof value === "object" && value !== null && "kind" in value && value.kind === "reference" && "bytes" in value
  );
}

/** Returns the type of 64-bit codes as metadata, because the codes have a narrower type in Arrow. */
function codesMetadata(codes: StoredArray): { readonly codes?: string } {
  const { type } = codes;
  return type.kind === "int" && type.bits === 64 ? { codes: type.signed ? "int64" : "uint64" } : {};
}

/** Opens nullable-*. Before 0.11, writers omitted the mask if no value was missing. */
async function nullable(group: Group, kind: string, cx: ReaderContext): Promise<ColumnElement> {
  const maskIfAny = openArray(group, "mask", cx).catch((error: unknown) => {
    if (isAnnarrowError(error, "NotFoundError")) return null;
    throw error;
  });
  const [values, mask] = await waitForBoth(openArray(group, "values", cx), maskIfAny);
  const lengths = [values, mask].map((array) => array?.shape?.[0]);
  if (mask !== null && lengths[0] !== lengths[1]) {
    throw new InvalidDataError(`mask has ${lengths[1]} values, values have ${lengths[0]}`, { element: group.path });
  }
  if (mask !== null && mask.type.kind !== "bool" && !(mask.type.kind === "int" && mask.type.bits === 8)) {
    throw new InvalidDataError(`mask is stored as ${mask.type.kind}, not as booleans`, { element: group.path });
  }
  const missing = getTextAttribute(group, "na-value");
  return {
    plan: { kind: "nullable", values, mask },
    metadata: { kind, ...(missing === undefined ? {} : { "na-value": missing }) },
  };
}

/** Opens an awkward-array 0.1.0, which consists of a form and an array for each of the form's buffers. */
async function awkward(group: Group, cx: ReaderContext): Promise<ColumnElement> {
  const json = getTextAttribute(group, "form");
  if (json === undefined) throw new InvalidDataError("awkward-array without form", { element: group.path });
  const length = getSizeAttribute(group, "length");
  const form = parseForm(json);
  const buffers = new Map<string, StoredArray>();
  const names = await listChildNames(group, cx);
  for (const [i, buffer] of (await mapConcurrently(names, (name) => openArray(group, name, cx))).entries()) {
    buffers.set(names[i], buffer);
  }
  const available = countContentRows(form, {
    length: (name) => {
      const buffer = buffers.get(name);
      if (buffer === undefined) throw new InvalidDataError(`buffer ${name} is missing`, { element: group.path });
      return buffer.shape?.[0] ?? 0;
    },
  });
  if (length > available) {
    throw new InvalidDataError(`length is ${length}, the buffers hold ${available} rows`, { element: group.path });
  }
  return {
    plan: { kind: "ragged", form, length, buffers },
    metadata: { kind: "awkward-array", form: JSON.parse(json) },
  };
}

/** Opens a child. @throws {InvalidDataError} if it is a group. */
export async function openArray(group: Group, name: string, cx: ReaderContext): Promise<StoredArray> {
  const node = await openChild(group, name, cx);
  if (node.kind === "array") return node;
  throw new InvalidDataError(`${name} is a group, an array is needed`, { element: group.path });
}

export function createArrayElement(array: StoredArray): TableElement {
  const encoding = getEncodingMetadata(array);
  if (isNull(array)) return createNullTable(encoding);
  const kind = arrayKind(array);
  const shape = logicalShape(array, kind);
  // A node can be tagged as a scalar but stored as an array of length 1.
  const dims = encoding.encoding !== undefined && shape.length !== array.shape?.length ? { dims: array.shape } : {};
  return createArrayTable(array, { kind, shape, ...encoding, ...dims });
}

function createArrayColumn(array: StoredArray): ColumnElement {
  const metadata = { kind: arrayKind(array), ...toStorageMetadata(array.type) };
  return { plan: { kind: "array", array }, metadata };
}

/** Whether an array is a `null` element, which has a null dataspace in HDF5 and a tag in Zarr. */
export function isNull(array: StoredArray): boolean {
  return array.shape === null || getTextAttribute(array, "encoding-type") === "null";
}

/**
 * Returns the current `encoding-type` of an array. It is derived from the stored type, not from the tag, because
 * anndata 0.8.0 tagged text as `array` and older releases wrote no tags.
 */
function arrayKind(array: StoredArray): string {
  const { type } = getNodeEncoding(array);
  if (array.type.kind === "record") return "rec-array";
  if (type === "string" || type === "numeric-scalar" || type === "bytes") return type;
  const text = array.type.kind === "text";
  const rank = array.shape?.length ?? 0;
  if (rank === 0 || isUnwrapped(array)) return text ? "string" : "numeric-scalar";
  return text ? "string-array" : "array";
}

/**
 * Whether the array is a scalar. anndata before 0.7 stored scalars as arrays of length one. Only fixed-width text is
 * converted back to a scalar.
 */
function isUnwrapped(array: StoredArray): boolean {
  return (
    getNodeEncoding(array).type === "" &&
    array.shape?.length === 1 &&
    array.shape[0] === 1 &&
    array.type.kind === "text" &&
    array.type.storage.form === "fixed" &&
    array.type.storage.encoding !== "utf-32"
  );
}

/** Returns the shape of an element. R writers store a scalar as an array of length one that is tagged as a scalar. */
function logicalShape(array: StoredArray, kind: string): readonly number[] {
  const shape = array.shape ?? [];
  const scalar = kind === "string" || kind === "numeric-scalar" || kind === "bytes";
  return scalar && shape.length === 1 && shape[0] === 1 ? [] : shape;
}
