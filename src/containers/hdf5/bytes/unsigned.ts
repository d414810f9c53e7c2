/** Unsigned integers in the tables of files, where a `Cursor` for each would take most of the time. */

import { InvalidDataError } from "../../../model/errors.js";

/**
 * The integer of `width` bytes at `at`, which lies within the bytes.
 * @param what what the bytes are, for errors.
 * @throws {InvalidDataError} beyond 2^53.
 */
export function unsignedAt(view: DataView, at: number, width: number, what = "chunk index"): number {
  if (width === 4) return view.getUint32(at, true);
  let value = 0;
  if (width === 8) value = view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
  else for (let i = width - 1; i >= 0; i--) value = value * 256 + view.getUint8(at + i);
  if (value > Number.MAX_SAFE_INTEGER) {
    throw new InvalidDataError(`${what} holds the size or address ${value}, beyond 2^53`);
  }
  return value;
}

/** Whether all bits are set, which means that there is no such address. */
export function isUndefinedAt(view: DataView, at: number, width: number): boolean {
  for (let i = 0; i < width; i++) if (view.getUint8(at + i) !== 0xff) return false;
  return true;
}

export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
