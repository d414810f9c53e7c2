/** Guesses from a few values how a matrix is packed, since a wrong guess costs a pass over the matrix. */

import type { SparsePlan } from "../jobs/plan/plan.js";
import { toUint32 } from "../kernels/sparse/whole-numbers.js";
import { float16ToNumber } from "../kernels/values/number-bits.js";
import type { ReadOptions } from "../sources/source.js";
import type { CopiedType, PackedType } from "./manifest.js";

/** Values that are looked at, at the beginning and in the middle. */
const SAMPLE = 2 ** 12;

/** The type that holds all values as they are: whole numbers of few bits are packed. */
export async function guessedPacking(
  { data, nnz }: SparsePlan,
  type: CopiedType,
  options: ReadOptions,
): Promise<PackedType> {
  const middle = Math.floor(nnz / 2);
  for (const start of middle > SAMPLE ? [0, middle] : [0]) {
    const end = Math.min(nnz, start + SAMPLE);
    const read = await data.read(start, end, options);
    if (read.kind !== "fixed") return plainPacking(type);
    const isHalf = type.kind === "float" && type.bits === 16;
    const values = isHalf ? Float32Array.from(read.values, half) : read.values;
    if (toUint32(values, new Uint32Array(values.length)) >= 0) return plainPacking(type);
  }
  return "uint";
}

function half(bits: number | bigint): number {
  return float16ToNumber(Number(bits));
}

/** The type of floats that holds all values that are not packed, or most of them. */
export function plainPacking(type: CopiedType): PackedType {
  return type.kind === "float" && type.bits < 64 ? "float" : "double";
}
