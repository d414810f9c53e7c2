import type { CodecModule } from "./codec.js";
import { convert, numberFormat, readNumbers, writeNumbers } from "./number-format.js";

/** `delta`: the first value, then differences; sums wrap around as integers of `dtype` do. */
export const delta: CodecModule = {
  kind: "bytes",
  make(configuration) {
    const decoded = numberFormat(configuration.dtype, "dtype");
    const encoded = numberFormat(configuration.astype ?? configuration.dtype, "astype");
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
