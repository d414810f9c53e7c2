/**
 * Writes a column's values as the elements of a cell, or of a field in a struct array. Each element is a separate
 * value.
 */

import type { Column } from "../../arrow/column.js";
import { decodeTextValues } from "../../arrow/text.js";
import { type ArrowField, type ArrowType, describeArrowType } from "../../arrow/type.js";
import { toWrittenForm } from "../../arrow/written-type.js";
import { type NullRule, toStoredValues } from "../../arrow/written-values.js";
import { toColumnMajorIndex } from "../../kernels/dense/column-major.js";
import { isBitSet } from "../../kernels/values/bitmap.js";
import {
  type InvalidInputError,
  runWithLocation,
  UnsupportedElementError,
  UnsupportedError,
} from "../../model/errors.js";
import { allocate, countElements, type IntType, type NumberArray, type StoredType } from "../../model/stored.js";
import {
  createMatlabAttributes,
  createPythonArray,
  createPythonText,
  writeCanonicalEmpty,
  writeEmptyValue,
} from "./attributes.js";
import {
  areComplexIntegers,
  createIntDecode,
  findNumericClass,
  selectValueRows,
  toSinkNumbers,
  toStoredNumbers,
  toWrittenType,
} from "./classes.js";
import { createReferencedDestination, openArray, ReferenceList, type ValueDestination } from "./context.js";
import { findElementSize, getElementMetadata, type MatlabMetadata, parseSize } from "./metadata.js";

/**
 * Whether values are written as elements, which applies to texts, numbers and lists of numbers. Other values are
 * written differently.
 */
export function isElementType(type: ArrowType): boolean {
  switch (type.id) {
    case "Utf8":
    case "Binary":
      return true;
    case "Bool":
    case "Int":
    case "Float":
      return true;
    case "Struct":
      return isComplex(type);
    case "List":
      return ["Bool", "Int", "Float"].includes(type.item.type.id);
    default:
      return false;
  }
}

/** Whether a struct is a pair of floats, which is the stored form of complex numbers. */
function isComplex(type: Extract<ArrowType, { id: "Struct" }>): boolean {
  if (type.fields.map(({ name }) => name).join() !== "real,imag") return false;
  return toWrittenForm({ name: "", type, nullable: false }).type.kind === "complex";
}

export class ElementWriter {
  /** References to the elements added so far. */
  readonly references = new ReferenceList();
  readonly #place: ValueDestination;
  readonly #field: ArrowField;
  readonly #metadata: MatlabMetadata;
  readonly #missing: NullRule;

  /**
   * @param place the location of the cell, or of the field in a struct array, that contains the elements.
   * @param metadata the metadata of the column and its elements.
   * @param missing the rule for a missing list: it is an error, or becomes a list without values.
   */
  constructor(place: ValueDestination, field: ArrowField, metadata: MatlabMetadata, missing: NullRule = "error") {
    this.#place = place;
    this.#field = field;
    this.#metadata = metadata;
    this.#missing = missing;
  }

  /**
   * Adds a column's values.
   * @throws {InvalidInputError} for missing values, except missing lists that become empty.
   */
  async add(column: Column): Promise<void> {
    const { type } = this.#field;
    const { element } = this.#place;
    await runWithLocation({ element }, async () => {
      if (type.id === "Utf8" || (type.id === "List" && this.#metadata.class === "char")) {
        for (const units of encodeColumnCodeUnits(column, this.#metadata, element)) await this.#text(units);
        return;
      }
      if (column.layout === "variable") return await this.#bytes(column);
      if (column.layout === "list") return await this.#lists(column);
      if (!isElementType(type) && !areComplexIntegers(type)) {
        throw new UnsupportedError(`values of type ${describeArrowType(type)} as elements of a cell`);
      }
      const { type: stored } = toWrittenForm(this.#field);
      const numbers = toSinkNumbers(stored, toStoredValues({ type: stored, shape: [] }, column));
      for (let i = 0; i < column.length; i++) {
        await this.#numbers({ type: stored, values: selectValueRows(numbers, stored, 1, i, i + 1), size: [1, 1] });
      }
    });
  }

  async #next(): Promise<ValueDestination> {
    const { cx, element } = this.#place;
    return await createReferencedDestination(cx, `${element}{${this.references.length + 1}}`);
  }

  async #text(units: CodeUnits): Promise<void> {
    const index = this.references.length;
    const place = await this.#next();
    const own = this.#withUnits(getElementMetadata(this.#metadata, index));
    await writeText(place, units, findElementSize(this.#metadata, index), own);
    this.references.add(place.cx.references.to(place));
  }

  #withUnits(own: MatlabMetadata): MatlabMetadata {
    return own.units === undefined && this.#metadata.units !== undefined
      ? { ...own, units: this.#metadata.units }
      : own;
  }

  async #bytes({ offsets, bytes, length, validity }: Extract<Column, { layout: "variable" }>): Promise<void> {
    for (let i = 0; i < length; i++) {
      if (validity !== null && !isBitSet(validity.bitmap, i)) throw missingAt("bytes", i, length);
      const own = bytes.subarray(offsets[i], offsets[i + 1]);
      await this.#numbers({ type: UINT8, values: own, size: [1, own.length] });
    }
  }

  async #lists({ type, offsets, child, length, validity }: Extract<Column, { layout: "list" }>): Promise<void> {
    const { type: stored } = toWrittenForm(type.item);
    const values = toStoredValues({ type: stored, shape: [] }, child);
    if (values.kind !== "fixed") throw new TypeError("numbers are of fixed width");
    for (let i = 0; i < length; i++) {
      const isMissing = validity !== null && !isBitSet(validity.bitmap, i);
      if (isMissing && this.#missing === "error") throw missingAt("list", i, length);
      const count = isMissing ? 0 : offsets[i + 1] - offsets[i];
      const own = selectValueRows(values.values, stored, 1, offsets[i], offsets[i] + count);
      const known = findElementSize(this.#metadata, this.references.length);
      const size = known !== null && countElements(known) === count ? known : [count, 1];
      await this.#numbers({ type: stored, values: own, size });
    }
  }

  async #numbers(numbers: MatlabNumbers): Promise<void> {
    const own = getElementMetadata(this.#metadata, this.references.length);
    if (own.empty === "canonical" && numbers.values.length === 0) {
      const { cx } = this.#place;
      this.references.add(await cx.references.canonicalEmpty(cx, writeCanonicalEmpty));
      return;
    }
    const place = await this.#next();
    await writeNumbers(place, numbers, { notLogical: this.#metadata.notLogical, ...this.#only(own) });
    this.references.add(place.cx.references.to(place));
  }

  /** Returns an element's metadata, with the column's class. */
  #only(own: MatlabMetadata): MatlabMetadata {
    const { class: name, elementClass } = this.#metadata;
    return { ...own, class: elementClass ?? name };
  }
}

function missingAt(what: string, row: number, rows: number): InvalidInputError {
  return new UnsupportedElementError(`row ${row} of ${rows} has a missing ${what}, for which elements have no form`);
}

const UINT8: StoredType = { kind: "int", bits: 8, signed: false };

/** An array of numbers, with its values in column-major order. */
interface MatlabNumbers {
  readonly type: StoredType;
  readonly values: NumberArray;
  readonly size: readonly number[];
}

async function writeNumbers(
  place: ValueDestination,
  { type, values, size }: MatlabNumbers,
  metadata: MatlabMetadata,
): Promise<void> {
  const name = findNumericClass(type, metadata);
  if (name === null) throw new UnsupportedElementError(`values of type ${type.kind} are no numbers`);
  const value = { class: name, ...createIntDecode(name), ...createPythonArray(place.cx, type, size) };
  if (countElements(size) === 0) {
    await writeEmptyValue(place, size, metadata, value);
    return;
  }
  const [first = 1, ...rest] = [...size].reverse();
  const attributes = createMatlabAttributes(place, metadata, value);
  const shape = size.length === 0 ? ([] as const) : ([first, ...rest] as const);
  const array = await openArray(place, { type: toWrittenType(type), shape, attributes });
  await array.write(toStoredNumbers(type, values), first);
  await array.close();
}

/** Writes a text column that is not a cell, as rows of characters. */
export async function writeCharColumn(
  place: ValueDestination,
  columns: readonly Column[],
  metadata: MatlabMetadata,
): Promise<void> {
  const texts = columns.flatMap((column) => encodeColumnCodeUnits(column, metadata, place.element));
  await writeChars(place, texts, getCharSize(metadata, texts), metadata);
}

// Writes character matrices as code units, with one text for each row.

const SPACE = 0x20;

/** Code units of a text: UTF-16, or whole characters if the file stores those. */
type CodeUnits = Uint16Array | Uint32Array;

/** Returns the integer type for stored characters: 16 bits as in MATLAB, unless the metadata specify otherwise. */
function unitType({ units }: MatlabMetadata): IntType {
  const bits = units === "uint8" ? 8 : units === "uint32" ? 32 : 16;
  return { kind: "int", bits, signed: false };
}

function encodeCodeUnits(text: string, metadata: MatlabMetadata): CodeUnits {
  if (unitType(metadata).bits !== 16) return Uint32Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const units = new Uint16Array(text.length);
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
  return units;
}

/**
 * Returns the code units for a column of texts, or of lists of code units that are not valid text. @throws
 * {InvalidInputError} if a text is missing.
 */
function encodeColumnCodeUnits(column: Column, metadata: MatlabMetadata, element: string): CodeUnits[] {
  if (column.layout === "variable") {
    return decodeTextValues(column).map((text) => {
      if (text === null)
        throw new UnsupportedElementError("a missing text, for which characters have no form", { element });
      return encodeCodeUnits(text, metadata);
    });
  }
  if (column.layout === "fixed-size-list") return encodeColumnCodeUnits(column.child, metadata, element);
  if (column.layout === "list" && column.child.layout === "primitive") {
    const { offsets, child, validity, length } = column;
    return Array.from({ length }, (_, i) => {
      if (validity !== null && !isBitSet(validity.bitmap, i)) {
        throw new UnsupportedElementError("a missing text, for which characters have no form", { element });
      }
      return Uint32Array.from(child.values.subarray(offsets[i], offsets[i + 1]), Number);
    });
  }
  throw new UnsupportedElementError("characters are text, or lists of code units", { element });
}

/** Writes one text. Unless `size` is given, the size is 1 x n, or 0 x 0 for an empty text. */
async function writeText(
  place: ValueDestination,
  units: CodeUnits,
  size: readonly number[] | null,
  metadata: MatlabMetadata,
): Promise<void> {
  const usual = units.length === 0 ? [0, 0] : [1, units.length];
  await writeChars(place, [units], size ?? usual, metadata);
}

/**
 * Writes a character matrix.
 * @param texts one text for each position along all dimensions except the second. The last dimension varies fastest, as
 * in rows of lists.
 * @param size the matrix's original size. If the texts do not fit it, the width is that of the longest text, and
 * shorter texts are padded with spaces.
 */
async function writeChars(
  place: ValueDestination,
  texts: readonly CodeUnits[],
  size: readonly number[],
  metadata: MatlabMetadata,
): Promise<void> {
  const shape = fittingSize(texts, size);
  const value = { class: "char", intDecode: 2, ...createPythonText(place.cx, countElements(shape)) };
  if (countElements(shape) === 0) {
    await writeEmptyValue(place, shape, metadata, value);
    return;
  }
  const type = unitType(metadata);
  const values = allocate(type, countElements(shape));
  if (values instanceof BigInt64Array || values instanceof BigUint64Array)
    throw new TypeError("code units are numbers");
  const [rows, width] = shape.length < 2 ? [1, countElements(shape)] : shape;
  const beyond = shape.slice(2);
  const pages = countElements(beyond);
  if (texts.some((units) => units.length < width)) {
    place.cx.warn(`${place.element}: texts of several lengths are padded with spaces`);
  }
  values.fill(SPACE);
  for (const [i, units] of texts.entries()) {
    const [row, page] = [Math.floor(i / pages), toColumnMajorIndex(i % pages, beyond)];
    for (let k = 0, at = row + rows * width * page; k < units.length; k++, at += rows) {
      if (units[k] >= 2 ** type.bits) {
        throw new UnsupportedElementError(`character ${units[k]} where ${type.bits} bits are stored`, {
          element: place.element,
        });
      }
      values[at] = units[k];
    }
  }
  const attributes = createMatlabAttributes(place, metadata, value);
  const [first, ...rest] = [...shape].reverse();
  const dimensions = first === undefined ? ([] as const) : ([first, ...rest] as const);
  const array = await openArray(place, { type, shape: dimensions, attributes });
  await runWithLocation({ element: place.element }, async () => {
    await array.write({ kind: "fixed", values }, first ?? 1);
    await array.close();
  });
}

/** Returns the original size if the texts fit it; otherwise the size of the texts. */
function fittingSize(texts: readonly CodeUnits[], size: readonly number[]): readonly number[] {
  const lengths = texts.map((units) => units.length);
  const longest = lengths.reduce((a, b) => Math.max(a, b), 0);
  if (size.length < 2) return texts.length === 1 && countElements(size) === longest ? size : [texts.length, longest];
  const rows = countElements([size[0], ...size.slice(2)]);
  const isEmpty = size[0] === 0 && size[1] === 0;
  if (rows === texts.length && size[1] === longest) return size;
  // A 0 x 0 matrix has no row, but counts as one empty text in a cell.
  if (isEmpty && longest === 0 && texts.length <= 1) return size;
  if (rows === 0 && texts.length === 0) return size;
  return rows === texts.length && size[0] > 0 ? [size[0], longest, ...size.slice(2)] : [texts.length, longest];
}

/** The size in a value's metadata. */
function getCharSize(metadata: MatlabMetadata, texts: readonly CodeUnits[]): readonly number[] {
  return parseSize(metadata.size) ?? [texts.length, 0];
}
