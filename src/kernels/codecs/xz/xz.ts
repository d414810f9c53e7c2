import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { crc32 } from "../../checksums/checksums.js";
import type { BoundedOutput } from "../bounds/bounded-output.js";
import { decodeLzma2 } from "./lzma2.js";

const MAGIC = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0];
const LZMA2 = 0x21;
/** Bytes of the check behind each block, by its type ("The .xz File Format", 2.1.1.2). */
const CHECK_SIZES = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];

/**
 * Decodes an xz file of one or more streams with LZMA2 blocks into `out`; CRC-32 and CRC-64 are verified.
 * @throws {UnsupportedError} for blocks with another filter.
 */
export function decodeXz(bytes: Uint8Array, out: BoundedOutput): void {
  let at = 0;
  do {
    at = decodeStream(bytes, at, out);
    // A stream may be followed by zeros, a multiple of four.
    while (at + 4 <= bytes.length && bytes[at] === 0) at += 4;
  } while (at < bytes.length);
}

function decodeStream(bytes: Uint8Array, start: number, out: BoundedOutput): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  need(bytes, start + 12);
  if (MAGIC.some((byte, i) => bytes[start + i] !== byte)) throw new InvalidDataError("not an xz stream");
  verify(crc32(bytes.subarray(start + 6, start + 8)), view.getUint32(start + 8, true), "stream header");
  const check = bytes[start + 7] & 15;
  let at = start + 12;
  for (;;) {
    need(bytes, at + 1);
    if (bytes[at] === 0) break;
    at = decodeBlock(bytes, at, check, out);
  }
  return skipIndex(bytes, at);
}

function decodeBlock(bytes: Uint8Array, start: number, check: number, out: BoundedOutput): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerSize = (bytes[start] + 1) * 4;
  need(bytes, start + headerSize);
  const crcAt = start + headerSize - 4;
  verify(crc32(bytes.subarray(start, crcAt)), view.getUint32(crcAt, true), "block header");
  const flags = bytes[start + 1];
  const reader = { at: start + 2 };
  if (flags & 0x40) readInteger(bytes, reader);
  if (flags & 0x80) readInteger(bytes, reader);
  const filter = readInteger(bytes, reader);
  if ((flags & 3) !== 0 || filter !== LZMA2) throw new UnsupportedError(`xz filter ${filter}: only LZMA2 can be read`);

  const begin = out.length;
  const data = start + headerSize;
  let at = decodeLzma2(bytes, data, out);
  at += (4 - ((at - data) % 4)) % 4;
  need(bytes, at + CHECK_SIZES[check]);
  const result = out.finish().subarray(begin);
  if (check === 1) verify(crc32(result), view.getUint32(at, true), "block");
  if (check === 4) verify(crc64(result), view.getBigUint64(at, true), "block");
  return at + CHECK_SIZES[check];
}

/**
 * Skips the index, which repeats the sizes of the blocks, and the footer, which repeats the header's flags. Returns the
 * end of the stream.
 */
function skipIndex(bytes: Uint8Array, start: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const reader = { at: start + 1 };
  const records = readInteger(bytes, reader);
  for (let i = 0; i < 2 * records; i++) readInteger(bytes, reader);
  const at = reader.at + ((4 - ((reader.at - start) % 4)) % 4);
  need(bytes, at + 4 + 12);
  verify(crc32(bytes.subarray(start, at)), view.getUint32(at, true), "index");
  verify(crc32(bytes.subarray(at + 8, at + 14)), view.getUint32(at + 4, true), "footer");
  if (bytes[at + 14] !== 0x59 || bytes[at + 15] !== 0x5a) throw new InvalidDataError("xz: no footer");
  return at + 16;
}

/** Reads an integer of seven bits per byte, the lowest bits first. */
function readInteger(bytes: Uint8Array, reader: { at: number }): number {
  let value = 0;
  for (let i = 0; i < 7; i++) {
    need(bytes, reader.at + 1);
    const byte = bytes[reader.at++];
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return value;
  }
  throw new InvalidDataError("xz: an integer of more than 49 bits");
}

function need(bytes: Uint8Array, end: number): void {
  if (end > bytes.length) throw new InvalidDataError(`truncated xz stream: ${bytes.length} bytes, needs ${end}`);
}

function verify<T extends number | bigint>(found: T, stored: T, what: string): void {
  if (found !== stored) {
    throw new InvalidDataError(`xz: wrong CRC of the ${what}: ${found.toString(16)}, stored is ${stored.toString(16)}`);
  }
}

/** Returns CRC-64 of ECMA-182, reflected, as in xz. It works on two halves of 32 bits, for speed. */
export function crc64(bytes: Uint8Array): bigint {
  let low = 0xffffffff;
  let high = 0xffffffff;
  for (const byte of bytes) {
    const index = (low ^ byte) & 0xff;
    low = ((low >>> 8) | (high << 24)) ^ LOW[index];
    high = (high >>> 8) ^ HIGH[index];
  }
  return (BigInt(~high >>> 0) << 32n) | BigInt(~low >>> 0);
}

const LOW = new Uint32Array(256);
const HIGH = new Uint32Array(256);
for (let i = 0; i < 256; i++) {
  let crc = BigInt(i);
  for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ 0xc96c5795d7870f42n : crc >> 1n;
  LOW[i] = Number(crc & 0xffffffffn);
  HIGH[i] = Number(crc >> 32n);
}
