import { InvalidDataError } from "../../../errors.js";
import { wrongSize } from "../../../kernels/inflate.js";
import { compressor } from "./codec.js";
import { decodeWithNumcodecs } from "./numcodecs.js";
import { zstdBounds } from "./zstd-frame.js";

/** Output that a stream without declared size may pass its chunk by: its blocks only tell an upper bound. */
const SLACK = 16 * 1024 * 1024;

/** zstd frames. What they declare, or can give at most where they declare nothing, is compared with the chunk first. */
export const zstd = compressor((bytes, size) => {
  const { declared, most } = zstdBounds(bytes);
  if (declared !== null && (size.exact ? declared !== size.bytes : declared > size.bytes)) {
    throw wrongSize(declared, size);
  }
  if (most > 4 * size.bytes + SLACK) {
    throw new InvalidDataError(`the zstd stream can give ${most} bytes, expected ${size.bytes}`);
  }
  return decodeWithNumcodecs("zstd", bytes);
});
