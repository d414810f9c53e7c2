import { InvalidDataError } from "../../../model/errors.js";
import type { CodecModule } from "./codec.js";

/** `packbits`: the number of bits left over at the end (one byte), then bools as bits, highest first. */
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
