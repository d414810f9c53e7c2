import { copyBytes } from "../../../kernels/text/copy-text.js";
import { InvalidDataError } from "../../../model/errors.js";
import type { ZarrChunk } from "../metadata/chunk.js";
import type { CodecModule } from "./codec.js";

/**
 * `vlen-utf8` and `vlen-bytes`: the number of items (u32, little-endian), then each item's length (u32) and bytes.
 */
export const vlen: CodecModule = { kind: "objects", make: () => ({ decode: decodeVlen }) };

function decodeVlen(bytes: Uint8Array, count: number): ZarrChunk {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = bytes.length < 4 ? 0 : view.getUint32(0, true);
  if (bytes.length < 4 || found !== count) throw new InvalidDataError(`${found} items, expected ${count}`);
  const room = bytes.length - 4 - 4 * count;
  if (room < 0) throw new InvalidDataError(`${count} items cannot lie in ${bytes.length} bytes`);
  const offsets = new Int32Array(count + 1);
  const out = new Uint8Array(room);
  const target = new DataView(out.buffer);
  let at = 4;
  let to = 0;
  for (let i = 0; i < count; i++) {
    if (at + 4 > bytes.length) throw new InvalidDataError(`item ${i} begins at byte ${at} of ${bytes.length}`);
    const length = view.getUint32(at, true);
    at += 4;
    const end = at + length;
    if (end > bytes.length || to + length > room) {
      throw new InvalidDataError(`item ${i} ends at byte ${end} of ${bytes.length}`);
    }
    copyBytes(view, at, length, target, to);
    at = end;
    to += length;
    offsets[i + 1] = to;
  }
  if (at !== bytes.length) throw new InvalidDataError(`${bytes.length - at} bytes follow the last of ${count} items`);
  return { kind: "variable", offsets, bytes: out };
}
