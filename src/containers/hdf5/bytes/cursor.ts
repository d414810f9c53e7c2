/** Reads HDF5's little-endian fields sequentially, and never past the end of the given bytes. */

import { InvalidDataError } from "../../../model/errors.js";

/** The sizes in bytes of addresses and lengths in this file. */
export interface FieldSizes {
  readonly offsets: number;
  readonly lengths: number;
}

/**
 * Maximum length of text that is built character by character; for longer text, a TextDecoder is faster. If a longer
 * text were built this way, it would also remain a tree of its parts, which takes seven times the memory.
 */
const MAX_SHORT = 12;

const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes a few bytes if all of them are ASCII; otherwise returns null. */
export function decodeShortAscii(bytes: Uint8Array): string | null {
  if (bytes.length > MAX_SHORT) return null;
  let text = "";
  for (const byte of bytes) {
    if (byte > 0x7f) return null;
    text += String.fromCharCode(byte);
  }
  return text;
}

export class Cursor {
  readonly bytes: Uint8Array;
  position: number;
  readonly #what: string;

  /** @param what how errors refer to the bytes: "datatype", "object header" … */
  constructor(bytes: Uint8Array, what: string, position = 0) {
    this.bytes = bytes;
    this.position = position;
    this.#what = what;
  }

  get remaining(): number {
    return this.bytes.length - this.position;
  }

  /**
   * Moves past the next `length` bytes and returns the position where they start.
   * @throws {InvalidDataError} if they extend past the end.
   */
  #pass(length: number): number {
    if (length > this.remaining) {
      throw new InvalidDataError(`${this.#what} needs ${length} more bytes, but ${this.remaining} are left`);
    }
    const start = this.position;
    this.position += length;
    return start;
  }

  skip(length: number): void {
    this.#pass(length);
  }

  take(length: number): Uint8Array {
    const start = this.#pass(length);
    return this.bytes.subarray(start, start + length);
  }

  u8(): number {
    return this.bytes[this.#pass(1)];
  }

  u16(): number {
    return this.uint(2);
  }

  u32(): number {
    return this.uint(4);
  }

  /**
   * Reads an unsigned integer of `size` bytes.
   * @throws {InvalidDataError} for numbers beyond 2^53, which no real size or address reaches.
   */
  uint(size: number): number {
    const start = this.#pass(size);
    let value = 0;
    for (let i = size - 1; i >= 0; i--) value = value * 256 + this.bytes[start + i];
    if (value > Number.MAX_SAFE_INTEGER) {
      throw new InvalidDataError(`${this.#what} holds the size or address ${value}, beyond 2^53`);
    }
    return value;
  }

  /**
   * Reads an address or length of `size` bytes. Returns null if all bits are set, which means undefined or unlimited.
   */
  optional(size: number): number | null {
    if (this.remaining < size) return this.uint(size);
    for (let i = 0; i < size; i++) if (this.bytes[this.position + i] !== 0xff) return this.uint(size);
    this.position += size;
    return null;
  }

  /**
   * Reads text up to a NUL, and moves past the NUL.
   * @throws {InvalidDataError} if there is no NUL.
   */
  text(): string {
    const end = this.bytes.indexOf(0, this.position);
    if (end < 0) throw new InvalidDataError(`${this.#what} has a name without an end`);
    const bytes = this.bytes.subarray(this.position, end);
    const text = decodeShortAscii(bytes) ?? UTF8.decode(bytes);
    this.position = end + 1;
    return text;
  }
}

/**
 * Reads an integer of `width` bytes at `at`, which must lie within the bytes.
 * @param what how errors refer to the bytes.
 * @throws {InvalidDataError} for numbers beyond 2^53.
 */
export function parseUnsignedAt(view: DataView, at: number, width: number, what = "chunk index"): number {
  if (width === 4) return view.getUint32(at, true);
  let value = 0;
  if (width === 8) value = view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
  else for (let i = width - 1; i >= 0; i--) value = value * 256 + view.getUint8(at + i);
  if (value > Number.MAX_SAFE_INTEGER) {
    throw new InvalidDataError(`${what} holds the size or address ${value}, beyond 2^53`);
  }
  return value;
}

/** True if all bits are set, which is how HDF5 marks an undefined address. */
export function isUndefinedAt(view: DataView, at: number, width: number): boolean {
  for (let i = 0; i < width; i++) if (view.getUint8(at + i) !== 0xff) return false;
  return true;
}

export function createDataView({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/**
 * Reads the address from an object reference of 8 bytes.
 * @throws {InvalidDataError} for numbers beyond 2^53.
 */
export function parseAddressNumber(bytes: Uint8Array): number {
  let value = 0;
  for (let i = bytes.length - 1; i >= 0; i--) value = value * 256 + bytes[i];
  if (value > Number.MAX_SAFE_INTEGER) throw new InvalidDataError(`object reference to address ${value}, beyond 2^53`);
  return value;
}
