/** Reads protocol buffers. Every length is validated, and unknown fields are skipped. */

import { InvalidDataError } from "annarrow";
import { viewAsBytes } from "annarrow/core/model";

type Wire = "varint" | "fixed64" | "delimited" | "fixed32";

const WIRES: readonly (Wire | undefined)[] = ["varint", "fixed64", "delimited", undefined, undefined, "fixed32"];

const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** One field of a message. Each method checks the wire type. */
class ProtoField {
  constructor(
    readonly number: number,
    readonly wire: Wire,
    readonly integer: bigint,
    readonly content: Uint8Array,
    readonly message: string,
  ) {}

  /** Returns the value as a view of the message's bytes. */
  bytes(): Uint8Array {
    this.#expect("delimited");
    return this.content;
  }

  string(): string {
    try {
      return text.decode(this.bytes());
    } catch (cause) {
      throw new InvalidDataError(`field ${this.number} of ${this.message} is not UTF-8`, { cause });
    }
  }

  uint64(): bigint {
    this.#expect("varint");
    return this.integer;
  }

  int64(): bigint {
    return BigInt.asIntN(64, this.uint64());
  }

  /** Returns an int32 or enum: the lower half of the encoded number, as the format requires. */
  int32(): number {
    return Number(BigInt.asIntN(32, this.uint64()));
  }

  /** Returns an int64 as a number. @throws {InvalidDataError} if it exceeds 2^53. */
  size(): number {
    const value = this.int64();
    if (value >= -BigInt(Number.MAX_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
    throw new InvalidDataError(`field ${this.number} of ${this.message} is ${value}, beyond 2^53`);
  }

  bool(): boolean {
    return this.uint64() !== 0n;
  }

  double(): number {
    this.#expect("fixed64");
    return new DataView(this.content.buffer, this.content.byteOffset, 8).getFloat64(0, true);
  }

  #expect(wire: Wire): void {
    if (this.wire === wire) return;
    throw new InvalidDataError(`field ${this.number} of ${this.message} is written as ${this.wire}, expected ${wire}`);
  }
}

/** Maximum field number. Groups are deprecated and have no length, so they are not supported. */
const MAX_FIELD = 2 ** 29 - 1;

/**
 * Yields the fields of the message `name`, in order; callers skip unknown fields.
 * @throws {InvalidDataError} for a field that is invalid, or extends past the end of the message.
 */
export function* parseProtoFields(message: Uint8Array, name: string): Generator<ProtoField> {
  // `slice` on a Node Buffer returns a view, not a copy, so the bytes are first converted to a plain array.
  const bytes = viewAsBytes(message);
  let at = 0;
  const varint = (): bigint => {
    // Almost all numbers take one or two bytes.
    let value = 0;
    for (let shift = 1; shift < 2 ** 28; shift *= 128) {
      const byte = next();
      value += (byte & 0x7f) * shift;
      if (byte < 0x80) return BigInt(value);
    }
    let wide = BigInt(value);
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = next();
      wide |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, wide);
    }
    throw new InvalidDataError(`${name} has a number of more than 10 bytes at byte ${at}`);
  };
  const next = (): number => {
    if (at >= bytes.length) throw new InvalidDataError(`${name} is cut off at byte ${bytes.length}`);
    return bytes[at++];
  };
  const take = (length: number): Uint8Array => {
    if (length > bytes.length - at) {
      throw new InvalidDataError(`${name} has a field of ${length} bytes at byte ${at}, there are ${bytes.length}`);
    }
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const [number, wire] = [Math.floor(key / 8), WIRES[key % 8]];
    if (number === 0 || number > MAX_FIELD || wire === undefined) {
      throw new InvalidDataError(`${name} has the field key ${key} in front of byte ${at}`);
    }
    const integer = wire === "varint" ? varint() : 0n;
    const length = wire === "varint" ? 0 : wire === "delimited" ? Number(varint()) : wire === "fixed64" ? 8 : 4;
    yield new ProtoField(number, wire, integer, take(length), name);
  }
}
