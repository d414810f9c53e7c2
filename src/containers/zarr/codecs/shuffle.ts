import { InvalidDataError } from "../../../errors.js";
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
        const out = new Uint8Array(bytes.length);
        for (let byte = 0, from = 0; byte < size; byte++) {
          for (let to = byte; to < out.length; to += size) out[to] = bytes[from++];
        }
        return out;
      },
    };
  },
};
