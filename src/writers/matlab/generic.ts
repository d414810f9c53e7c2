/** Writes datasets that are not MATLAB arrays in their original form, in generic HDF5 files and hdf5storage files. */

import type { Column, ColumnBatch } from "../../arrow/column.js";
import { decodeTextValues } from "../../arrow/text.js";
import { type ArrowType, UTF8 } from "../../arrow/type.js";
import { createRecordType, toWrittenForm } from "../../arrow/written-type.js";
import { recordValues, toStoredValues } from "../../arrow/written-values.js";
import type { ArrayWriter } from "../../containers/tree/container-writer.js";
import { runWithLocation, UnsupportedElementError } from "../../model/errors.js";
import type { StoredType, StoredValues } from "../../model/stored.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { readTableBatches } from "../../tables/rows.js";
import { createMatlabAttributes } from "./attributes.js";
import { openArray, type ValueDestination } from "./context.js";
import { findMetadataClass, isObject, type MatlabMetadata, NO_METADATA, parseSize } from "./metadata.js";

/** Whether the metadata describe a dataset without a MATLAB class. */
export function hasNoMatlabClass(metadata: MatlabMetadata): boolean {
  const { python, class: name } = metadata;
  if (metadata.opaque === true) return false;
  if (findMetadataClass(metadata) === null) return true;
  return typeof python === "object" && python !== null && "Python.Type" in python && python["Python.Type"] === name;
}

/**
 * Writes a table as the array from which it was read.
 * @param name `MATLAB_class`; null to omit the attribute.
 * @returns the number of rows.
 */
export async function writeGenericTable(
  place: ValueDestination,
  table: ColumnTable,
  name: string | null,
): Promise<number> {
  const metadata = table.metadata ?? NO_METADATA;
  const attributes = createMatlabAttributes(place, metadata, { class: name });
  if (metadata.kind === "null") {
    const array = await openArray(place, { type: { kind: "float", bits: 64 }, shape: null, attributes });
    for await (const _ of readTableBatches(table, place.cx));
    await runWithLocation({ element: place.element }, () => array.close());
    return 1;
  }
  const { type, rowShape, values, per = 1 } = storedForm(table, metadata);
  // For matrices with a class, `size` in the metadata is in MATLAB's order, and `shape` in the file's order.
  const size = parseSize(metadata.size) ?? [];
  const scalar = size.length === 0;
  const length = table.rows === null ? null : table.rows * per;
  const shape = scalar ? ([] as const) : ([length, ...rowShape] as const);
  const array: ArrayWriter = await openArray(place, { type, shape, attributes });
  let rows = 0;
  for await (const batch of readTableBatches(table, place.cx)) {
    rows += batch.length;
    const own = values(batch);
    if (batch.length > 0) await runWithLocation({ element: place.element }, () => array.write(own, batch.length * per));
  }
  await runWithLocation({ element: place.element }, () => array.close());
  return rows;
}

interface StoredForm {
  readonly type: StoredType;
  readonly rowShape: readonly number[];
  readonly values: (batch: ColumnBatch) => StoredValues;
  /** Number of stored rows per table row. */
  readonly per?: number;
}

const CODE_POINT: StoredType = { kind: "int", bits: 32, signed: false };

function storedForm({ fields, metadata }: ColumnTable, own: MatlabMetadata): StoredForm {
  const size = parseSize(own.size) ?? [];
  if (own.kind === "rec-array" && !(fields.length === 1 && size.length > 1)) {
    const type = createRecordType(fields);
    return { type, rowShape: [], values: ({ columns, length }) => recordValues(type, columns, length) };
  }
  const field = { ...fields[0], metadata: metadata ?? {} };
  const name = findMetadataClass(own);
  if (own.kind === "string" && (name === "str" || name === "numpy.str_") && size.length === 1) {
    return { type: CODE_POINT, rowShape: [], values: ({ columns }) => codePoints(columns[0]), per: size[0] };
  }
  const width = characters(own);
  if (own.kind === "string-array" && width !== null && isText(field.type)) {
    const rowShape = size.slice(1);
    const per = size.length === 1 ? width : 1;
    return { type: CODE_POINT, rowShape, values: ({ columns }) => paddedTexts(columns[0], width), per };
  }
  const text = own.storage === undefined ? null : withText(field.type);
  if (text !== null) {
    // The file stores these bytes as text.
    const { type, shape } = toWrittenForm({ ...field, type: text });
    const bytes = { type: { kind: "bytes", width: null }, shape } as const;
    return { type, rowShape: shape, values: ({ columns }) => toStoredValues(bytes, columns[0]) };
  }
  const form = toWrittenForm(field);
  return { type: form.type, rowShape: form.shape, values: ({ columns }) => toStoredValues(form, columns[0]) };
}

/** Returns the type with text instead of bytes; null if it contains no bytes. */
function withText(type: ArrowType): ArrowType | null {
  if (type.id === "Binary") return UTF8;
  const item = type.id === "FixedSizeList" ? withText(type.item.type) : null;
  return type.id === "FixedSizeList" && item !== null ? { ...type, item: { ...type.item, type: item } } : null;
}

/** Returns the number of characters per text in a numpy array; null for other arrays. */
function characters({ python }: MatlabMetadata): number | null {
  const name = isObject(python) ? python["Python.numpy.UnderlyingType"] : null;
  const bits = typeof name === "string" ? /^str(\d+)$/.exec(name)?.[1] : undefined;
  return bits === undefined ? null : Number(bits) / 32;
}

function isText(type: ArrowType): boolean {
  return type.id === "FixedSizeList" ? isText(type.item.type) : type.id === "Utf8";
}

/** Pads each text with zeros up to the width. @throws {InvalidInputError} for longer texts. */
function paddedTexts(column: Column, width: number): StoredValues {
  let texts = column;
  while (texts.layout === "fixed-size-list") texts = texts.child;
  if (texts.layout !== "variable") throw new TypeError("text expected");
  const all = decodeTextValues(texts);
  const values = new Uint32Array(all.length * width);
  for (const [i, text] of all.entries()) {
    const points = Array.from(text ?? "", (character) => character.codePointAt(0) ?? 0);
    if (points.length > width) {
      throw new UnsupportedElementError(`a text of ${points.length} characters, where numpy's type has ${width}`);
    }
    values.set(points, i * width);
  }
  return { kind: "fixed", values };
}

function codePoints(column: ColumnBatch["columns"][number]): StoredValues {
  if (column.layout !== "variable") throw new TypeError("text expected");
  const text = decodeTextValues(column)[0] ?? "";
  return { kind: "fixed", values: Uint32Array.from(text, (character) => character.codePointAt(0) ?? 0) };
}
