/** Writes protocol buffers. Messages consist of parts; long values are views that are never copied. */

/** An encoded message as parts. Its bytes are their concatenation. */
export interface EncodedParts {
  readonly parts: readonly Uint8Array[];
  readonly length: number;
}

const text = new TextEncoder();

/** Maximum size of a copied value in bytes. Longer values become separate parts. */
const INLINE = 256;

const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;

/** Writes the fields of one message. proto3 default values are omitted, as in other writers. */
export class ProtoWriter {
  readonly #parts: Uint8Array[] = [];
  #pending: number[] = [];
  #length = 0;

  string(field: number, value: string): this {
    return value === "" ? this : this.#delimited(field, text.encode(value));
  }

  /** Writes each of `values`, including empty values. */
  strings(field: number, values: readonly string[]): this {
    for (const value of values) this.#delimited(field, text.encode(value));
    return this;
  }

  bytes(field: number, value: Uint8Array): this {
    return value.length === 0 ? this : this.#delimited(field, value);
  }

  /** Writes one value that consists of several pieces. Empty values are written too. */
  pieces(field: number, values: readonly Uint8Array[]): this {
    this.#head(
      field,
      values.reduce((sum, { length }) => sum + length, 0),
    );
    for (const value of values) this.#raw(value);
    return this;
  }

  message(field: number, value: ProtoWriter | null): this {
    if (value === null) return this;
    const { parts, length } = value.finish();
    this.#head(field, length);
    for (const part of parts) this.#raw(part);
    return this;
  }

  bool(field: number, value: boolean): this {
    return this.int64(field, value ? 1n : 0n);
  }

  /** Writes an int32, int64, uint64 or enum. Negative numbers take ten bytes. */
  int64(field: number, value: bigint): this {
    if (value === 0n) return this;
    this.#varint(BigInt(field * 8 + VARINT));
    this.#varint(BigInt.asUintN(64, value));
    return this;
  }

  double(field: number, value: number): this {
    this.#varint(BigInt(field * 8 + FIXED64));
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value, true);
    this.#raw(bytes);
    return this;
  }

  finish(): EncodedParts {
    this.#flush();
    return { parts: this.#parts, length: this.#length };
  }

  #delimited(field: number, value: Uint8Array): this {
    this.#head(field, value.length);
    this.#raw(value);
    return this;
  }

  #head(field: number, length: number): void {
    this.#pending.push(...encodeFieldHead(field, length));
  }

  #varint(value: bigint): void {
    this.#pending.push(...varint(value));
  }

  #raw(bytes: Uint8Array): void {
    if (bytes.length <= INLINE) {
      for (const byte of bytes) this.#pending.push(byte);
      return;
    }
    this.#flush();
    this.#parts.push(bytes);
    this.#length += bytes.length;
  }

  #flush(): void {
    if (this.#pending.length === 0) return;
    this.#parts.push(Uint8Array.from(this.#pending));
    this.#length += this.#pending.length;
    this.#pending = [];
  }
}

/** Returns the tag and length that precede a field of `length` bytes. */
export function encodeFieldHead(field: number, length: number): number[] {
  return [...varint(BigInt(field * 8 + DELIMITED)), ...varint(BigInt(length))];
}

function varint(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return bytes;
}

/** Copies the message into one contiguous array. */
export function joinParts({ parts, length }: EncodedParts): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(length);
  copyParts(parts, out, 0);
  return out;
}

/** Copies `parts` consecutively into `target`, starting at `at`. */
export function copyParts(parts: readonly Uint8Array[], target: Uint8Array, at: number): void {
  let to = at;
  for (const part of parts) {
    target.set(part, to);
    to += part.length;
  }
}
