/** Converts the values of a copy to the numbers in its source, with identical bits. */

import { decodeFloat16, encodeFloat16 } from "../../kernels/values/number-bits.js";
import { InvalidDataError } from "../../model/errors.js";
import { type NumberArray, viewAsBytes } from "../../model/stored.js";
import type { CopiedType } from "./manifest.js";

/**
 * Converts a copy's values to `type` and writes them to `out`.
 * @throws {InvalidDataError} for a value that `type` cannot represent. Such a value cannot come from the source.
 */
export function decodeCopiedValues(values: NumberArray, type: CopiedType, out: NumberArray): void {
  // Copying floats of the same type preserves all bits, even those of NaN.
  if (type.kind === "float" && !(values instanceof Uint32Array) && values.BYTES_PER_ELEMENT * 8 === type.bits) {
    viewAsBytes(out).set(viewAsBytes(values));
    return;
  }
  const isHalf = type.kind === "float" && type.bits === 16;
  const isBig = out instanceof BigInt64Array || out instanceof BigUint64Array;
  if (values instanceof Uint32Array && !isBig && !isHalf && type.kind !== "bool") {
    // The most common case has its own statement, because the first gene is read before the engine has compiled a long
    // loop.
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
    out[i] = isHalf ? encodeFloat16(value) : value;
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
      return type.bits === 16 ? Object.is(decodeFloat16(written), value) : value === written;
    default:
      return type satisfies never;
  }
}

function refuse(value: number, { kind }: CopiedType): never {
  throw new InvalidDataError(`${value} is no ${kind} of the matrix that was copied`);
}
