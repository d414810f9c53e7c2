/**
 * Encodes `bytes` as a raw Snappy block (no frame). As in the reference encoder, the search is greedy, with one
 * candidate for every four bytes. Source: format_description.txt of Snappy.
 */
export function encodeSnappy(bytes: Uint8Array): Uint8Array {
  const out = new Output(bytes);
  out.varint(bytes.length);
  const table = new Uint16Array(TABLE_SIZE);
  for (let start = 0; start < bytes.length; start += FRAGMENT) {
    table.fill(0);
    encodeFragment(bytes, start, Math.min(start + FRAGMENT, bytes.length), table, out);
  }
  return out.finish();
}

/** Matches stay within fragments of this size, so that a distance fits into 16 bits. */
const FRAGMENT = 1 << 16;
const TABLE_BITS = 14;
const TABLE_SIZE = 1 << TABLE_BITS;
const MIN_MATCH = 4;
/** Maximum length of a copy element. */
const MAX_COPY = 64;

function encodeFragment(bytes: Uint8Array, start: number, end: number, table: Uint16Array, out: Output): void {
  let literals = start;
  // No match begins at position `start`, because an empty entry of the table points there.
  let at = start + 1;
  let misses = 32;
  const last = end - MIN_MATCH;
  while (at <= last) {
    const word = load32(bytes, at);
    const slot = Math.imul(word, 0x1e35a7bd) >>> (32 - TABLE_BITS);
    const candidate = start + table[slot];
    table[slot] = at - start;
    if (load32(bytes, candidate) !== word) {
      // Steps grow as long as no match is found.
      at += misses++ >> 5;
      continue;
    }
    misses = 32;
    let length = MIN_MATCH;
    while (at + length < end && bytes[candidate + length] === bytes[at + length]) length++;
    out.literals(literals, at);
    out.copy(at - candidate, length);
    at += length;
    literals = at;
  }
  out.literals(literals, end);
}

function load32(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
}

class Output {
  readonly #source: Uint8Array;
  readonly #bytes: Uint8Array;
  #length = 0;

  constructor(source: Uint8Array) {
    this.#source = source;
    // The format's upper bound: literals grow by at most one byte per sixty bytes, and copies never grow.
    this.#bytes = new Uint8Array(32 + source.length + Math.ceil(source.length / 6));
  }

  varint(value: number): void {
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest & 127) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  literals(start: number, end: number): void {
    const count = end - start;
    if (count === 0) return;
    if (count <= 60) this.#bytes[this.#length++] = (count - 1) << 2;
    else if (count <= 256) {
      this.#bytes[this.#length++] = 60 << 2;
      this.#bytes[this.#length++] = count - 1;
    } else {
      this.#bytes[this.#length++] = 61 << 2;
      this.#bytes[this.#length++] = count - 1;
      this.#bytes[this.#length++] = (count - 1) >> 8;
    }
    if (count <= 16) {
      for (let i = start; i < end; i++) this.#bytes[this.#length++] = this.#source[i];
      return;
    }
    this.#bytes.set(this.#source.subarray(start, end), this.#length);
    this.#length += count;
  }

  /** Writes a copy element. A short near copy takes two bytes, and any other copy takes three. */
  copy(distance: number, length: number): void {
    let rest = length;
    while (rest > 0) {
      // The rest must not fall below four, the shortest length of the short form.
      const count = rest > MAX_COPY ? (rest < MAX_COPY + MIN_MATCH ? 60 : MAX_COPY) : rest;
      if (count <= 11 && distance < 2048) {
        this.#bytes[this.#length++] = 1 | ((count - 4) << 2) | ((distance >> 8) << 5);
        this.#bytes[this.#length++] = distance;
      } else {
        this.#bytes[this.#length++] = 2 | ((count - 1) << 2);
        this.#bytes[this.#length++] = distance;
        this.#bytes[this.#length++] = distance >> 8;
      }
      rest -= count;
    }
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }
}
