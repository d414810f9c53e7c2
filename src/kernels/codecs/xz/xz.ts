import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { computeCrc32 } from "../../checksums/checksums.js";
import type { DecodedOutput } from "../bounds/decoded-output.js";
import { type EncodedInput, runSteps, type Steps } from "../bounds/steps.js";
import { decodeLzma2InSteps } from "./lzma2.js";

const MAGIC = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0];
const LZMA2 = 0x21;
/** Size in bytes of the check after each block, by its type ("The .xz File Format", 2.1.1.2). */
const CHECK_SIZES = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];

/** Maximum dictionary size in bytes. Decoders hold these bytes in memory. `xz -9` uses 64 MiB. */
const MAX_DICTIONARY = 2 ** 28;

/**
 * Decodes an xz file of one or more streams with LZMA2 blocks into `out`; CRC-32 and CRC-64 are verified.
 * @throws {UnsupportedError} for blocks with another filter.
 */
export function decodeXz(bytes: Uint8Array, out: DecodedOutput): void {
  runSteps(decodeXzInSteps({ bytes, at: 0 }, out));
}

/** Decodes an xz file like `decodeXz`, in steps of one chunk. */
export function* decodeXzInSteps(input: EncodedInput, out: DecodedOutput): Steps {
  do {
    yield* streamSteps(input, out);
    // Zero padding may follow a stream, in multiples of four bytes.
    yield 4;
    while (input.at + 4 <= input.bytes.length && input.bytes[input.at] === 0) {
      input.at += 4;
      yield 4;
    }
  } while (input.at < input.bytes.length);
}

/** Maximum size in bytes of a block header. */
const MAX_HEADER = 1024;

function* streamSteps(input: EncodedInput, out: DecodedOutput): Steps {
  yield 12;
  const { bytes, at } = input;
  need(bytes, at + 12);
  if (MAGIC.some((byte, i) => bytes[at + i] !== byte)) throw new InvalidDataError("not an xz stream");
  verify(computeCrc32(bytes.subarray(at + 6, at + 8)), viewOf(bytes).getUint32(at + 8, true), "stream header");
  const check = bytes[at + 7] & 15;
  input.at += 12;
  for (;;) {
    yield MAX_HEADER;
    need(input.bytes, input.at + 1);
    if (input.bytes[input.at] === 0) break;
    yield* blockSteps(input, check, out);
  }
  yield* indexSteps(input);
}

function* blockSteps(input: EncodedInput, check: number, out: DecodedOutput): Steps {
  out.lookBack(readBlockHeader(input));
  let sum32 = 0;
  let sum64 = 0n;
  const counted = countedInput(input);
  yield* decodeLzma2InSteps(counted, out, (bytes) => {
    if (check === 1) sum32 = computeCrc32(bytes, sum32);
    if (check === 4) sum64 = computeCrc64(bytes, sum64);
  });
  const padding = (4 - (counted.taken % 4)) % 4;
  yield padding + CHECK_SIZES[check];
  need(input.bytes, input.at + padding + CHECK_SIZES[check]);
  input.at += padding;
  const view = viewOf(input.bytes);
  if (check === 1) verify(sum32, view.getUint32(input.at, true), "block");
  if (check === 4) verify(sum64, view.getBigUint64(input.at, true), "block");
  input.at += CHECK_SIZES[check];
}

/** Returns the same input, which counts the consumed bytes. */
function countedInput(input: EncodedInput): EncodedInput & { readonly taken: number } {
  let taken = 0;
  return {
    get bytes() {
      return input.bytes;
    },
    get at() {
      return input.at;
    },
    set at(at) {
      taken += at - input.at;
      input.at = at;
    },
    get taken() {
      return taken;
    },
  };
}

/** Reads the header of a block. Returns the size of its dictionary. @throws {UnsupportedError} for other filters. */
function readBlockHeader(input: EncodedInput): number {
  const { bytes, at: start } = input;
  const headerSize = (bytes[start] + 1) * 4;
  need(bytes, start + headerSize);
  const crcAt = start + headerSize - 4;
  verify(computeCrc32(bytes.subarray(start, crcAt)), viewOf(bytes).getUint32(crcAt, true), "block header");
  const flags = bytes[start + 1];
  const reader = { at: start + 2 };
  if (flags & 0x40) readInteger(bytes, reader);
  if (flags & 0x80) readInteger(bytes, reader);
  const filter = readInteger(bytes, reader);
  if ((flags & 3) !== 0 || filter !== LZMA2) throw new UnsupportedError(`xz filter ${filter}: only LZMA2 can be read`);
  readInteger(bytes, reader);
  need(bytes, reader.at + 1);
  // Two bits of the mantissa, and an exponent; 40 is 4 GiB.
  const bits = bytes[reader.at] & 63;
  const dictionary = (2 | (bits & 1)) * 2 ** (Math.floor(bits / 2) + 11);
  if (dictionary > MAX_DICTIONARY) {
    throw new UnsupportedError(`an xz dictionary of ${dictionary} bytes, ${MAX_DICTIONARY} are allowed`);
  }
  input.at = start + headerSize;
  return dictionary;
}

/** Passes over the index, which repeats the sizes of the blocks, and the footer, which repeats the header's flags. */
function* indexSteps(input: EncodedInput): Steps {
  // The size of the index is unknown before it is read.
  for (let size = 2 ** 12; ; size *= 2) {
    yield size;
    try {
      input.at = skipIndex(input.bytes, input.at);
      return;
    } catch (error) {
      if (input.bytes.length - input.at < size) throw error;
    }
  }
}

/** Returns the end of the stream, whose index begins at `start`. */
function skipIndex(bytes: Uint8Array, start: number): number {
  const view = viewOf(bytes);
  const reader = { at: start + 1 };
  const records = readInteger(bytes, reader);
  for (let i = 0; i < 2 * records; i++) readInteger(bytes, reader);
  const at = reader.at + ((4 - ((reader.at - start) % 4)) % 4);
  need(bytes, at + 4 + 12);
  verify(computeCrc32(bytes.subarray(start, at)), view.getUint32(at, true), "index");
  verify(computeCrc32(bytes.subarray(at + 8, at + 14)), view.getUint32(at + 4, true), "footer");
  if (bytes[at + 14] !== 0x59 || bytes[at + 15] !== 0x5a) throw new InvalidDataError("xz: no footer");
  return at + 16;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
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

/**
 * Returns the CRC-64 (ECMA-182, reflected, as in xz) of bytes that continue the data of the checksum `before`. Uses two
 * halves of 32 bits, for speed.
 */
export function computeCrc64(bytes: Uint8Array, before = 0n): bigint {
  let low = ~Number(before & 0xffffffffn);
  let high = ~Number(before >> 32n) >>> 0;
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
