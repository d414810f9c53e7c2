/** Datatype messages, versions 1 to 5. Source: HDF5 File Format Specification, IV.A.2.d. */

import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { countElements } from "../../../model/stored.js";
import { Cursor } from "../bytes/cursor.js";
import { MAX_RANK } from "./dataspace.js";
import {
  type ArrayDatatype,
  type CompoundMember,
  type Datatype,
  type FloatDatatype,
  type FloatParts,
  type IntegerDatatype,
  toInteger,
} from "./datatype.js";

/** Maximum nesting depth. libhdf5 also refuses deeper types. */
const MAX_DEPTH = 32;

/** @throws {InvalidDataError} if the message is truncated or contradicts itself. */
export function parseDatatype(body: Uint8Array): Datatype {
  return parse(new Cursor(body, "datatype"), 0);
}

function parse(cursor: Cursor, depth: number): Datatype {
  if (depth > MAX_DEPTH) throw new InvalidDataError(`datatype is nested more than ${MAX_DEPTH} deep`);
  const first = cursor.u8();
  const version = first >> 4;
  const bits = cursor.uint(3);
  const size = cursor.u32();
  if (version < 1 || version > 5) throw new InvalidDataError(`datatype has version ${version}; 1 to 5 exist`);
  if (size === 0) throw new InvalidDataError("datatype has size 0");
  const type = first & 0x0f;
  switch (type) {
    case 0:
      return parseInteger(cursor, size, bits, (bits & 8) !== 0);
    case 1:
      return parseFloating(cursor, size, bits);
    case 2:
      return parseTime(cursor, size, bits);
    case 3:
      return { class: "fixed-string", size, padding: padding(bits & 0x0f), encoding: encoding((bits >> 4) & 0x0f) };
    case 4:
      return { ...parseInteger(cursor, size, bits, false), isBitField: true };
    case 5:
      cursor.skip(bits & 0xff);
      return { class: "opaque", size };
    case 6:
      return { class: "compound", size, members: parseMembers(cursor, version, size, bits & 0xffff, depth) };
    case 7:
      return { class: "reference", size, target: referenceTarget(bits & 0x0f, size) };
    case 8:
      return parseEnum(cursor, version, size, bits & 0xffff, depth);
    case 9:
      return parseVariable(cursor, size, bits, depth);
    case 10:
      return parseArray(cursor, version, size, depth);
    case 11:
      return { class: "complex", size, base: parse(cursor, depth + 1) };
    default:
      throw new UnsupportedError(`HDF5 datatype class ${type}`);
  }
}

/**
 * Returns the kind of target that a reference has. A region reference consists of the address of a heap and an index
 * into it.
 */
function referenceTarget(kind: number, size: number): "object" | "region" | "other" {
  if (kind === 0 && size === 8) return "object";
  return kind === 1 && size === 12 ? "region" : "other";
}

function parseInteger(cursor: Cursor, size: number, bits: number, signed: boolean): IntegerDatatype {
  const bitOffset = cursor.u16();
  const precision = cursor.u16();
  if (precision === 0 || bitOffset + precision > 8 * size) {
    throw new InvalidDataError(`integer of ${size} bytes has ${precision} bits from bit ${bitOffset} on`);
  }
  return { class: "integer", size, bigEndian: (bits & 1) !== 0, signed, bitOffset, precision };
}

/** Parses a time. Its bytes form an integer, and the specification defines only the width of that integer. */
function parseTime(cursor: Cursor, size: number, bits: number): IntegerDatatype {
  const precision = cursor.u16();
  if (precision === 0 || precision > 8 * size) {
    throw new InvalidDataError(`time of ${size} bytes has ${precision} bits`);
  }
  return { class: "integer", size, bigEndian: (bits & 1) !== 0, signed: true, bitOffset: 0, precision, isTime: true };
}

/** The positions and widths of exponent and mantissa, and the bias, for each IEEE format. */
const IEEE: ReadonlyMap<number, string> = new Map([
  [2, "10 5 0 10 15"],
  [4, "23 8 0 23 127"],
  [8, "52 11 0 52 1023"],
]);

function parseFloating(cursor: Cursor, size: number, bits: number): FloatDatatype {
  cursor.skip(2);
  const precision = cursor.u16();
  const [exponentAt, exponentBits, mantissaAt, mantissaBits] = [cursor.u8(), cursor.u8(), cursor.u8(), cursor.u8()];
  const bias = cursor.u32();
  const layout = [exponentAt, exponentBits, mantissaAt, mantissaBits, bias].join(" ");
  const bigEndian = (bits & 1) !== 0;
  const vax = (bits & 0x41) === 0x41;
  // The sign is the highest bit, and the leading mantissa bit is implied.
  const usual = IEEE.get(size) === layout && ((bits >> 8) & 0xff) === 8 * size - 1 && (bits & 0x30) === 0x20;
  const odd = usual && !vax ? null : `float of ${precision} bits in ${size} bytes${usual ? "" : " (not IEEE)"}`;
  const parts: FloatParts | null =
    odd === null
      ? null
      : {
          sign: (bits >> 8) & 0xff,
          exponent: { at: exponentAt, bits: exponentBits },
          mantissa: { at: mantissaAt, bits: mantissaBits },
          bias,
          implied: (bits & 0x30) === 0x20,
          vax,
        };
  return { class: "float", size, bigEndian: bigEndian && !vax, odd, parts };
}

function padding(code: number): "nullterm" | "nullpad" | "spacepad" {
  switch (code) {
    case 0:
      return "nullterm";
    case 1:
      return "nullpad";
    case 2:
      return "spacepad";
    default:
      throw new InvalidDataError(`string has padding ${code}; 0 to 2 exist`);
  }
}

function encoding(code: number): "ascii" | "utf-8" {
  if (code > 1) throw new InvalidDataError(`string has character set ${code}; 0 and 1 exist`);
  return code === 0 ? "ascii" : "utf-8";
}

/** Reads a name. Before version 3, it is padded to a multiple of 8 bytes, including the NUL. */
function name(cursor: Cursor, version: number): string {
  const start = cursor.position;
  const text = cursor.text();
  if (version < 3) cursor.skip((8 - ((cursor.position - start) % 8)) % 8);
  return text;
}

function parseMembers(
  cursor: Cursor,
  version: number,
  size: number,
  count: number,
  depth: number,
): readonly CompoundMember[] {
  if (count === 0) throw new InvalidDataError("compound type has no members");
  const members: CompoundMember[] = [];
  const offsetBytes = version < 3 ? 4 : Math.floor(Math.log2(size) / 8) + 1;
  for (let i = 0; i < count; i++) {
    const member = name(cursor, version);
    const offset = cursor.uint(offsetBytes);
    let shape: number[] = [];
    if (version === 1) {
      const rank = cursor.u8();
      if (rank > 4) throw new InvalidDataError(`compound member has ${rank} dimensions; at most 4 are legal`);
      cursor.skip(11);
      shape = [cursor.u32(), cursor.u32(), cursor.u32(), cursor.u32()].slice(0, rank);
      if (shape.includes(0)) throw new InvalidDataError(`compound member of shape ${shape.join(" x ")} holds nothing`);
    }
    const base = parse(cursor, depth + 1);
    const type: Datatype =
      shape.length === 0 ? base : { class: "array", size: base.size * countElements(shape), shape, base };
    if (offset + type.size > size) {
      throw new InvalidDataError(
        `compound of ${size} bytes has a member of ${type.size} bytes at ${offset}, beyond its end`,
      );
    }
    members.push({ name: member, offset, type });
  }
  return members;
}

function parseEnum(cursor: Cursor, version: number, size: number, count: number, depth: number): Datatype {
  const base = parse(cursor, depth + 1);
  if (base.class !== "integer") throw new InvalidDataError(`enum stands on ${base.class}, not on an integer`);
  if (base.size !== size) throw new InvalidDataError(`enum of ${size} bytes stands on an integer of ${base.size}`);
  const names: string[] = [];
  for (let i = 0; i < count; i++) names.push(name(cursor, version));
  const members = names.map((member) => ({ name: member, value: toInteger(cursor.take(size), base) }));
  return { class: "enum", size, base, members };
}

function parseVariable(cursor: Cursor, size: number, bits: number, depth: number): Datatype {
  const base = parse(cursor, depth + 1);
  if ((bits & 0x0f) === 0) return { class: "sequence", size, base };
  if ((bits & 0x0f) !== 1) throw new InvalidDataError(`variable-length type ${bits & 0x0f}; 0 and 1 exist`);
  const bigEndian = base.class === "integer" && base.bigEndian;
  return { class: "variable-string", size, encoding: encoding((bits >> 8) & 0x0f), bigEndian };
}

function parseArray(cursor: Cursor, version: number, size: number, depth: number): ArrayDatatype {
  const rank = cursor.u8();
  if (rank > MAX_RANK) throw new InvalidDataError(`array type has ${rank} dimensions; at most ${MAX_RANK} are legal`);
  if (version < 3) cursor.skip(3);
  const shape: number[] = [];
  for (let i = 0; i < rank; i++) shape.push(cursor.u32());
  if (version < 3) cursor.skip(4 * rank);
  const base = parse(cursor, depth + 1);
  if (base.size * countElements(shape) !== size) {
    throw new InvalidDataError(
      `array type of ${size} bytes holds ${shape.join(" x ")} values of ${base.size} bytes each`,
    );
  }
  return { class: "array", size, shape, base };
}
