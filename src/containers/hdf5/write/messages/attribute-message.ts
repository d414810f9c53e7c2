/** Attributes. Source: HDF5 File Format Specification, IV.A.2.m, versions 1 and 3. */

import { InvalidInputError } from "../../../../model/errors.js";
import { product } from "../../../../model/stored.js";
import type { WrittenAttribute } from "../../../tree/container-writer.js";
import { ByteBuilder } from "../space/byte-builder.js";
import type { GlobalHeapWriter } from "../space/global-heap.js";
import { checkValues } from "../values/check-values.js";
import { encodeElements } from "../values/encode-elements.js";
import { nameBytes } from "../values/names.js";
import { checkShape } from "../values/shape.js";
import { dataspaceMessage } from "./dataspace-message.js";
import { datatypeMessage, MOST_MESSAGE_BYTES } from "./datatype-message.js";

/** An attribute's parts, ready to be put into a message of either version. */
export interface EncodedAttribute {
  /** Without the NUL that ends it. */
  readonly name: Uint8Array;
  readonly datatype: Uint8Array;
  readonly dataspace: Uint8Array;
  readonly data: Uint8Array;
}

/** Of the name and its NUL. */
const MOST_NAME_BYTES = 65_535;

const PADDED_HEADER_BYTES = 8;

/**
 * Takes what the attribute holds; its memory may be used again.
 * @throws {InvalidInputError} for a name, shape or value that HDF5 cannot hold.
 * @throws {UnsupportedError} for a type that HDF5 has no form for.
 * @throws {TypeError} where the values are not those of the type and shape.
 */
export function encodeAttribute(name: string, attribute: WrittenAttribute, heap: GlobalHeapWriter): EncodedAttribute {
  const { type, shape, values } = attribute;
  const encodedName = nameBytes(name, "the attribute's name");
  if (encodedName.length + 1 > MOST_NAME_BYTES) {
    throw new InvalidInputError(
      `an attribute's name of ${encodedName.length} bytes; at most ${MOST_NAME_BYTES - 1} fit`,
    );
  }
  const datatype = datatypeMessage(type);
  if (shape !== null) checkShape(shape);
  const dataspace = dataspaceMessage(shape);
  if ((shape === null) !== (values === null)) {
    throw new TypeError(shape === null ? "values for an attribute that has none" : "an attribute without its values");
  }
  if (shape === null || values === null) return { name: encodedName, datatype, dataspace, data: new Uint8Array(0) };
  const count = product(shape);
  checkValues(type, values, count);
  const data = encodeElements(type, values, 0, count, heap).slice();
  return { name: encodedName, datatype, dataspace, data };
}

/** Whether it fits in an object header; beyond that it needs dense storage. */
export function fitsHeader({ name, datatype, dataspace, data }: EncodedAttribute): boolean {
  const parts = padded(name.length + 1) + padded(datatype.length) + padded(dataspace.length);
  return PADDED_HEADER_BYTES + parts + padded(data.length) <= MOST_MESSAGE_BYTES;
}

/** As it stands in an object header: parts are padded, and their sizes said without that. */
export function attributeMessage({ name, datatype, dataspace, data }: EncodedAttribute): Uint8Array {
  const out = new ByteBuilder(256 + data.length).u8(1, 0);
  out
    .u16(name.length + 1)
    .u16(datatype.length)
    .u16(dataspace.length);
  out
    .bytes(name)
    .zeros(8 - (name.length % 8))
    .bytes(datatype)
    .pad8()
    .bytes(dataspace)
    .pad8()
    .bytes(data);
  return out.finish();
}

/** As it stands in a heap. */
export function heapAttributeMessage({ name, datatype, dataspace, data }: EncodedAttribute): Uint8Array {
  const out = new ByteBuilder(9 + name.length + 1 + datatype.length + dataspace.length + data.length).u8(3, 0);
  out
    .u16(name.length + 1)
    .u16(datatype.length)
    .u16(dataspace.length);
  // The name is UTF-8.
  return out.u8(1).bytes(name).u8(0).bytes(datatype).bytes(dataspace).bytes(data).finish();
}

function padded(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}
