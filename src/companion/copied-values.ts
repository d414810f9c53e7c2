/** The values of a copy as the numbers of its source: each of them has the bits that the source has. */

import { float16Bits, float16ToNumber } from "../kernels/values/number-bits.js";
import { InvalidDataError } from "../model/errors.js";
import { bytesOf, type NumberArray } from "../model/stored.js";
import type { CopiedType } from "./manifest.js";

/**
 * Writes values of a copy to `out` as values of `type`.
 * @throws {InvalidDataError} for a value that the type does not have, so that it was never copied from there.
 */
export function valuesOf(values: NumberArray, type: CopiedType, out: NumberArray): void {
  // Floats of the type that they had: every bit stays, also of NaN.
  if (type.kind === "float" && !(values instanceof Uint32Array) && values.BYTES_PER_ELEMENT * 8 === type.bits) {
    bytesOf(out).set(bytesOf(values));
    return;
  }
  const isHalf = type.kind === "float" && type.bits === 16;
  const isBig = out instanceof BigInt64Array || out instanceof BigUint64Array;
  if (values instanceof Uint32Array && !isBig && !isHalf && type.kind !== "bool") {
    // The usual case by itself: a first gene is read before the engine has compiled a long loop.
    out.set(values);
    for (let i = 0; i < values.length; i++) if (out[i] !== values[i]) refuse(values[i], type);
    return;
  }
  for (let i = 0; i < values.length; i++) {
    const value = Number(values[i]);
    if (out instanceof BigInt64Array || out instanceof BigUint64Array) {
      if (Number.isInteger(value)) out[i] = BigInt(value);
      if (Number(out[i]) !== value) refuse(value, type);
      continue;
    }
    out[i] = isHalf ? float16Bits(value) : value;
    if (!isSame(value, out[i], type)) refuse(value, type);
  }
}

function isSame(value: number, written: number, type: CopiedType): boolean {
  switch (type.kind) {
    case "bool":
      return value === 0 || value === 1;
    case "int":
      return value === written;
    case "float":
      return type.bits === 16 ? Object.is(float16ToNumber(written), value) : value === written;
    default:
      return type satisfies never;
  }
}

function refuse(value: number, { kind }: CopiedType): never {
  throw new InvalidDataError(`${value} is no ${kind} of the matrix that was copied`);
}
