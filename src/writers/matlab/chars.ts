/** Writes matrices of characters as code units, one text for each row. */

import type { Column } from "../../arrow/column.js";
import { textValues } from "../../arrow/text.js";
import { columnMajor } from "../../kernels/dense/column-major.js";
import { bitAt } from "../../kernels/values/bitmap.js";
import { located, RefusedError } from "../../model/errors.js";
import { allocate, type IntType, product } from "../../model/stored.js";
import { attributesOf, pythonText, writeEmptyValue } from "./attributes.js";
import { openArray, type ValuePlace } from "./context.js";
import { type MatlabMetadata, sizeOf } from "./metadata.js";

const SPACE = 0x20;

/** The code units of a text: UTF-16, or whole characters where these are stored. */
export type CodeUnits = Uint16Array | Uint32Array;

/** The integer type of stored characters: 16 bits as in MATLAB, unless the metadata says otherwise. */
function unitType({ units }: MatlabMetadata): IntType {
  const bits = units === "uint8" ? 8 : units === "uint32" ? 32 : 16;
  return { kind: "int", bits, signed: false };
}

export function unitsOf(text: string, metadata: MatlabMetadata): CodeUnits {
  if (unitType(metadata).bits !== 16) return Uint32Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const units = new Uint16Array(text.length);
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
  return units;
}

/**
 * The code units of a column of texts, or of lists of code units that are no valid text. @throws {InvalidInputError}
 * where a text is missing.
 */
export function unitsOfColumn(column: Column, metadata: MatlabMetadata, element: string): CodeUnits[] {
  if (column.layout === "variable") {
    return textValues(column).map((text) => {
      if (text === null) throw new RefusedError("a missing text, for which characters have no form", { element });
      return unitsOf(text, metadata);
    });
  }
  if (column.layout === "fixed-size-list") return unitsOfColumn(column.child, metadata, element);
  if (column.layout === "list" && column.child.layout === "primitive") {
    const { offsets, child, validity, length } = column;
    return Array.from({ length }, (_, i) => {
      if (validity !== null && !bitAt(validity.bitmap, i)) {
        throw new RefusedError("a missing text, for which characters have no form", { element });
      }
      return Uint32Array.from(child.values.subarray(offsets[i], offsets[i + 1]), Number);
    });
  }
  throw new RefusedError("characters are text, or lists of code units", { element });
}

/** Writes one text with the size 1 x n, or 0 x 0 where it is empty, unless `size` is given. */
export async function writeText(
  place: ValuePlace,
  units: CodeUnits,
  size: readonly number[] | null,
  metadata: MatlabMetadata,
): Promise<void> {
  const usual = units.length === 0 ? [0, 0] : [1, units.length];
  await writeChars(place, [units], size ?? usual, metadata);
}

/**
 * Writes a matrix of characters.
 * @param texts one text for each position of all dimensions but the second; the last dimension runs fastest, as in rows
 * of lists.
 * @param size the size that the matrix had. Where the texts do not fit it, the width follows the longest one, and
 * shorter ones are padded with spaces.
 */
export async function writeChars(
  place: ValuePlace,
  texts: readonly CodeUnits[],
  size: readonly number[],
  metadata: MatlabMetadata,
): Promise<void> {
  const shape = fittingSize(texts, size);
  const value = { class: "char", intDecode: 2, ...pythonText(place.cx, product(shape)) };
  if (product(shape) === 0) {
    await writeEmptyValue(place, shape, metadata, value);
    return;
  }
  const type = unitType(metadata);
  const values = allocate(type, product(shape));
  if (values instanceof BigInt64Array || values instanceof BigUint64Array)
    throw new TypeError("code units are numbers");
  const [rows, width] = shape.length < 2 ? [1, product(shape)] : shape;
  const beyond = shape.slice(2);
  const pages = product(beyond);
  if (texts.some((units) => units.length < width)) {
    place.cx.warn(`${place.element}: texts of several lengths are padded with spaces`);
  }
  values.fill(SPACE);
  for (const [i, units] of texts.entries()) {
    const [row, page] = [Math.floor(i / pages), columnMajor(i % pages, beyond)];
    for (let k = 0, at = row + rows * width * page; k < units.length; k++, at += rows) {
      if (units[k] >= 2 ** type.bits) {
        throw new RefusedError(`character ${units[k]} where ${type.bits} bits are stored`, {
          element: place.element,
        });
      }
      values[at] = units[k];
    }
  }
  const attributes = attributesOf(place, metadata, value);
  const [first, ...rest] = [...shape].reverse();
  const dimensions = first === undefined ? ([] as const) : ([first, ...rest] as const);
  const array = await openArray(place, { type, shape: dimensions, attributes });
  await located({ element: place.element }, async () => {
    await array.write({ kind: "fixed", values }, first ?? 1);
    await array.close();
  });
}

/** The former size, if the texts still fit it, else the size of the texts. */
function fittingSize(texts: readonly CodeUnits[], size: readonly number[]): readonly number[] {
  const lengths = texts.map((units) => units.length);
  const longest = lengths.reduce((a, b) => Math.max(a, b), 0);
  if (size.length < 2) return texts.length === 1 && product(size) === longest ? size : [texts.length, longest];
  const rows = product([size[0], ...size.slice(2)]);
  const isEmpty = size[0] === 0 && size[1] === 0;
  if (rows === texts.length && size[1] === longest) return size;
  // A matrix of 0 x 0 has no row, but is one empty text in a cell.
  if (isEmpty && longest === 0 && texts.length <= 1) return size;
  if (rows === 0 && texts.length === 0) return size;
  return rows === texts.length && size[0] > 0 ? [size[0], longest, ...size.slice(2)] : [texts.length, longest];
}

/** The size in a value's metadata. */
export function charSize(metadata: MatlabMetadata, texts: readonly CodeUnits[]): readonly number[] {
  return sizeOf(metadata.size) ?? [texts.length, 0];
}
