import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { appendLz4Block } from "./lz4.js";

const MAGIC = 0x184d2204;
/** Maximum number of bytes that one byte of an LZ4 block can decode to. */
const MAX_RATIO = 255;

/**
 * Decodes the frame that the command line tool and Arrow use (lz4_Frame_format.md); HDF5 uses another frame. The frame
 * consists of magic, flags, blocks with their sizes, and an end mark. A block may refer back to earlier blocks.
 * Checksums are not verified.
 * @throws {InvalidDataError} if the frame is cut off, or does not decode to `size` bytes.
 */
export function decodeLz4Frame(bytes: Uint8Array, size: number): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 7 || view.getUint32(0, true) !== MAGIC) throw new InvalidDataError("no LZ4 frame");
  if (size > MAX_RATIO * bytes.length) {
    throw new InvalidDataError(`${size} bytes cannot come from an LZ4 frame of ${bytes.length}`);
  }
  const flags = bytes[4];
  if (flags >> 6 !== 1) throw new UnsupportedError(`an LZ4 frame of the version ${flags >> 6}, only 1 is read`);
  if ((flags & 1) !== 0) throw new UnsupportedError("an LZ4 frame with a dictionary");
  const checksums = (flags & 16) !== 0;
  // Skips flags, block size, the optional content size, and the header checksum.
  let at = 4 + 2 + ((flags & 8) !== 0 ? 8 : 0) + 1;
  const out = new Uint8Array(size);
  let done = 0;
  for (;;) {
    if (at + 4 > bytes.length) throw cutOff(bytes.length);
    const head = view.getUint32(at, true);
    at += 4;
    if (head === 0) break;
    const length = head & 0x7fffffff;
    if (at + length > bytes.length) throw cutOff(bytes.length);
    const block = bytes.subarray(at, at + length);
    if (head >>> 31 === 1) {
      if (done + length > size) throw new InvalidDataError(`the LZ4 frame gives more than ${size} bytes`);
      out.set(block, done);
      done += length;
    } else done = appendLz4Block(block, out, done);
    at += length + (checksums ? 4 : 0);
  }
  if (done !== size) throw new InvalidDataError(`the LZ4 frame gives ${done} bytes instead of ${size}`);
  return out;
}

function cutOff(bytes: number): InvalidDataError {
  return new InvalidDataError(`an LZ4 frame of ${bytes} bytes is cut off`);
}
