/** Determines the common type of several number types by numpy's rules (`numpy.result_type`). */

import type { ArrowType } from "../arrow/type.js";

/** The number types, including booleans. */
export type NumericType = Extract<ArrowType, { id: "Bool" | "Int" | "Float" }>;

type Bits = 8 | 16 | 32 | 64;

export const FLOAT64 = { id: "Float", bits: 64 } as const satisfies NumericType;

export function isNumericType(type: ArrowType): type is NumericType {
  return type.id === "Bool" || type.id === "Int" || type.id === "Float";
}

/** Returns the common type of one or more types. */
export function getCommonNumericType(types: readonly NumericType[]): NumericType {
  return types.reduce(commonOfTwo);
}

function commonOfTwo(a: NumericType, b: NumericType): NumericType {
  if (a.id === "Bool") return b;
  if (b.id === "Bool") return a;
  if (a.id === "Float" || b.id === "Float") {
    const bits = Math.max(floatBits(a), floatBits(b));
    return bits === 16 || bits === 32 ? { id: "Float", bits } : FLOAT64;
  }
  if (a.signed === b.signed) return a.bits >= b.bits ? a : b;
  const [signed, unsigned] = a.signed ? [a, b] : [b, a];
  if (signed.bits > unsigned.bits) return signed;
  const wider = widerThan(unsigned.bits);
  return wider === null ? FLOAT64 : { id: "Int", bits: wider, signed: true };
}

/** Returns the bits of the smallest float that numpy promotes a number type to. */
function floatBits(type: Exclude<NumericType, { id: "Bool" }>): 16 | 32 | 64 {
  if (type.id === "Float") return type.bits;
  return type.bits === 8 ? 16 : type.bits === 16 ? 32 : 64;
}

function widerThan(bits: Bits): Bits | null {
  return bits === 8 ? 16 : bits === 16 ? 32 : bits === 32 ? 64 : null;
}
