/** The pieces of Thrift's compact protocol that a Parquet file needs. */

import { PageBuffer } from "../../kernels/parquet/page-buffer.js";
import { BINARY, BYTE, FALSE, I32, I64, LIST, STRUCT, TRUE } from "./format.js";

const text = new TextEncoder();

/** Writes the fields of a struct, in the order of their ids; numbers are not negative. */
export class CompactWriter {
  readonly #out = new PageBuffer(256);
  #lastId = 0;

  /** The bytes of the struct that `fields` writes. */
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

  /** A value that is encoded already. */
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

  /** A list of structs that `CompactWriter.struct` wrote before. */
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

  /** Ids as the difference to the one before, which is 1 to 15 in all structs of Parquet. */
  #header(id: number, type: number): void {
    this.#out.byte(((id - this.#lastId) << 4) | type);
    this.#lastId = id;
  }
}
