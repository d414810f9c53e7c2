/** Types whose stored bytes are their values already, but for byte order and padding bits. */

import { swapBytes } from "../../../kernels/values/byte-order.js";
import type { CompoundDatatype, Datatype, IntegerDatatype } from "./datatype.js";
import { extendPrecision } from "./integer.js";
import { isComplex } from "./stored-type.js";

/** Makes decoded values of stored bytes, in place. */
export type MakeNative = (bytes: Uint8Array) => void;

/** Null for types whose values have another form than their bytes: text, records, and what cannot be decoded. */
export function nativeForm(type: Datatype): MakeNative | null {
  switch (type.class) {
    case "integer":
      return integerForm(type);
    case "enum":
      return integerForm(type.base);
    case "float":
      return type.odd === null ? swapped(type.bigEndian, type.size) : null;
    case "opaque":
      return unchanged;
    case "reference":
      return type.target === "object" && type.size === 8 ? unchanged : null;
    case "array":
    case "complex":
      return nativeForm(type.base);
    case "compound":
      return complexForm(type);
    case "fixed-string":
    case "variable-string":
    case "sequence":
    case "other":
      return null;
    default:
      return type satisfies never;
  }
}

/** Whether stored bytes are the values as they are. */
export function isNative(type: Datatype): boolean {
  return nativeForm(type) === unchanged;
}

function unchanged(): void {}

function swapped(bigEndian: boolean, size: number): MakeNative {
  return bigEndian ? (bytes) => swapBytes(bytes, size) : unchanged;
}

function integerForm(type: IntegerDatatype): MakeNative | null {
  const { size, bigEndian, precision } = type;
  if (size !== 1 && size !== 2 && size !== 4 && size !== 8) return null;
  const swap = swapped(bigEndian, size);
  if (precision === 8 * size) return swap;
  return (bytes) => {
    swap(bytes);
    extendPrecision(bytes, type);
  };
}

/** Real and imaginary part side by side, as numpy has them. */
function complexForm(type: CompoundDatatype): MakeNative | null {
  if (!isComplex(type)) return null;
  const [real, imaginary] = type.members;
  const packed =
    real.offset === 0 && imaginary.offset === real.type.size && type.size === real.type.size + imaginary.type.size;
  if (!packed || real.type.class !== "float" || imaginary.type.class !== "float") return null;
  return real.type.bigEndian === imaginary.type.bigEndian ? nativeForm(real.type) : null;
}
