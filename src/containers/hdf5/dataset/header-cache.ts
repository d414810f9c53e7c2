/**
 * Object headers that say the same as others but for where the values lie: a file of many scalars has a few kinds of
 * them, and each is read once. Source: HDF5 File Format Specification, IV.A.1.a.
 */

import type { AttributeValue } from "../../tree/container.js";
import type { Hdf5File } from "../file/hdf5-file.js";
import { MESSAGE } from "../objects/object-header.js";
import type { ElementType } from "../types/stored-type.js";
import type { Hdf5Dataset } from "./dataset.js";

/** The parsed content of such a header. */
export interface HeaderContent {
  readonly dataset: Hdf5Dataset;
  readonly element: ElementType;
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  /** Bytes of all values. */
  readonly length: number;
}

interface Entry {
  /** Bytes of the first such header. */
  readonly bytes: Uint8Array;
  /** Starts and ends, alternating, of the ranges that must be equal. */
  readonly same: readonly number[];
  /** Position in the header at which the address of the values stands. */
  readonly addressAt: number;
  readonly content: HeaderContent;
}

/** Bytes before the messages of a header of version 1. */
const PREFIX_BYTES = 16;
const MESSAGE_PREFIX_BYTES = 8;
const MAX_HEADER_BYTES = 1024;

const CONTINUATION = 0x10;
const MODIFIED = 0x12;
const SHARED = 0x02;

/** Kinds of headers that are kept of one length, those found last first. */
const MOST_OF_LENGTH = 32;

/** After so many headers that never came again, no more are kept: the headers of this file are all different. */
const VAIN = 64;

export class HeaderCache {
  readonly #byLength = new Map<number, Entry[]>();
  #vain = 0;
  #last = PREFIX_BYTES;

  /**
   * The content of a known header like the one at `address`, and where the values of this one lie; null where none is
   * known.
   */
  find(file: Hdf5File, address: number): { readonly content: HeaderContent; readonly address: number } | null {
    // Most headers are as long as the one before.
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

  /** @param content of the header at `address`; the dataset's values lie in one piece. */
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
    if (entries.length >= MOST_OF_LENGTH) entries.pop();
    entries.unshift({ bytes: found.slice(), ...parts, content });
  }
}

/** Length of the header with its prefix; 0 for other versions and for long headers. */
function headerLength(prefix: Uint8Array): number {
  if (prefix.length < PREFIX_BYTES || prefix[0] !== 1 || prefix[10] !== 0 || prefix[11] !== 0) return 0;
  const length = PREFIX_BYTES + prefix[8] + 256 * prefix[9];
  return length > MAX_HEADER_BYTES ? 0 : length;
}

/** Null where the header continues elsewhere, shares messages, or has another layout than contiguous. */
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
      // Version 3, of the class of data in one piece.
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
  // Attributes, in which they differ most, stand at the end.
  for (let part = same.length - 2; part >= 0; part -= 2) {
    for (let i = same[part + 1] - 1; i >= same[part]; i--) if (bytes[i] !== found[i]) return false;
  }
  return true;
}

/** Null where it is undefined, or beyond 2^53. */
function addressIn(bytes: Uint8Array, at: number, size: number): number | null {
  let address = 0;
  for (let i = at + size - 1; i >= at; i--) address = address * 256 + bytes[i];
  return address > Number.MAX_SAFE_INTEGER ? null : address;
}
