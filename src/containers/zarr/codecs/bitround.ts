import type { CodecModule } from "./codec.js";

/** `bitround`: what was rounded stays so. */
export const bitRound: CodecModule = {
  kind: "bytes",
  make: () => ({ encodedSize: (size) => size, decode: (bytes) => bytes }),
};
