/**
 * HDF5's filter 5 stores only those bits of a number that its type uses. Numbers within arrays and records are packed,
 * too; other values are stored unchanged. The filter's client data describes the type.
 */

import { InvalidDataError } from "../../../model/errors.js";
import type { MakeCodec, OutputSize } from "../bounds/byte-codec.js";
import { checkBits, getOutputMemory, PackedBits } from "./packed-bits.js";

/** A part of an element: `size` bytes, of which `bits` bits are stored. */
type Part = { readonly size: number; readonly bits: number } & (
  | { readonly kind: "bytes" }
  /** A number of `bits` bits. Its least significant stored bit is bit `offset` of the number. */
  | { readonly kind: "number"; readonly isLittle: boolean; readonly offset: number }
  | { readonly kind: "array"; readonly item: Part; readonly count: number }
  | { readonly kind: "record"; readonly members: readonly Member[] }
);

interface Member {
  readonly at: number;
  readonly part: Part;
}

/** Codes of the kinds of parts. */
const [NUMBER, ARRAY, RECORD, BYTES] = [1, 2, 3, 4];

/** Maximum nesting depth, beyond which libhdf5 itself rejects a type. */
const MAX_DEPTH = 32;

export const nBit: MakeCodec = ({ values }) => ({
  encodedSize: () => null,
  decode: (bytes, size, target) => decodeNBit(bytes, values, size, target),
});

/**
 * @param values the client data of the filter.
 * @throws {InvalidDataError} if the client data or the chunk is not valid for this filter.
 */
export function decodeNBit(
  bytes: Uint8Array,
  values: readonly number[],
  size: OutputSize,
  target?: Uint8Array,
): Uint8Array {
  if (values.length < 3 || values[0] !== values.length) {
    throw new InvalidDataError(`n-bit has ${values.length} settings, of ${values[0]} in all`);
  }
  const [, isStored, count] = values;
  // A type that uses all of its bits.
  if (isStored !== 0) return bytes;
  const part = new TypeParser(values).parse();
  const out = getOutputMemory(count * part.size, size, target);
  checkBits(count * part.bits, bytes.length, 0);
  const packed = new PackedBits(bytes, 0);
  out.fill(0);
  for (let i = 0; i < count; i++) place(packed, part, out, i * part.size);
  return out;
}

/** Unpacks an element, or a part of an element, to position `at` of `out`, which must contain zeros there. */
function place(packed: PackedBits, part: Part, out: Uint8Array, at: number): void {
  switch (part.kind) {
    case "bytes":
      for (let i = at; i < at + part.size; i++) out[i] = packed.take(8);
      return;
    case "number":
      placeNumber(packed, part, out, at);
      return;
    case "array":
      for (let i = 0; i < part.count; i++) place(packed, part.item, out, at + i * part.item.size);
      return;
    case "record":
      for (const member of part.members) place(packed, member.part, out, at + member.at);
      return;
    default:
      part satisfies never;
  }
}

/** Writes a number. Numbers of more than 32 bits are written byte by byte, most significant first. */
function placeNumber(
  packed: PackedBits,
  { size, bits, offset, isLittle }: Extract<Part, { kind: "number" }>,
  out: Uint8Array,
  at: number,
): void {
  if (size <= 4) {
    const word = packed.take(bits) << offset;
    for (let byte = 0; byte < size; byte++) out[at + (isLittle ? byte : size - 1 - byte)] = word >>> (8 * byte);
    return;
  }
  // Bytes are counted from the least significant one.
  for (let byte = Math.ceil((offset + bits) / 8) - 1, above = offset + bits; above > offset; byte--) {
    const below = Math.max(offset, 8 * byte);
    out[at + (isLittle ? byte : size - 1 - byte)] = packed.take(above - below) << (below - 8 * byte);
    above = below;
  }
}

class TypeParser {
  readonly #values: readonly number[];
  /** Index of the next setting. The first three settings describe the filter. */
  #at = 3;
  #depth = 0;
  /** Whether libhdf5 misread the description and stored data that cannot be decoded. */
  #isLost = false;

  constructor(values: readonly number[]) {
    this.#values = values;
  }

  /** @throws {InvalidDataError} if the description is truncated or invalid. */
  parse(): Part {
    if (++this.#depth > MAX_DEPTH) throw new InvalidDataError(`n-bit type is nested more than ${MAX_DEPTH} deep`);
    const kind = this.#next();
    const size = this.#next();
    const part = this.#parseKind(kind, size);
    this.#depth--;
    if (part.bits === 0) throw new InvalidDataError(`n-bit type of ${size} bytes, of which no bit is stored`);
    return part;
  }

  #parseKind(kind: number, size: number): Part {
    switch (kind) {
      case NUMBER:
        return this.#parseNumber(size);
      case ARRAY:
        return this.#parseArray(size);
      case RECORD:
        return this.#parseRecord(size);
      case BYTES:
        return { kind: "bytes", size, bits: 8 * size };
      default:
        throw new InvalidDataError(`n-bit type of class ${kind}; 1 to 4 exist`);
    }
  }

  #parseNumber(size: number): Part {
    const [order, bits, offset] = [this.#next(), this.#next(), this.#next()];
    if (order > 1) throw new InvalidDataError(`n-bit has byte order ${order}; 0 and 1 exist`);
    if (offset + bits > 8 * size) {
      throw new InvalidDataError(`n-bit number of ${bits} bits from bit ${offset} on in ${size} bytes`);
    }
    return { kind: "number", size, bits, offset, isLittle: order === 0 };
  }

  #parseArray(size: number): Part {
    const kind = this.#values[this.#at];
    const item = this.parse();
    // If the items are arrays or records, libhdf5 does not advance past their description.
    if (kind === ARRAY || kind === RECORD) this.#isLost = true;
    const count = size / item.size;
    if (!Number.isInteger(count)) throw new InvalidDataError(`n-bit array of ${size} bytes, of items of ${item.size}`);
    return { kind: "array", size, bits: count * item.bits, item, count };
  }

  #parseRecord(size: number): Part {
    const count = this.#next();
    const members: Member[] = [];
    let [bits, used] = [0, 0];
    for (let i = 0; i < count; i++) {
      if (this.#isLost) {
        throw new InvalidDataError(
          "n-bit record with a member behind an array of records, which libhdf5 stores wrongly",
        );
      }
      const at = this.#next();
      const part = this.parse();
      bits += part.bits;
      used += part.size;
      if (at + part.size > size || used > size) {
        throw new InvalidDataError(`n-bit member of ${part.size} bytes at ${at} of a record of ${size} bytes`);
      }
      members.push({ at, part });
    }
    return { kind: "record", size, bits, members };
  }

  #next(): number {
    const value = this.#values[this.#at++];
    if (value === undefined) throw new InvalidDataError("n-bit type is cut off");
    return value;
  }
}
