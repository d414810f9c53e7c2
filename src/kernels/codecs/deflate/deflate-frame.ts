/** The headers of zlib (RFC 1950) and gzip (RFC 1952) around deflate. */

import { InvalidDataError } from "../../../model/errors.js";
import { computeCrc32 } from "../../checksums/checksums.js";

export type DeflateFormat = "raw" | "zlib" | "gzip";

const DEFLATE = 8;

/**
 * Returns the offset of the deflate stream in a zlib stream.
 * @throws {InvalidDataError} if there is no zlib header, or it requires a dictionary.
 */
export function getZlibBodyOffset(bytes: Uint8Array): number {
  const [method, flags] = bytes;
  if (bytes.length < 2 || (method & 15) !== DEFLATE || method >> 4 > 7 || ((method << 8) | flags) % 31 !== 0) {
    throw new InvalidDataError("not a zlib stream: no deflate header");
  }
  if (flags & 32) throw new InvalidDataError("zlib stream with a preset dictionary");
  return 2;
}

/** The flags in the fourth byte of the gzip header. */
const HEADER_CRC = 2;
const EXTRA = 4;
const NAME = 8;
const COMMENT = 16;
const RESERVED = 0xe0;

/**
 * Returns the start of the deflate stream in the gzip member at `start`. The stream follows ten bytes and, depending on
 * the flags, the extra field, the name, the comment and the CRC of the header.
 * @param before bytes of the file before `bytes`, added to the offset in error messages.
 * @throws {InvalidDataError} if the header is incomplete.
 */
export function getGzipBodyOffset(bytes: Uint8Array, start: number, before = 0): number {
  const [first, second, method, flags] = bytes.subarray(start, start + 4);
  if (first !== 0x1f || second !== 0x8b || method !== DEFLATE || flags & RESERVED) {
    throw new InvalidDataError(`not a gzip stream: no header at byte ${before + start}`);
  }
  let at = start + 10;
  if (flags & EXTRA) at += 2 + word(bytes, at);
  for (const flag of [NAME, COMMENT]) if (flags & flag) at = bytes.indexOf(0, at) + 1 || bytes.length + 1;
  if (flags & HEADER_CRC) {
    const stored = word(bytes, at);
    const found = computeCrc32(bytes.subarray(start, at)) & 0xffff;
    at += 2;
    if (at <= bytes.length && found !== stored) throw createChecksumError("header CRC", found, stored);
  }
  if (at > bytes.length)
    throw new InvalidDataError(`gzip stream of ${before + bytes.length} bytes is cut off in its header`);
  return at;
}

function word(bytes: Uint8Array, at: number): number {
  return at + 2 <= bytes.length ? bytes[at] | (bytes[at + 1] << 8) : 0;
}

export function createChecksumError(name: string, found: number, stored: number): InvalidDataError {
  return new InvalidDataError(`${name} is ${found.toString(16)}, the stream says ${stored.toString(16)}`);
}
