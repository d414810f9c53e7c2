import { swapBytes } from "../../../kernels/values/byte-order.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { allocate, bytesOf, type NumberArray } from "../../../model/stored.js";
import { parseNumpyType } from "../metadata/data-type-v2.js";
import type { Json } from "../metadata/json.js";
import { show, textOf } from "../metadata/json-fields.js";

/** How the values of a filter's input or output lie in bytes. */
export interface NumberFormat {
  readonly size: number;
  readonly big: boolean;
  readonly isBigInt: boolean;
  allocate(count: number): NumberArray;
}

/** What numpy calls its types; zarr-python stores these names in v3 documents. */
const NAMES: Readonly<Record<string, string>> = {
  bool: "|b1",
  int8: "|i1",
  int16: "=i2",
  int32: "=i4",
  int64: "=i8",
  uint8: "|u1",
  uint16: "=u2",
  uint32: "=u4",
  uint64: "=u8",
  float16: "=f2",
  float32: "=f4",
  float64: "=f8",
};

/** numpy's type text for one of its names (`int32`), or for a text without its byte order (`i4`). */
function typeText(text: string): string {
  if (Object.hasOwn(NAMES, text)) return NAMES[text];
  return /^[biuf][1248]$/.test(text) ? `=${text}` : text;
}

/**
 * The format that a filter's `dtype` or `astype` names.
 * @throws {UnsupportedError} where it is no integer, no bool and no float of 32 or 64 bits.
 */
export function numberFormat(value: Json | undefined, what: string): NumberFormat {
  const { stored, layout } = parseNumpyType(typeText(textOf(value, what)));
  const isNumber = stored.kind === "int" || stored.kind === "bool" || (stored.kind === "float" && stored.bits !== 16);
  if (!isNumber || layout.kind !== "fixed") throw new UnsupportedError(`${what} ${show(value)}`);
  return {
    size: layout.size,
    big: layout.big,
    isBigInt: stored.kind === "int" && stored.bits === 64,
    allocate: (count) => allocate(stored, count),
  };
}

/** The values in these bytes, copied. */
export function readNumbers(bytes: Uint8Array, format: NumberFormat): NumberArray {
  if (bytes.length % format.size !== 0) {
    throw new InvalidDataError(`${bytes.length} bytes are no whole number of values of ${format.size} bytes`);
  }
  const values = format.allocate(bytes.length / format.size);
  const own = bytesOf(values);
  own.set(bytes);
  if (format.big) swapBytes(own, format.size);
  return values;
}

/** The bytes of `values`, which are given up. */
export function writeNumbers(values: NumberArray, format: NumberFormat): Uint8Array {
  const bytes = bytesOf(values);
  if (format.big) swapBytes(bytes, format.size);
  return bytes;
}

/** `values` in another format: floats lose their fraction on the way to integers, as a C cast does. */
export function convert(values: NumberArray, format: NumberFormat): NumberArray {
  const out = format.allocate(values.length);
  const put = setter(out);
  for (let i = 0; i < values.length; i++) put(i, values[i]);
  return out;
}

/** Writes a value into `out` whichever kind of number it holds. */
export function setter(out: NumberArray): (index: number, value: number | bigint) => void {
  if (out instanceof BigInt64Array || out instanceof BigUint64Array) {
    return (index, value) => {
      out[index] = typeof value === "bigint" ? value : BigInt(Number.isFinite(value) ? Math.trunc(value) : 0);
    };
  }
  const isFloat = out instanceof Float32Array || out instanceof Float64Array;
  return (index, value) => {
    out[index] = typeof value === "bigint" ? Number(isFloat ? value : BigInt.asIntN(32, value)) : value;
  };
}
