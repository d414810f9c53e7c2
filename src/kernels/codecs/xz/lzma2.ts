import { InvalidDataError } from "../../../model/errors.js";
import type { BoundedOutput } from "../bounds/bounded-output.js";
import { LzmaDecoder, type LzmaProperties, lzmaProperties } from "./lzma-decoder.js";

/** Decodes the chunks of an LZMA2 stream into `out`. Returns the place where the stream ends in `bytes`. */
export function decodeLzma2(bytes: Uint8Array, start: number, out: BoundedOutput): number {
  let origin = out.length;
  let at = start;
  let properties: LzmaProperties | undefined;
  let decoder: LzmaDecoder | undefined;
  for (;;) {
    const control = byteAt(bytes, at++);
    if (control === 0) return at;
    if (control < 0x80) {
      // Control bytes 1 and 2 mark stored bytes; 1 also resets the dictionary.
      if (control > 2) throw new InvalidDataError(`LZMA2 control byte ${control}`);
      if (control === 1) origin = out.length;
      const size = word(bytes, at) + 1;
      at += 2;
      out.append(part(bytes, at, size));
      at += size;
      continue;
    }
    const size = ((control & 0x1f) << 16) + word(bytes, at) + 1;
    const encoded = word(bytes, at + 2) + 1;
    at += 4;
    // The reset bits: 0 resets nothing; 1 the state; 2 also sets new properties; 3 also resets the dictionary.
    const reset = (control >> 5) & 3;
    if (reset === 3) origin = out.length;
    if (reset >= 2) properties = lzmaProperties(byteAt(bytes, at++));
    if (properties === undefined) throw new InvalidDataError("LZMA2: a chunk without properties");
    if (reset >= 1) decoder = new LzmaDecoder(out, properties);
    if (decoder === undefined) throw new InvalidDataError("LZMA2: a chunk without state");
    decoder.decode(part(bytes, at, encoded), size, origin);
    at += encoded;
  }
}

function part(bytes: Uint8Array, at: number, size: number): Uint8Array {
  if (at + size > bytes.length)
    throw new InvalidDataError(`LZMA2: a chunk ends at byte ${at + size} of ${bytes.length}`);
  return bytes.subarray(at, at + size);
}

function byteAt(bytes: Uint8Array, at: number): number {
  if (at >= bytes.length) throw new InvalidDataError("truncated LZMA2 stream");
  return bytes[at];
}

function word(bytes: Uint8Array, at: number): number {
  return byteAt(bytes, at) * 256 + byteAt(bytes, at + 1);
}
