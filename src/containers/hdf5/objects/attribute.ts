/** An attribute in an object header or a heap. Source: HDF5 File Format Specification, IV.A.2.m. */

import type { ReadOptions } from "../../../io/sources/source.js";
import { convertFixedText } from "../../../kernels/text/fixed-text.js";
import { decodeFloat16 } from "../../../kernels/values/number-bits.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { countElements, type VariableValues } from "../../../model/stored.js";
import type { AttributeValue } from "../../tree/container.js";
import { Cursor, decodeShortAscii } from "../bytes/cursor.js";
import type { Hdf5File } from "../file/hdf5-file.js";
import type { Heap } from "../heaps/heap.js";
import { parseDataspace } from "../types/dataspace.js";
import {
  type Datatype,
  type EnumDatatype,
  type FixedStringDatatype,
  type FloatDatatype,
  toInteger,
} from "../types/datatype.js";
import { parseDatatype } from "../types/datatype-message.js";
import { decodeOddFloats } from "../types/odd-float.js";
import { isBoolean } from "../types/stored-type.js";
import { MESSAGE, type SharedMessages } from "./object-header.js";

export interface AttributeMessage {
  readonly name: string;
  /**
   * Reads the attribute's description.
   * @throws the error for an unreadable part of the description. The name remains known.
   */
  describe(shared: SharedMessages, options?: ReadOptions): Promise<StoredAttribute>;
  /** Returns the description if none of its messages is shared; otherwise null. */
  describeOwn(): StoredAttribute | null;
}

export interface StoredAttribute {
  readonly datatype: Datatype;
  readonly shape: readonly number[] | null;
  readonly bytes: Uint8Array;
}

/** @throws {InvalidDataError} if the message is truncated. */
export function parseAttribute(body: Uint8Array, file: Hdf5File): AttributeMessage {
  const cursor = new Cursor(body, "attribute");
  const version = cursor.u8();
  if (version < 1 || version > 3) throw new InvalidDataError(`attribute has version ${version}; 1 to 3 exist`);
  const flags = cursor.u8();
  const [nameSize, typeSize, spaceSize] = [cursor.u16(), cursor.u16(), cursor.u16()];
  if (version === 3) cursor.skip(1);
  const take = (size: number) => {
    const bytes = cursor.take(size);
    // Only version 1 has padding, which is not included in the stated size.
    if (version === 1) cursor.skip(Math.min((8 - (size % 8)) % 8, cursor.remaining));
    return bytes;
  };
  const name = new Cursor(take(nameSize), "attribute").text();
  const type = take(typeSize);
  const space = take(spaceSize);
  const sharedFlags = version === 1 ? 0 : flags;
  const described = (typeBody: Uint8Array, spaceBody: Uint8Array): StoredAttribute => {
    const datatype = parseDatatype(typeBody);
    const shape = parseDataspace(spaceBody, file.sizes);
    const length = shape === null ? 0 : countElements(shape) * datatype.size;
    if (length > cursor.remaining || shape?.some((size) => size > file.size)) {
      throw new InvalidDataError(`attribute of ${length} bytes in a message with ${cursor.remaining} left`);
    }
    return { datatype, shape, bytes: body.subarray(cursor.position, cursor.position + length) };
  };
  return {
    name,
    describeOwn: () => ((sharedFlags & 3) === 0 ? described(type, space) : null),
    async describe(shared, options) {
      const typeBody = sharedFlags & 1 ? await shared.find(MESSAGE.datatype, type, options) : type;
      const spaceBody = sharedFlags & 2 ? await shared.find(MESSAGE.dataspace, space, options) : space;
      return described(typeBody, spaceBody);
    },
  };
}

/** Maximum number of empty lists, because they take up memory but no bytes in the file. */
const MAX_EMPTY_LISTS = 2 ** 16;

/** Maximum number of values in an attribute. In memory, they take ten times as many bytes as in the file. */
const MAX_VALUES = 2 ** 20;

/**
 * @param bytes the values in C order, which are copied; `heap` finds the values that they point to.
 * @returns the value itself for a scalar, otherwise nested lists.
 * @throws {UnsupportedError} for types without a plain value, and for too many values.
 * @throws {InvalidDataError} if the shape has too many empty lists, or a value does not match its type.
 */
export function decodeAttributeValue(
  type: Datatype,
  shape: readonly number[],
  bytes: Uint8Array,
  heap: Heap,
): AttributeValue {
  if (shape.length === 0) return scalar(type, bytes.subarray(0, type.size), heap);
  const empty = shape.indexOf(0);
  if (empty > 0 && countElements(shape.slice(0, empty)) > MAX_EMPTY_LISTS) {
    throw new InvalidDataError(`shape ${shape.join(" x ")} of nothing but more than ${MAX_EMPTY_LISTS} empty lists`);
  }
  if (countElements(shape) > MAX_VALUES) {
    throw new UnsupportedError(`attribute of ${countElements(shape)} values; at most ${MAX_VALUES} are read`);
  }
  const [count, ...rest] = shape;
  // Many texts are decoded together, because an array around each text would take ten times the memory of the text.
  if (rest.length === 0 && type.class === "variable-string") return decodeTexts(heap.text(bytes, count));
  if (rest.length === 0 && type.class === "fixed-string") return fixedTexts(bytes, type, count);
  const step = rest.reduce((a, b) => a * b, type.size);
  const list: AttributeValue[] = [];
  for (let i = 0; i < count; i++) {
    list.push(decodeAttributeValue(type, rest, bytes.subarray(i * step, (i + 1) * step), heap));
  }
  return list;
}

function scalar(type: Datatype, bytes: Uint8Array, heap: Heap): AttributeValue {
  switch (type.class) {
    case "integer":
      return toInteger(bytes, type);
    case "float":
      return toFloat(bytes, type);
    case "fixed-string":
      return fixedTexts(bytes, type, 1)[0];
    case "variable-string":
      return decodeText(heap.text(bytes, 1).bytes);
    case "opaque":
      return bytes.slice();
    case "compound":
      return Object.fromEntries(
        type.members.map(({ name, offset, type: member }) => [
          name,
          scalar(member, bytes.subarray(offset, offset + member.size), heap),
        ]),
      );
    case "reference":
      if (type.target !== "object") throw new UnsupportedError("HDF5 reference to a region");
      return { kind: "reference", bytes: bytes.slice() };
    case "enum":
      return isBoolean(type) ? enumBoolean(bytes, type) : toInteger(bytes, type.base);
    case "sequence": {
      const values = heap.sequence(bytes, type.base.size);
      return decodeAttributeValue(type.base, [values.length / type.base.size], values, heap);
    }
    case "array":
      return decodeAttributeValue(type.base, type.shape, bytes, heap);
    case "complex":
      return {
        r: scalar(type.base, bytes.subarray(0, type.base.size), heap),
        i: scalar(type.base, bytes.subarray(type.base.size), heap),
      };
    case "other":
      throw new UnsupportedError(type.name);
    default:
      return type satisfies never;
  }
}

const STRICT_UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes UTF-8, and rejects other bytes, such as Latin-1 text in old files. */
function decodeText(bytes: Uint8Array): string {
  const short = decodeShortAscii(bytes);
  if (short !== null) return short;
  try {
    return STRICT_UTF8.decode(bytes);
  } catch (cause) {
    throw new InvalidDataError("text is not UTF-8", { cause });
  }
}

function decodeTexts({ offsets, bytes }: Pick<VariableValues, "offsets" | "bytes">): string[] {
  return Array.from({ length: offsets.length - 1 }, (_, i) => decodeText(bytes.subarray(offsets[i], offsets[i + 1])));
}

function fixedTexts(bytes: Uint8Array, type: FixedStringDatatype, count: number): string[] {
  return decodeTexts(convertFixedText(bytes, type.size, count, type.padding));
}

function enumBoolean(bytes: Uint8Array, type: EnumDatatype): boolean {
  const value = toInteger(bytes, type.base);
  if (value !== 0 && value !== 1) throw new InvalidDataError(`boolean is ${value}; only 0 and 1 are legal`);
  return value === 1;
}

function toFloat(bytes: Uint8Array, type: FloatDatatype): number {
  if (type.odd !== null) return Number(decodeOddFloats(type, bytes.slice(), 1)[0]);
  const view = new DataView(bytes.buffer, bytes.byteOffset, type.size);
  const little = !type.bigEndian;
  switch (type.size) {
    case 2:
      return decodeFloat16(view.getUint16(0, little));
    case 4:
      return view.getFloat32(0, little);
    default:
      return view.getFloat64(0, little);
  }
}
