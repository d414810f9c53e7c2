import { InvalidDataError } from "../../../errors.js";
import { wrongSize } from "../../../kernels/inflate.js";
import { compressor } from "./codec.js";
import { decodeWithNumcodecs } from "./numcodecs.js";

const HEADER = 16;

/** Blosc 1: a header of 16 bytes with all three sizes, whatever codec and shuffle are inside. */
export const blosc = compressor((bytes, size) => {
  if (bytes.length < HEADER) throw new InvalidDataError(`${bytes.length} bytes are no blosc frame`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const decoded = view.getUint32(4, true);
  const block = view.getUint32(8, true);
  const encoded = view.getUint32(12, true);
  if (size.exact ? decoded !== size.bytes : decoded > size.bytes) throw wrongSize(decoded, size);
  if (encoded !== bytes.length) {
    throw new InvalidDataError(`the blosc frame says ${encoded} bytes, there are ${bytes.length}`);
  }
  if (decoded === 0) return new Uint8Array(0);
  if (block === 0 || block > Math.max(decoded, 1)) {
    throw new InvalidDataError(`blosc blocks of ${block} bytes for ${decoded} bytes`);
  }
  return decodeWithNumcodecs("blosc", bytes);
});
