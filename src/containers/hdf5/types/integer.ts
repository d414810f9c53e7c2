/** Integers of any size, precision and byte order. */

import type { IntegerDatatype } from "./datatype.js";

/** The value in `bytes` (`type.size` of them); bigint only where a number would lose digits. */
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
 * Replaces padding bits by the sign (or by zeros), in place: libhdf5 stores an integer of 24 bits in 4 bytes.
 * @param bytes little-endian values of `type.size` bytes, 1, 2, 4 or 8.
 */
export function extendPrecision(bytes: Uint8Array, type: IntegerDatatype): void {
  if (type.precision === 8 * type.size) return;
  const size = type.size;
  for (let start = 0; start + size <= bytes.length; start += size) {
    let value = 0n;
    for (let i = size - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[start + i]);
    value >>= BigInt(type.bitOffset);
    value = type.signed ? BigInt.asIntN(type.precision, value) : BigInt.asUintN(type.precision, value);
    for (let i = 0; i < size; i++) bytes[start + i] = Number((value >> BigInt(8 * i)) & 0xffn);
  }
}
