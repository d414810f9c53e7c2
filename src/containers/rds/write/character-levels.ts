import { ASCII_LEVEL, BYTES_LEVEL, LATIN1_LEVEL, UTF8_LEVEL } from "../model/sexp-type.js";
import { BYTES, LATIN1, UTF8 } from "../model/text.js";

/** R's flags for one string: ASCII has one of its own, whatever the encoding. */
export function levelsOf(bytes: Uint8Array, encoding: number): number {
  let bits = 0;
  for (let i = 0; i < bytes.length; i++) bits |= bytes[i];
  if (bits < 0x80) return ASCII_LEVEL;
  if (encoding === UTF8) return UTF8_LEVEL;
  if (encoding === LATIN1) return LATIN1_LEVEL;
  return encoding === BYTES ? BYTES_LEVEL : 0;
}
