/**
 * A cache of object headers that differ only in the location of their values. A file of many scalars has only a few
 * kinds of such headers, and each kind is parsed once. Source: HDF5 File Format Specification, IV.A.1.a.
 */

import type { AttributeValue } from "../../tree/container.js";
import type { Hdf5File } from "../file/hdf5-file.js";
import { MESSAGE } from "../objects/object-header.js";
import type { ElementType } from "../types/stored-type.js";
import type { Hdf5Dataset } from "./dataset.js";

/** The parsed content that all headers of one kind share. */
export interface HeaderContent {
  readonly dataset: Hdf5Dataset;
  readonly element: ElementType;
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  /** The bytes of all values. */
  readonly length: number;
}

interface Entry {
  /** The bytes of the first header of this kind. */
  readonly bytes: Uint8Array;
  /** The alternating starts and ends of the ranges that must be equal. */
  readonly same: readonly number[];
  /** The position in the header where the address of the values is stored. */
  readonly addressAt: number;
  readonly content: HeaderContent;
}

/** Number of bytes before the messages in a version 1 header. */
const PREFIX_BYTES = 16;
const MESSAGE_PREFIX_BYTES = 8;
const MAX_HEADER_BYTES = 1024;

const CONTINUATION = 0x10;
const MODIFIED = 0x12;
const SHARED = 0x02;

/** Maximum number of cached kinds of header per length, most recently found first. */
const MAX_OF_LENGTH = 32;

/** Caching stops after this many headers without a repetition, because all headers in the file seem to differ. */
const VAIN = 64;

export class HeaderCache {
  readonly #byLength = new Map<number, Entry[]>();
  #vain = 0;
  #last = PREFIX_BYTES;

  /**
   * Returns the content of a known header that matches the one at `address`, and the location of this header's values;
   * null if no known header matches.
   */
  find(file: Hdf5File, address: number): { readonly content: HeaderContent; readonly address: number } | null {
    // Most headers are as long as the previous one.
    let bytes = file.peek(address, this.#last);
    const length = bytes === null ? 0 : headerLength(bytes);
    const entries = this.#byLength.get(length);
    if (entries === undefined) return null;
    if (length !== this.#last) bytes = file.peek(address, length);
    if (bytes === null) return null;
    this.#last = length;
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i];
      if (!isSame(entry, bytes)) continue;
      if (i > 0) {
        entries.splice(i, 1);
        entries.unshift(entry);
      }
      this.#vain = 0;
      const at = addressIn(bytes, entry.addressAt, file.sizes.offsets);
      return at === null ? null : { content: entry.content, address: at };
    }
    return null;
  }

  /** @param content the content of the header at `address`; the dataset's values must be contiguous. */
  add(file: Hdf5File, address: number, content: HeaderContent): void {
    if (this.#vain >= VAIN) return;
    const prefix = file.peek(address, PREFIX_BYTES);
    const length = prefix === null ? 0 : headerLength(prefix);
    const found = length === 0 ? null : file.peek(address, length);
    const parts = found === null ? null : partsOf(found, file.sizes.offsets);
    if (found === null || parts === null) return;
    this.#vain++;
    const entries = this.#byLength.get(length) ?? [];
    this.#byLength.set(length, entries);
    if (entries.length >= MAX_OF_LENGTH) entries.pop();
    entries.unshift({ bytes: found.slice(), ...parts, content });
  }
}

/** Returns the length of the header including its prefix; 0 for other versions and long headers. */
function headerLength(prefix: Uint8Array): number {
  if (prefix.length < PREFIX_BYTES || prefix[0] !== 1 || prefix[10] !== 0 || prefix[11] !== 0) return 0;
  const length = PREFIX_BYTES + prefix[8] + 256 * prefix[9];
  return length > MAX_HEADER_BYTES ? 0 : length;
}

/**
 * Splits a header into parts. Returns null if the header continues elsewhere, shares messages, or has a layout other
 * than contiguous.
 */
function partsOf(bytes: Uint8Array, offsetBytes: number): Pick<Entry, "same" | "addressAt"> | null {
  const same = [0];
  let addressAt = 0;
  for (let at = PREFIX_BYTES; at + MESSAGE_PREFIX_BYTES <= bytes.length; ) {
    const type = bytes[at] + 256 * bytes[at + 1];
    const body = at + MESSAGE_PREFIX_BYTES;
    const end = body + bytes[at + 2] + 256 * bytes[at + 3];
    if (end > bytes.length || type === CONTINUATION || bytes[at + 4] & SHARED) return null;
    if (type === MODIFIED) same.push(body, end);
    if (type === MESSAGE.layout) {
      // The layout message must have version 3 and the class "contiguous".
      if (addressAt > 0 || bytes[body] !== 3 || bytes[body + 1] !== 1 || body + 2 + offsetBytes > end) return null;
      addressAt = body + 2;
      same.push(addressAt, addressAt + offsetBytes);
    }
    at = end;
  }
  same.push(bytes.length);
  return addressAt === 0 ? null : { same, addressAt };
}

function isSame({ bytes, same }: Entry, found: Uint8Array): boolean {
  // Headers are compared from the end, because they differ most in their attributes, which are stored there.
  for (let part = same.length - 2; part >= 0; part -= 2) {
    for (let i = same[part + 1] - 1; i >= same[part]; i--) if (bytes[i] !== found[i]) return false;
  }
  return true;
}

/** Reads an address. Returns null if it is undefined or exceeds 2^53. */
function addressIn(bytes: Uint8Array, at: number, size: number): number | null {
  let address = 0;
  for (let i = at + size - 1; i >= at; i--) address = address * 256 + bytes[i];
  return address > Number.MAX_SAFE_INTEGER ? null : address;
}
