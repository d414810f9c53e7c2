/**
 * Floats in formats other than IEEE (bfloat16, 8-bit floats, VAX floats), decoded according to the description in their
 * datatype. Source: HDF5 File Format Specification, IV.A.2.d, class 1.
 */

import { swapBytes } from "../../../kernels/values/byte-order.js";
import { UnsupportedError } from "../../../model/errors.js";
import type { FloatType } from "../../../model/stored.js";
import type { FloatDatatype, FloatParts } from "./datatype.js";

/** Maximum bytes of a float. */
const MAX_BYTES = 16;

/** Returns the type that represents every value exactly; null if no Arrow type does, as for 80-bit floats. */
export function findOddFloatType({ size, parts, odd }: FloatDatatype): FloatType | null {
  if (parts === null || odd === null || size > MAX_BYTES) return null;
  const { sign, exponent, mantissa, bias, implied } = parts;
  const end = 8 * size;
  if (sign >= end || exponent.at + exponent.bits > end || mantissa.at + mantissa.bits > end) return null;
  if (exponent.bits === 0 || exponent.bits > 11) return null;
  const digits = mantissa.bits + (implied ? 1 : 0);
  const largest = 2 ** exponent.bits - 1 - bias;
  const least = 1 - bias - mantissa.bits;
  if (digits <= 24 && largest <= 128 && least >= -149) return { kind: "float", bits: 32, format: odd };
  return digits <= 53 && largest <= 1024 && least >= -1074 ? { kind: "float", bits: 64, format: odd } : null;
}

/**
 * Decodes `count` floats; the function changes the bytes.
 * @throws {UnsupportedError} if Arrow has no type for them.
 */
export function decodeOddFloats(type: FloatDatatype, bytes: Uint8Array, count: number): Float32Array | Float64Array {
  const { size, bigEndian, parts, odd } = type;
  const stored = findOddFloatType(type);
  if (parts === null || stored === null) throw new UnsupportedError(odd ?? `float of ${size} bytes`);
  if (parts.vax) reverseWords(bytes, size);
  else if (bigEndian) swapBytes(bytes, size);
  const out = stored.bits === 32 ? new Float32Array(count) : new Float64Array(count);
  for (let i = 0, at = 0; i < count; i++, at += size) {
    let whole = 0n;
    for (let k = size - 1; k >= 0; k--) whole = (whole << 8n) | BigInt(bytes[at + k]);
    out[i] = decoded(whole, parts);
  }
  return out;
}

/** Converts bits as libhdf5 does. An exponent of all ones means infinity, or NaN if the mantissa is not zero. */
function decoded(whole: bigint, { sign, exponent, mantissa, bias, implied }: FloatParts): number {
  const part = (at: number, bits: number) => Number((whole >> BigInt(at)) & ((1n << BigInt(bits)) - 1n));
  const factor = part(sign, 1) === 1 ? -1 : 1;
  const power = part(exponent.at, exponent.bits);
  const digits = part(mantissa.at, mantissa.bits);
  if (power === 2 ** exponent.bits - 1) return digits === 0 ? factor * Number.POSITIVE_INFINITY : Number.NaN;
  if (!implied) return factor * scaled(digits, power - bias - mantissa.bits + 1);
  return power === 0
    ? factor * scaled(digits, 1 - bias - mantissa.bits)
    : factor * scaled(digits + 2 ** mantissa.bits, power - bias - mantissa.bits);
}

/** Returns `digits` x 2^`power`. Computing 2^`power` alone may underflow. */
function scaled(digits: number, power: number): number {
  return power < -1000 ? digits * 2 ** -1000 * 2 ** (power + 1000) : digits * 2 ** power;
}

function reverseWords(bytes: Uint8Array, size: number): void {
  for (let start = 0; start + size <= bytes.length; start += size) {
    for (let a = 0, b = size - 2; a < b; a += 2, b -= 2) {
      for (const k of [0, 1]) {
        const byte = bytes[start + a + k];
        bytes[start + a + k] = bytes[start + b + k];
        bytes[start + b + k] = byte;
      }
    }
  }
}
