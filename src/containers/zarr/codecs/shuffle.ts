import { InvalidDataError } from "../../../errors.js";
import { unshuffle } from "../../../kernels/unshuffle.js";
import { integerOf } from "../json-fields.js";
import type { CodecModule } from "./codec.js";

/** `shuffle`: the first bytes of all values, then the second ones, and so on. */
export const shuffle: CodecModule = {
  kind: "bytes",
  make(configuration) {
    const size = configuration.elementsize === undefined ? 4 : integerOf(configuration.elementsize, "elementsize", 1);
    return {
      encodedSize: (decoded) => decoded,
      decode(bytes) {
        if (bytes.length % size !== 0) {
          throw new InvalidDataError(`${bytes.length} bytes are no whole number of values of ${size} bytes`);
        }
        return unshuffle(bytes, size);
      },
    };
  },
};
