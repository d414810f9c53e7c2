import type { ByteCodec } from "../../../kernels/codecs/bounds/byte-codec.js";
import { swapBytes } from "../../../kernels/values/byte-order.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { allocate, type NumberArray, viewAsBytes } from "../../../model/stored.js";
import { parseNumpyType } from "../metadata/data-type-v2.js";
import type { Json } from "../metadata/json.js";
import { checkJsonText, createUnexpectedError, show } from "../metadata/json-fields.js";
import type { CodecModule } from "./codec.js";

/** The binary format of the values that a filter reads or writes. */
export interface NumberFormat {
  readonly size: number;
  readonly big: boolean;
  readonly isBigInt: boolean;
  allocate(count: number): NumberArray;
}

/** numpy's type strings by type name. zarr-python stores such names in v3 documents. */
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

/** Returns numpy's type string for a type name (`int32`) or for a type string without byte order (`i4`). */
function typeText(text: string): string {
  if (Object.hasOwn(NAMES, text)) return NAMES[text];
  return /^[biuf][1248]$/.test(text) ? `=${text}` : text;
}

/**
 * Parses the format specified by a filter's `dtype` or `astype`.
 * @throws {UnsupportedError} if the format is not an integer, a bool, or a float of 32 or 64 bits.
 */
export function parseNumberFormat(value: Json | undefined, what: string): NumberFormat {
  const { stored, layout } = parseNumpyType(typeText(checkJsonText(value, what)));
  const isNumber = stored.kind === "int" || stored.kind === "bool" || (stored.kind === "float" && stored.bits !== 16);
  if (!isNumber || layout.kind !== "fixed") throw new UnsupportedError(`${what} ${show(value)}`);
  return {
    size: layout.size,
    big: layout.big,
    isBigInt: stored.kind === "int" && stored.bits === 64,
    allocate: (count) => allocate(stored, count),
  };
}

export function readNumbers(bytes: Uint8Array, format: NumberFormat): NumberArray {
  if (bytes.length % format.size !== 0) {
    throw new InvalidDataError(`${bytes.length} bytes are no whole number of values of ${format.size} bytes`);
  }
  const values = format.allocate(bytes.length / format.size);
  const own = viewAsBytes(values);
  own.set(bytes);
  if (format.big) swapBytes(own, format.size);
  return values;
}

/** Returns the bytes of `values`. The caller must not use `values` afterwards, since its memory is reused. */
export function writeNumbers(values: NumberArray, format: NumberFormat): Uint8Array {
  const bytes = viewAsBytes(values);
  if (format.big) swapBytes(bytes, format.size);
  return bytes;
}

/** Converts `values` to another format. Floats are truncated when converted to integers, as in a C cast. */
export function convert(values: NumberArray, format: NumberFormat): NumberArray {
  const out = format.allocate(values.length);
  const put = createNumberSetter(out);
  for (let i = 0; i < values.length; i++) put(i, values[i]);
  return out;
}

/** Returns a function that writes a number or bigint into `out`, converted to the type of `out`. */
function createNumberSetter(out: NumberArray): (index: number, value: number | bigint) => void {
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

/** `delta`: the first value, then differences. Sums wrap around like integers of type `dtype`. */
export const delta: CodecModule = {
  kind: "bytes",
  make(configuration) {
    const decoded = parseNumberFormat(configuration.dtype, "dtype");
    const encoded = parseNumberFormat(configuration.astype ?? configuration.dtype, "astype");
    return {
      encodedSize: (size) => (size / decoded.size) * encoded.size,
      encodedWord: encoded.size,
      decode(bytes) {
        const values = convert(readNumbers(bytes, encoded), decoded);
        if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
          for (let i = 1; i < values.length; i++) values[i] += values[i - 1];
        } else {
          for (let i = 1; i < values.length; i++) values[i] += values[i - 1];
        }
        return writeNumbers(values, decoded);
      },
    };
  },
};

/** `fixedscaleoffset`: value = stored / scale + offset, computed in numpy's precision. */
export const fixedScaleOffset: CodecModule = {
  kind: "bytes",
  make(configuration) {
    const decoded = parseNumberFormat(configuration.dtype, "dtype");
    const encoded = parseNumberFormat(configuration.astype ?? configuration.dtype, "astype");
    const { scale, offset } = configuration;
    if (typeof scale !== "number") throw createUnexpectedError(scale, "scale", "a number");
    if (typeof offset !== "number") throw createUnexpectedError(offset, "offset", "a number");
    return {
      encodedSize: (size) => (size / decoded.size) * encoded.size,
      encodedWord: encoded.size,
      decode(bytes) {
        const values = readNumbers(bytes, encoded);
        const out = decoded.allocate(values.length);
        const put = createNumberSetter(out);
        const round = values instanceof Float32Array ? Math.fround : (value: number) => value;
        for (let i = 0; i < values.length; i++) put(i, round(round(Number(values[i]) / scale) + offset));
        return writeNumbers(out, decoded);
      },
    };
  },
};

/** `astype`: stores the values as another type. */
export const asType: CodecModule = {
  kind: "bytes",
  make: ({ encode_dtype, decode_dtype }) => cast(decode_dtype, encode_dtype),
};

/** `quantize`: decoding cannot undo the rounding, only the conversion to the stored type. */
export const quantize: CodecModule = {
  kind: "bytes",
  make: ({ dtype, astype }) => cast(dtype, astype ?? dtype),
};

function cast(dtype: Json | undefined, astype: Json | undefined): ByteCodec {
  const decoded = parseNumberFormat(dtype, "dtype");
  const encoded = parseNumberFormat(astype, "astype");
  return {
    encodedSize: (size) => (size / decoded.size) * encoded.size,
    encodedWord: encoded.size,
    decode: (bytes) => writeNumbers(convert(readNumbers(bytes, encoded), decoded), decoded),
  };
}

/** `packbits`: stores booleans as bits, highest bit first. An additional byte contains the number of unused bits. */
export const packBits: CodecModule = {
  kind: "bytes",
  make: () => ({
    encodedSize: (decoded) => 1 + Math.ceil(decoded / 8),
    decode(bytes) {
      const padding = bytes.length === 0 ? 8 : bytes[0];
      const count = 8 * (bytes.length - 1) - padding;
      if (padding > 7 || count < 0) throw new InvalidDataError(`${bytes.length} bytes of bits, ${padding} left over`);
      const out = new Uint8Array(count);
      for (let i = 0; i < count; i++) out[i] = (bytes[1 + (i >> 3)] >> (7 - (i & 7))) & 1;
      return out;
    },
  }),
};
