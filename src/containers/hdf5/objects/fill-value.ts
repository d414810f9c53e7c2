/** What stands where nothing was written. Source: HDF5 File Format Specification, IV.A.2.f. */

import { InvalidDataError } from "../../../model/errors.js";
import { Cursor } from "../bytes/cursor.js";
import { type HeaderMessage, MESSAGE } from "./object-header.js";

const UNDEFINED = 0xffff_ffff;

/** Stands for zeros: an element may be of any size that a file says. */
export const NO_FILL = new Uint8Array(0);

/** The fill value's bytes, `size` of them, in memory of their own; `NO_FILL` where none is defined. @throws {InvalidDataError} at a wrong size. */
export function parseFillValue(messages: readonly HeaderMessage[], size: number): Uint8Array {
  const message =
    messages.find((m) => m.type === MESSAGE.fillValue) ?? messages.find((m) => m.type === MESSAGE.oldFillValue);
  if (message === undefined) return NO_FILL;
  const cursor = new Cursor(message.body, "fill value");
  if (message.type === MESSAGE.fillValue && !isDefined(cursor)) return NO_FILL;
  const length = cursor.u32();
  // The size is signed in versions 1 and 2, and -1 says that the value is not defined.
  if (length === 0 || length === UNDEFINED) return NO_FILL;
  if (length !== size) throw new InvalidDataError(`fill value has ${length} bytes, an element ${size}`);
  return cursor.take(length).slice();
}

function isDefined(cursor: Cursor): boolean {
  const version = cursor.u8();
  switch (version) {
    case 1:
      cursor.skip(3);
      return true;
    case 2:
      cursor.skip(2);
      return cursor.u8() !== 0;
    case 3:
      return (cursor.u8() & 0x20) !== 0;
    default:
      throw new InvalidDataError(`fill value has version ${version}; 1 to 3 exist`);
  }
}
