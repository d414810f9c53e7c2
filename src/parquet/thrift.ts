/**
 * Writes and reads Parquet's metadata in Thrift's compact protocol (thrift-compact-protocol.md). Defines the keys of
 * the key-value metadata that contain Arrow schemas. Each schema is a base64-encoded message in the IPC format.
 */

import { PageBuffer } from "../kernels/parquet/page-buffer.js";
import { InvalidDataError } from "../model/errors.js";

/** Type numbers in the headers of fields and lists. The type of a boolean field is also its value. */
export const TRUE = 1;
export const FALSE = 2;
export const BYTE = 3;
const I16 = 4;
const I32 = 5;
const I64 = 6;
export const DOUBLE = 7;
export const BINARY = 8;
export const LIST = 9;
export const SET = 10;
export const MAP = 11;
export const STRUCT = 12;

/** Key of the schema that describes the columns as written. Other readers support it. */
export const FILE_SCHEMA = "ARROW:schema";

/**
 * Key of the table's own schema. It is written if some of the table's types do not exist in Parquet and are written as
 * other types.
 */
export const TABLE_SCHEMA = "annarrow:schema";

const text = new TextEncoder();

/** Writes the fields of a struct in the order of their ids. Numbers must not be negative. */
export class CompactWriter {
  readonly #out = new PageBuffer(256);
  #lastId = 0;

  static struct(fields: (writer: CompactWriter) => void): Uint8Array {
    const writer = new CompactWriter();
    writer.#fields(() => fields(writer));
    return writer.#out.written();
  }

  boolean(id: number, value: boolean): void {
    this.#header(id, value ? TRUE : FALSE);
  }

  byte(id: number, value: number): void {
    this.#header(id, BYTE);
    this.#out.byte(value);
  }

  i32(id: number, value: number): void {
    this.#header(id, I32);
    this.#out.varint(2 * value);
  }

  i64(id: number, value: number): void {
    this.#header(id, I64);
    this.#out.varint(2 * value);
  }

  /** Writes a value that is already encoded. */
  encoded(id: number, type: number, value: Uint8Array): void {
    this.#header(id, type);
    this.#out.append(value);
  }

  binary(id: number, value: Uint8Array | string): void {
    this.#header(id, BINARY);
    this.#binary(value);
  }

  struct(id: number, fields: () => void): void {
    this.#header(id, STRUCT);
    this.#fields(fields);
  }

  i32List(id: number, values: readonly number[]): void {
    this.#list(id, I32, values.length);
    for (const value of values) this.#out.varint(2 * value);
  }

  textList(id: number, values: readonly string[]): void {
    this.#list(id, BINARY, values.length);
    for (const value of values) this.#binary(value);
  }

  structList<T>(id: number, items: readonly T[], fields: (item: T) => void): void {
    this.#list(id, STRUCT, items.length);
    for (const item of items) this.#fields(() => fields(item));
  }

  /** Writes a list of structs that were encoded by `CompactWriter.struct`. */
  writtenStructs(id: number, structs: readonly Uint8Array[]): void {
    this.#list(id, STRUCT, structs.length);
    for (const struct of structs) this.#out.append(struct);
  }

  #binary(value: Uint8Array | string): void {
    const bytes = typeof value === "string" ? text.encode(value) : value;
    this.#out.varint(bytes.length);
    this.#out.append(bytes);
  }

  #list(id: number, type: number, length: number): void {
    this.#header(id, LIST);
    if (length < 15) this.#out.byte((length << 4) | type);
    else {
      this.#out.byte(0xf0 | type);
      this.#out.varint(length);
    }
  }

  #fields(fields: () => void): void {
    const outer = this.#lastId;
    this.#lastId = 0;
    fields();
    this.#out.byte(0);
    this.#lastId = outer;
  }

  /**
   * Writes a field's id as the difference from the previous id. In all structs of Parquet, the difference is 1 to 15.
   */
  #header(id: number, type: number): void {
    this.#out.byte(((id - this.#lastId) << 4) | type);
    this.#lastId = id;
  }
}

/** Maximum nesting depth of structs. Parquet's structs are less deeply nested. */
const MAX_DEPTH = 32;

interface Field {
  readonly type: number;
  /** Position of the field's type in the header. */
  readonly head: number;
  /** Start and end of the bytes of the value. */
  readonly start: number;
  readonly end: number;
}

/** A struct and its end position. */
export class ThriftStruct {
  readonly #cursor: Cursor;
  readonly #fields = new Map<number, Field>();
  readonly start: number;
  readonly end: number;

  constructor(
    readonly bytes: Uint8Array,
    start = 0,
  ) {
    const cursor = new Cursor(bytes, start);
    this.#cursor = cursor;
    this.start = start;
    for (let id = 0; ; ) {
      const at = cursor.at;
      const head = cursor.byte();
      if (head === 0) break;
      const type = head & 15;
      id = head >> 4 === 0 ? cursor.zigzag() : id + (head >> 4);
      const from = cursor.at;
      // A boolean field has no value bytes, because its type encodes its value.
      if (type !== TRUE && type !== FALSE) cursor.skip(type, 0);
      this.#fields.set(id, { type, head: at, start: from, end: cursor.at });
    }
    this.end = cursor.at;
  }

  has(id: number): boolean {
    return this.#fields.has(id);
  }

  /** Returns an integer of any width; null if it is absent. */
  integer(id: number): number | null {
    const field = this.#fields.get(id);
    if (field === undefined) return null;
    if (field.type < BYTE || field.type >= DOUBLE) throw wrongType(id, field.type);
    return field.type === BYTE ? this.bytes[field.start] : new Cursor(this.bytes, field.start).zigzag();
  }

  /** Returns a count, length or position. */
  size(id: number): number {
    const value = this.integer(id);
    if (value !== null && value >= 0) return value;
    throw new InvalidDataError(
      `the footer has ${value === null ? "no value" : value} where a size should be (field ${id})`,
    );
  }

  /** Changes a boolean field from false to true in place. The stored type is its value. */
  setTrue(id: number): void {
    const field = this.#fields.get(id);
    if (field?.type === FALSE) this.bytes[field.head] = (this.bytes[field.head] & 0xf0) | TRUE;
  }

  text(id: number): string {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.binary(id));
  }

  binary(id: number): Uint8Array {
    const field = this.#fields.get(id);
    if (field === undefined) return new Uint8Array(0);
    if (field.type !== BINARY) throw wrongType(id, field.type);
    const cursor = new Cursor(this.bytes, field.start);
    const length = cursor.varint();
    return this.bytes.subarray(cursor.at, cursor.at + length);
  }

  struct(id: number): ThriftStruct | null {
    const field = this.#fields.get(id);
    if (field === undefined) return null;
    if (field.type !== STRUCT) throw wrongType(id, field.type);
    return new ThriftStruct(this.bytes, field.start);
  }

  /** Returns the number of structs in a list; 0 if the list is absent. */
  count(id: number): number {
    return this.#list(id)?.length ?? 0;
  }

  structs(id: number): ThriftStruct[] {
    const list = this.#list(id);
    if (list === null) return [];
    const { cursor, length } = list;
    const found: ThriftStruct[] = [];
    for (let i = 0; i < length; i++) {
      const struct = new ThriftStruct(this.bytes, cursor.at);
      cursor.at = struct.end;
      found.push(struct);
    }
    return found;
  }

  /** Returns a list of integers; an empty list if the field is absent. */
  integers(id: number): readonly number[] {
    const list = this.#list(id, I32);
    return list === null ? [] : Array.from({ length: list.length }, () => Number(list.cursor.zigzag()));
  }

  /** Returns the number of elements of a list, and a cursor at the first element. */
  #list(id: number, kind = STRUCT): { readonly cursor: Cursor; readonly length: number } | null {
    const field = this.#fields.get(id);
    if (field === undefined) return null;
    if (field.type !== LIST) throw wrongType(id, field.type);
    const cursor = new Cursor(this.bytes, field.start);
    const { type, length } = cursor.listHead();
    if (type !== kind && length > 0) throw wrongType(id, type);
    return { cursor, length };
  }

  /** Returns the fields that `ids` selects, ordered by id, so that they can be written into a new struct. */
  copied(ids: (id: number) => boolean): { readonly id: number; readonly type: number; readonly bytes: Uint8Array }[] {
    return [...this.#fields]
      .filter(([id]) => ids(id))
      .sort(([a], [b]) => a - b)
      .map(([id, { type, start, end }]) => ({ id, type, bytes: this.#cursor.bytes.subarray(start, end) }));
  }

  whole(): Uint8Array {
    return this.bytes.subarray(this.start, this.end);
  }
}

function wrongType(id: number, type: number): InvalidDataError {
  return new InvalidDataError(`the footer has a value of type ${type} as field ${id}`);
}

class Cursor {
  constructor(
    readonly bytes: Uint8Array,
    public at: number,
  ) {}

  byte(): number {
    if (this.at >= this.bytes.length) throw new InvalidDataError(`the footer is cut off at byte ${this.bytes.length}`);
    return this.bytes[this.at++];
  }

  varint(): number {
    const value = this.#wide();
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new InvalidDataError(`the footer has the length ${value}`);
    return Number(value);
  }

  zigzag(): number {
    const value = this.#wide();
    const signed = (value >> 1n) ^ -(value & 1n);
    const number = Number(signed);
    if (!Number.isSafeInteger(number)) throw new InvalidDataError(`the footer has the number ${signed}`);
    return number;
  }

  #wide(): bigint {
    // Most numbers take one byte.
    let byte = this.byte();
    if (byte < 0x80) return BigInt(byte);
    let value = BigInt(byte & 0x7f);
    for (let shift = 7n; ; shift += 7n) {
      if (shift > 63n) throw new InvalidDataError("the footer has a number of more than 10 bytes");
      byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  listHead(): { type: number; length: number } {
    const head = this.byte();
    const length = head >> 4 === 15 ? this.varint() : head >> 4;
    if (length > this.bytes.length - this.at) {
      throw new InvalidDataError(`the footer lists ${length} values in ${this.bytes.length - this.at} bytes`);
    }
    return { type: head & 15, length };
  }

  skip(type: number, depth: number): void {
    if (depth > MAX_DEPTH) throw new InvalidDataError("the footer is nested too deep");
    switch (type) {
      case TRUE:
      case FALSE:
      case BYTE:
        this.#pass(1);
        return;
      case I16:
      case I32:
      case I64:
        while (this.byte() >= 0x80);
        return;
      case DOUBLE:
        this.#pass(8);
        return;
      case BINARY:
        this.#pass(this.varint());
        return;
      case LIST:
      case SET: {
        const { type: item, length } = this.listHead();
        for (let i = 0; i < length; i++) this.skip(item, depth + 1);
        return;
      }
      case MAP: {
        const length = this.varint();
        if (length === 0) return;
        const types = this.byte();
        for (let i = 0; i < length; i++) {
          this.skip(types >> 4, depth + 1);
          this.skip(types & 15, depth + 1);
        }
        return;
      }
      case STRUCT:
        for (let head = this.byte(); head !== 0; head = this.byte()) {
          if (head >> 4 === 0) this.varint();
          const field = head & 15;
          if (field !== TRUE && field !== FALSE) this.skip(field, depth + 1);
        }
        return;
      default:
        throw new InvalidDataError(`the footer has a value of the unknown type ${type}`);
    }
  }

  #pass(count: number): void {
    if (count > this.bytes.length - this.at) {
      throw new InvalidDataError(`the footer has a value of ${count} bytes, ${this.bytes.length - this.at} are left`);
    }
    this.at += count;
  }
}
