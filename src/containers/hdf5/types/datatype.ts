/** A type as HDF5 describes it, parsed from a file or returned by the library. */

export type Datatype =
  | IntegerDatatype
  | FloatDatatype
  | FixedStringDatatype
  | VariableStringDatatype
  | { readonly class: "opaque"; readonly size: number }
  | CompoundDatatype
  | { readonly class: "reference"; readonly size: number; readonly target: "object" | "region" | "other" }
  | EnumDatatype
  | SequenceDatatype
  | ArrayDatatype
  | { readonly class: "complex"; readonly size: number; readonly base: Datatype }
  | { readonly class: "other"; readonly size: number; readonly name: string };

/**
 * An integer type. The value consists of `precision` bits starting at `bitOffset`; the other bits are padding. Bit
 * fields are unsigned.
 */
export interface IntegerDatatype {
  readonly class: "integer";
  readonly size: number;
  readonly bigEndian: boolean;
  readonly signed: boolean;
  readonly bitOffset: number;
  readonly precision: number;
  /** Set for bit fields, which are read as unsigned integers. */
  readonly isBitField?: true;
  /** Set for times, whose unit is known only to the program that wrote them. */
  readonly isTime?: true;
}

export interface FloatDatatype {
  readonly class: "float";
  readonly size: number;
  readonly bigEndian: boolean;
  /** Null for the 16-bit, 32-bit and 64-bit IEEE formats; otherwise a description for errors. */
  readonly odd: string | null;
  /** The positions of the parts in other formats; null for the IEEE formats. */
  readonly parts: FloatParts | null;
}

/** The parts of a float in a non-IEEE format: positions and widths in bits, counted from the lowest bit. */
export interface FloatParts {
  readonly sign: number;
  readonly exponent: { readonly at: number; readonly bits: number };
  readonly mantissa: { readonly at: number; readonly bits: number };
  readonly bias: number;
  /** True if the mantissa has a leading bit that is not stored. */
  readonly implied: boolean;
  /** True if the 16-bit words are in reverse order, as on a VAX. */
  readonly vax: boolean;
}

export interface FixedStringDatatype {
  readonly class: "fixed-string";
  readonly size: number;
  readonly padding: "nullterm" | "nullpad" | "spacepad";
  readonly encoding: "ascii" | "utf-8";
}

export interface VariableStringDatatype {
  readonly class: "variable-string";
  readonly size: number;
  readonly encoding: "ascii" | "utf-8";
  /** Irrelevant for the text itself, but libhdf5 uses it to determine the byte order of a compound. */
  readonly bigEndian: boolean;
}

export interface CompoundDatatype {
  readonly class: "compound";
  readonly size: number;
  readonly members: readonly CompoundMember[];
}

export interface CompoundMember {
  readonly name: string;
  readonly offset: number;
  readonly type: Datatype;
}

export interface EnumDatatype {
  readonly class: "enum";
  readonly size: number;
  readonly base: IntegerDatatype;
  readonly members: readonly { readonly name: string; readonly value: number | bigint }[];
}

/** A sequence of variable length. */
export interface SequenceDatatype {
  readonly class: "sequence";
  readonly size: number;
  readonly base: Datatype;
}

export interface ArrayDatatype {
  readonly class: "array";
  readonly size: number;
  readonly shape: readonly number[];
  readonly base: Datatype;
}

/** True if values of this type contain pointers to data elsewhere (variable-length strings and sequences). */
export function isVariable(type: Datatype): boolean {
  switch (type.class) {
    case "variable-string":
    case "sequence":
      return true;
    case "reference":
      return type.target === "region";
    case "compound":
      return type.members.some((member) => isVariable(member.type));
    case "array":
    case "complex":
      return isVariable(type.base);
    case "integer":
    case "float":
    case "fixed-string":
    case "opaque":
    case "enum":
    case "other":
      return false;
    default:
      return type satisfies never;
  }
}

/** True if values of this type contain references to objects. */
export function hasReferences(type: Datatype): boolean {
  switch (type.class) {
    case "reference":
      return true;
    case "compound":
      return type.members.some((member) => hasReferences(member.type));
    case "sequence":
    case "array":
      return hasReferences(type.base);
    default:
      return false;
  }
}

/** Reads a value of `type.size` bytes. Returns a bigint only if a number would lose digits. */
export function toInteger(bytes: Uint8Array, type: IntegerDatatype): number | bigint {
  let value = 0n;
  for (let i = 0; i < type.size; i++) {
    value = (value << 8n) | BigInt(bytes[type.bigEndian ? i : type.size - 1 - i]);
  }
  value >>= BigInt(type.bitOffset);
  const exact = type.signed ? BigInt.asIntN(type.precision, value) : BigInt.asUintN(type.precision, value);
  return exact >= Number.MIN_SAFE_INTEGER && exact <= Number.MAX_SAFE_INTEGER ? Number(exact) : exact;
}

/**
 * Replaces padding bits with the sign bit (or with zeros), in place. Padding is common: libhdf5 stores a 24-bit integer
 * in 4 bytes.
 * @param bytes little-endian values of `type.size` bytes each; the size is 1, 2, 4 or 8.
 */
export function extendPrecision(bytes: Uint8Array, type: IntegerDatatype): void {
  const { size, precision, bitOffset } = type;
  if (precision === 8 * size) return;
  if (size <= 4) {
    const above = 32 - precision;
    for (let start = 0; start + size <= bytes.length; start += size) {
      let word = 0;
      for (let i = size - 1; i >= 0; i--) word = (word << 8) | bytes[start + i];
      const upper = (word >>> bitOffset) << above;
      const value = type.signed ? upper >> above : upper >>> above;
      for (let i = 0; i < size; i++) bytes[start + i] = value >>> (8 * i);
    }
    return;
  }
  for (let start = 0; start + size <= bytes.length; start += size) {
    let value = 0n;
    for (let i = size - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[start + i]);
    value >>= BigInt(bitOffset);
    value = type.signed ? BigInt.asIntN(precision, value) : BigInt.asUintN(precision, value);
    for (let i = 0; i < size; i++) bytes[start + i] = Number((value >> BigInt(8 * i)) & 0xffn);
  }
}
