/** Version 3 names the encoding of strings that say nothing of their own: that of R's locale. */

import { UnsupportedError } from "../../../model/errors.js";

/** Strings without a flag become UTF-8; `null` leaves them alone, since they are that already. */
export type NativeDecoder = ((bytes: Uint8Array) => Uint8Array) | null;

/** Names under which R knows ASCII, which is UTF-8 as far as it goes. */
const ASCII = /^(|utf-?8|us-ascii|ascii|ansi_x3\.4-1968|646|posix|c)$/i;

export function nativeDecoder(encoding: string): NativeDecoder {
  if (ASCII.test(encoding)) return null;
  const decoder = findDecoder(encoding);
  const encoder = new TextEncoder();
  return (bytes) => {
    if (bytes.every((byte) => byte < 0x80)) return bytes;
    if (decoder === null) throw new UnsupportedError(`strings in the encoding "${encoding}"`);
    return encoder.encode(decoder.decode(bytes));
  };
}

function findDecoder(encoding: string): TextDecoder | null {
  // Windows' code pages: CP1252 is windows-1252.
  const label = encoding.replace(/^cp(?=125\d$)/i, "windows-");
  try {
    return new TextDecoder(label, { ignoreBOM: true });
  } catch {
    return null;
  }
}
