/**
 * Reads the tables in a flatbuffer, and checks every offset and length. The official flatbuffers library reads zeros
 * past the end, and trusts a length of 2^31 entries.
 */

import { InvalidDataError, isAnnarrowError } from "../../model/errors.js";
import { HEADER, METADATA_VERSION } from "./format.js";

const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A flatbuffer. Tables may be shared, so all visited bytes count towards a budget that depends on its size. */
export class FlatBuffer {
  readonly #view: DataView;
  /** Number of bytes that may still be visited. At first it exceeds the flatbuffer's size, because names are shared. */
  #budget: number;

  constructor(readonly bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#budget = 16 * bytes.length;
  }

  /**
   * Counts `count` visited bytes.
   * @throws {InvalidDataError} if the total is so large that the same tables must have been referenced over and over.
   */
  visit(count: number): void {
    this.#budget -= count;
    if (this.#budget < 0) throw new InvalidDataError("the metadata lists the same parts too often");
  }

  root(): FlatTable {
    return this.table(this.follow(0));
  }

  table(at: number): FlatTable {
    this.visit(4);
    const vtable = at - this.int32(at);
    const size = this.uint16(vtable);
    if (size < 4 || size % 2 !== 0) throw new InvalidDataError(`metadata: a table has the layout size ${size}`);
    this.check(vtable, size);
    return new FlatTable(this, at, vtable, size);
  }

  /** Returns the position that the offset at `at` points to. */
  follow(at: number): number {
    const target = at + this.uint32(at);
    this.check(target, 4);
    return target;
  }

  check(at: number, count: number): void {
    const { length } = this.bytes;
    if (at >= 0 && count >= 0 && at + count <= length) return;
    throw new InvalidDataError(`metadata: bytes [${at}, ${at + count}) are asked for, there are ${length}`);
  }

  uint8(at: number): number {
    this.check(at, 1);
    return this.#view.getUint8(at);
  }

  uint16(at: number): number {
    this.check(at, 2);
    return this.#view.getUint16(at, true);
  }

  int16(at: number): number {
    this.check(at, 2);
    return this.#view.getInt16(at, true);
  }

  int32(at: number): number {
    this.check(at, 4);
    return this.#view.getInt32(at, true);
  }

  uint32(at: number): number {
    this.check(at, 4);
    return this.#view.getUint32(at, true);
  }

  int64(at: number): bigint {
    this.check(at, 8);
    return this.#view.getBigInt64(at, true);
  }

  /** Returns a length or position, which must be non-negative and exactly representable as a number. */
  size(at: number): number {
    const value = this.int64(at);
    if (value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
    throw new InvalidDataError(`metadata: ${value} is no length or position`);
  }

  string(at: number): string {
    const length = this.uint32(at);
    this.check(at + 4, length);
    this.visit(length);
    try {
      return text.decode(this.bytes.subarray(at + 4, at + 4 + length));
    } catch (cause) {
      throw new InvalidDataError("metadata: a name is not UTF-8", { cause });
    }
  }
}

/** A table. Fields are identified by slot numbers. An absent field has its default value. */
export class FlatTable {
  constructor(
    readonly buffer: FlatBuffer,
    readonly at: number,
    readonly vtable: number,
    readonly size: number,
  ) {}

  /** Returns the position of the field in a slot; null if the field is absent. */
  field(slot: number): number | null {
    const entry = 4 + 2 * slot;
    if (entry + 2 > this.size) return null;
    const offset = this.buffer.uint16(this.vtable + entry);
    return offset === 0 ? null : this.at + offset;
  }

  uint8(slot: number, otherwise = 0): number {
    const at = this.field(slot);
    return at === null ? otherwise : this.buffer.uint8(at);
  }

  bool(slot: number): boolean {
    return this.uint8(slot) !== 0;
  }

  int16(slot: number, otherwise = 0): number {
    const at = this.field(slot);
    return at === null ? otherwise : this.buffer.int16(at);
  }

  int32(slot: number, otherwise = 0): number {
    const at = this.field(slot);
    return at === null ? otherwise : this.buffer.int32(at);
  }

  int64(slot: number): bigint {
    const at = this.field(slot);
    return at === null ? 0n : this.buffer.int64(at);
  }

  length(slot: number): number {
    const at = this.field(slot);
    return at === null ? 0 : this.buffer.size(at);
  }

  string(slot: number): string {
    const at = this.field(slot);
    return at === null ? "" : this.buffer.string(this.buffer.follow(at));
  }

  table(slot: number): FlatTable | null {
    const at = this.field(slot);
    return at === null ? null : this.buffer.table(this.buffer.follow(at));
  }

  /** Returns the position of each entry in a list whose entries take `width` bytes each. */
  list(slot: number, width: number): readonly number[] {
    const at = this.field(slot);
    if (at === null) return [];
    const start = this.buffer.follow(at);
    const length = this.buffer.uint32(start);
    this.buffer.check(start + 4, length * width);
    this.buffer.visit(length * width);
    return Array.from({ length }, (_, i) => start + 4 + i * width);
  }

  count(slot: number): number {
    const at = this.field(slot);
    return at === null ? 0 : this.buffer.uint32(this.buffer.follow(at));
  }

  tables(slot: number): readonly FlatTable[] {
    return this.list(slot, 4).map((at) => this.buffer.table(this.buffer.follow(at)));
  }
}

/** Whether `bytes` begin with the flatbuffer of a schema message in any version, which has no body. */
export function isSchemaMessage(bytes: Uint8Array): boolean {
  try {
    const message = new FlatBuffer(bytes).root();
    const version = message.int16(0);
    return (
      version >= 0 && version <= METADATA_VERSION.V5 && message.uint8(1) === HEADER.schema && message.length(3) === 0
    );
  } catch (error) {
    if (isAnnarrowError(error)) return false;
    throw error;
  }
}
