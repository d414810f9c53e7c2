import type { ByteCodec } from "../../../kernels/codecs/bounds/codec.js";
import type { Json } from "../metadata/json.js";
import type { CodecModule } from "./codec.js";
import { convert, numberFormat, readNumbers, writeNumbers } from "./number-format.js";

/** `astype`: values stored as another type. */
export const asType: CodecModule = {
  kind: "bytes",
  make: ({ encode_dtype, decode_dtype }) => cast(decode_dtype, encode_dtype),
};

/** `quantize`: what was rounded stays so; the values may be stored as another type. */
export const quantize: CodecModule = {
  kind: "bytes",
  make: ({ dtype, astype }) => cast(dtype, astype ?? dtype),
};

function cast(dtype: Json | undefined, astype: Json | undefined): ByteCodec {
  const decoded = numberFormat(dtype, "dtype");
  const encoded = numberFormat(astype, "astype");
  return {
    encodedSize: (size) => (size / decoded.size) * encoded.size,
    encodedWord: encoded.size,
    decode: (bytes) => writeNumbers(convert(readNumbers(bytes, encoded), decoded), decoded),
  };
}
