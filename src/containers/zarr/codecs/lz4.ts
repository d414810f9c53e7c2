import { InvalidDataError } from "../../../errors.js";
import { wrongSize } from "../../../kernels/inflate.js";
import { compressor } from "./codec.js";
import { decodeWithNumcodecs } from "./numcodecs.js";

/** numcodecs' lz4: the decoded size (u32, little-endian), then one lz4 block. */
export const lz4 = compressor((bytes, size) => {
  if (bytes.length < 5) throw new InvalidDataError(`${bytes.length} bytes are no lz4 block with its size`);
  const decoded = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true);
  if (size.exact ? decoded !== size.bytes : decoded > size.bytes) throw wrongSize(decoded, size);
  return decodeWithNumcodecs("lz4", bytes);
});
