/** Converts the numbers of a chunk to an array. apache-arrow represents float16 as raw bits. */

import { type Data, DataType } from "apache-arrow";

export function plainNumbers(data: Data): ArrayLike<number | bigint> {
  const type: DataType = data.type;
  if (!DataType.isFloat(type) || type.precision !== 0) return data.values;
  return Float32Array.from({ length: data.length }, (_, at) => ofBits(data.values[at]));
}

/** Converts the bits of an IEEE 754 binary16 number. */
function ofBits(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const sign = bits >> 15 === 0 ? 1 : -1;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}
