/** Datatypes in h5py's form. Source: HDF5 File Format Specification, IV.A.2.d, version 1. */

import { InvalidInputError, UnsupportedError } from "../../../../model/errors.js";
import {
  countElements,
  type IntType,
  type SequenceType,
  type StoredField,
  type StoredType,
} from "../../../../model/stored.js";

import { ByteBuilder } from "../space/byte-builder.js";
import { nameBytes } from "../values/checks.js";
import { countElementBytes, countFieldBytes, POINTER_BYTES } from "../values/element-bytes.js";

/** Maximum size of a message in bytes. The size has 16 bits, and is a multiple of 8. */
export const MAX_MESSAGE_BYTES = 65_528;

const MAX_MEMBERS = 65_535;
const MAX_DIMENSIONS = 32;

const PADDING = { nullterm: 0, nullpad: 1, spacepad: 2 } as const;

const UINT8: IntType = { kind: "int", bits: 8, signed: false };

/**
 * @throws {UnsupportedError} for types that HDF5 cannot represent, or whose description is too large for a message.
 * @throws {InvalidInputError} for names and values that HDF5 cannot hold.
 */
export function encodeDatatypeMessage(type: StoredType): Uint8Array {
  const out = new ByteBuilder();
  describe(out, type);
  if (out.length > MAX_MESSAGE_BYTES) {
    throw new UnsupportedError(
      `${type.kind} type whose description has ${out.length} bytes; HDF5 has room for ${MAX_MESSAGE_BYTES}`,
    );
  }
  return out.finish();
}

function head(out: ByteBuilder, version: number, datatypeClass: number, bits: number, bytes: number): ByteBuilder {
  return out.u8((version << 4) | datatypeClass, bits & 0xff, bits >> 8, 0).u32(bytes);
}

function describe(out: ByteBuilder, datatype: StoredType): void {
  const bytes = countElementBytes(datatype);
  switch (datatype.kind) {
    case "int":
      head(out, 1, 0, datatype.signed ? 8 : 0, bytes)
        .u16(0)
        .u16(datatype.bits);
      return;
    case "float":
      describeFloat(out, datatype.bits);
      return;
    case "bool":
      describeEnum(out, { kind: "int", bits: 8, signed: true }, [
        { name: "FALSE", value: 0 },
        { name: "TRUE", value: 1 },
      ]);
      return;
    case "enum":
      describeEnum(out, datatype.base, datatype.members);
      return;
    case "complex": {
      const part = { type: { kind: "float", bits: datatype.bits === 64 ? 32 : 64 }, shape: [] } as const;
      const [real, imaginary] = datatype.parts ?? ["r", "i"];
      describeRecord(out, [
        { name: real, ...part },
        { name: imaginary, ...part },
      ]);
      return;
    }
    case "text": {
      const { storage } = datatype;
      const encoding = storage.encoding === "utf-8" ? 1 : 0;
      if (storage.form === "fixed") {
        head(out, 1, 3, PADDING[storage.padding] | (encoding << 4), bytes);
      } else {
        head(out, 1, 9, 1 | (encoding << 8), POINTER_BYTES);
        describe(out, UINT8);
      }
      return;
    }
    case "bytes":
      // The type gets no tag, because h5py finds no conversion for tagged types.
      if (datatype.width !== null) head(out, 1, 5, 0, bytes);
      else describeSequence(out, { kind: "sequence", item: UINT8 });
      return;
    case "record":
      describeRecord(out, datatype.fields);
      return;
    case "reference":
      head(out, 1, 7, 0, bytes);
      return;
    case "sequence":
      describeSequence(out, datatype);
      return;
    case "datetime":
    case "timedelta":
    case "unsupported":
      // `countElementBytes` has already refused such types.
      return;
    default:
      datatype satisfies never;
  }
}

function describeSequence(out: ByteBuilder, { item, shape = [] }: SequenceType): void {
  head(out, 1, 9, 0, POINTER_BYTES);
  if (shape.length === 0) describe(out, item);
  else describeArray(out, { name: "item", type: item, shape });
}

/** Describes a little-endian IEEE float, whose first mantissa bit is implied and whose sign is the highest bit. */
function describeFloat(out: ByteBuilder, bits: 16 | 32 | 64): void {
  const { exponent, mantissa, bias } = {
    16: { exponent: 5, mantissa: 10, bias: 15 },
    32: { exponent: 8, mantissa: 23, bias: 127 },
    64: { exponent: 11, mantissa: 52, bias: 1023 },
  }[bits];
  head(out, 1, 1, 0x20 | ((bits - 1) << 8), bits / 8);
  out.u16(0).u16(bits).u8(mantissa, exponent, 0, mantissa).u32(bias);
}

function describeEnum(
  out: ByteBuilder,
  base: IntType,
  members: readonly { readonly name: string; readonly value: number | bigint }[],
): void {
  checkMembers("enum", members);
  head(out, 1, 8, members.length, base.bits / 8);
  describe(out, base);
  for (const { name } of members) putName(out, name, "enum member");
  const seen = new Set<bigint>();
  for (const { name, value } of members) {
    const exact = integer(value, name);
    const fits = base.signed ? BigInt.asIntN(base.bits, exact) : BigInt.asUintN(base.bits, exact);
    if (fits !== exact) {
      throw new InvalidInputError(`enum member ${JSON.stringify(name)} is ${value}, beyond ${base.bits} bits`);
    }
    if (seen.has(exact)) throw new InvalidInputError(`enum has the value ${value} twice`);
    seen.add(exact);
    for (let shift = 0; shift < base.bits; shift += 8) out.u8(Number((exact >> BigInt(shift)) & 0xffn));
  }
}

function integer(value: number | bigint, name: string): bigint {
  if (typeof value === "bigint") return value;
  if (!Number.isInteger(value)) throw new InvalidInputError(`enum member ${JSON.stringify(name)} is ${value}`);
  return BigInt(value);
}

function describeRecord(out: ByteBuilder, fields: readonly StoredField[]): void {
  checkMembers("record", fields);
  const bytes = fields.reduce((sum, field) => sum + countFieldBytes(field), 0);
  head(out, 1, 6, fields.length, bytes);
  let offset = 0;
  for (const field of fields) {
    putName(out, field.name, "field");
    // The member's own dimension fields are unused, because array datatypes serve the same purpose.
    out.u32(offset).zeros(28);
    if (field.shape.length === 0) describe(out, field.type);
    else describeArray(out, field);
    offset += countFieldBytes(field);
  }
}

function describeArray(out: ByteBuilder, field: StoredField): void {
  const { name, shape, type } = field;
  if (shape.length > MAX_DIMENSIONS) {
    throw new UnsupportedError(
      `field ${JSON.stringify(name)} has ${shape.length} dimensions; HDF5 has at most ${MAX_DIMENSIONS}`,
    );
  }
  if (countElements(shape) === 0) {
    throw new UnsupportedError(`field ${JSON.stringify(name)} of shape ${shape.join(" x ")}: HDF5 has no empty fields`);
  }
  head(out, 2, 10, 0, countFieldBytes(field));
  out.u8(shape.length, 0, 0, 0);
  for (const size of shape) out.u32(size);
  for (let d = 0; d < shape.length; d++) out.u32(d);
  describe(out, type);
}

function checkMembers(what: string, members: readonly { readonly name: string }[]): void {
  const { length } = members;
  if (length === 0 || length > MAX_MEMBERS) {
    throw new UnsupportedError(`${what} of ${length} members; HDF5 has 1 to ${MAX_MEMBERS}`);
  }
  const seen = new Set<string>();
  for (const { name } of members) {
    if (seen.has(name)) throw new InvalidInputError(`${what} has the member ${JSON.stringify(name)} twice`);
    seen.add(name);
  }
}

function putName(out: ByteBuilder, name: string, what: string): void {
  const bytes = nameBytes(name, what);
  out.bytes(bytes).zeros(8 - (bytes.length % 8));
}
