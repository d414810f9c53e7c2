import { unshuffle } from "../../../kernels/codecs/shuffle/unshuffle.js";
import { InvalidDataError } from "../../../model/errors.js";
import type { Json } from "../metadata/json.js";
import { integerOf } from "../metadata/json-fields.js";
import type { ByteCodec, CodecModule } from "./codec.js";

/** `shuffle`: the first bytes of all values, then the second ones, and so on. Values have four bytes unless it says more. */
export const shuffle: CodecModule = {
  kind: "bytes",
  make: ({ elementsize }) => shuffled(elementsize === undefined ? 4 : sizeOf(elementsize)),
};

/** `numcodecs.shuffle` of Zarr v3: without a size it takes the array's items, as zarr-python does. */
export const shuffleOfItems: CodecModule = {
  kind: "bytes",
  make: ({ elementsize }, itemBytes) => shuffled(elementsize == null ? (itemBytes ?? 1) : sizeOf(elementsize)),
};

function sizeOf(elementsize: Json): number {
  return integerOf(elementsize, "elementsize", 1);
}

function shuffled(size: number): ByteCodec {
  return {
    encodedSize: (decoded) => decoded,
    decode(bytes) {
      if (bytes.length % size !== 0) {
        throw new InvalidDataError(`${bytes.length} bytes are no whole number of values of ${size} bytes`);
      }
      return unshuffle(bytes, size);
    },
  };
}
