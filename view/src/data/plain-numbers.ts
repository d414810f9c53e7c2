/** The numbers of a chunk as an array. apache-arrow keeps float16 as its bits, which are no numbers. */

import { type Data, DataType } from "apache-arrow";

export function plainNumbers(data: Data): ArrayLike<number | bigint> {
  const type: DataType = data.type;
  if (!DataType.isFloat(type) || type.precision !== 0) return data.values;
  return Float32Array.from({ length: data.length }, (_, at) => ofBits(data.values[at]));
}

/** IEEE 754's binary16. */
function ofBits(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const sign = bits >> 15 === 0 ? 1 : -1;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}
